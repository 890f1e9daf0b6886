/** What is wrong with a request in OpenAI's Responses format. */

export const responsesTexts = {
  "responses.input": "'input' must be a text or a list of items.",
  "responses.role": "'{param}.role' must be user, assistant, system or developer.",
  "responses.partType":
    "'{param}.type' must be input_text, input_image, input_file, input_audio, output_text or refusal.",
  "responses.content": "'{param}' must be a text or a list of parts.",
  "responses.callWithoutId": "'{param}' is missing: it names the call.",
  "responses.callWithoutName": "A call needs the tool's name.",
  "responses.image": "'{param}' needs an image_url or a file_id.",
  "responses.file": "'{param}' needs file_data, a file_url or a file_id.",
  "responses.format": "'text.format.type' must be text, json_object or json_schema.",
  "responses.effort": "'reasoning.effort' must be a text.",
  "responses.stored":
    "'{param}' needs stored responses, which are not available here. Send the whole conversation in 'input', with store: false.",
  "responses.reference":
    "'{param}' refers to an item that is not stored here. Send the item itself, with store: false.",
  "responses.background": "'background' is not available here. Leave it out, and stream the answer.",
  "responses.notStored":
    "Nothing with the id '{id}' is stored for this account. It may have expired or been deleted: send the whole conversation in 'input'.",
  "responses.foreignId":
    "'{param}' names something stored at an upstream, which this account did not get in an answer stored here. Send the content itself.",
  "responses.foreignTooMany": "A request may name {max} things stored at an upstream at most.",
  "responses.encrypted":
    "The upstream cannot read an item with 'encrypted_content' (reasoning or compaction): another one made it, or it was changed. Leave such items out and send the request again.",
  "responses.stateId": "'{param}' must be the id of a response.",
  "responses.chainTooLong":
    "This conversation has too many stored responses. Send it in 'input', without 'previous_response_id'.",
  "responses.referencesTooMany": "'input' may refer to {max} stored items at most.",
  "responses.tooLargeWithStored":
    "With the stored responses it continues, this request is larger than {max} bytes.",
  "responses.unread": "The stored response cannot be read at the moment. Try again.",
  "responses.streamFlag": "'stream' must be true or false.",
  "responses.pageLimit": "'limit' must be a whole number from 1 to {max}.",
  "responses.pageOrder": "'order' must be asc or desc.",
} as const;
