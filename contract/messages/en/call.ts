/** What a call of the data plane is refused with. */

export const callTexts = {
  "call.bodiesFull":
    "Plaza holds as many bytes of request bodies as it may at the moment. Try again shortly.",
  "call.stopped": "This Plaza process stopped before the answer was complete. Send the request again.",
  "call.chargedApart":
    "'{param}' makes this model's upstream charge apart, and no price is set for that. Leave it out, or ask the operator to allow it.",
  "call.filesTooMany": "At most {max} files are fetched by address. Send the others inline.",
  "call.filesTooLarge": "The files named by address are larger than {max} together. Send fewer of them.",
  "call.balanceUnread": "The balance cannot be read at the moment. Try again shortly.",
  "call.messagesEmpty": "'{param}' must hold at least one message.",
  "call.streamOptionsAlone": "'stream_options' is only allowed when 'stream' is true.",
  "call.modelTooLong": "'model' is too long.",
  "call.modelEmpty": "'model' must not be empty.",
  "call.modelsTooMany": "'models' must hold at most {max} model ids.",
  "call.modelsNotIds": "'models[{index}]' must be a model id: a string of 1 to {max} characters.",
  "call.modelUnknown":
    "The model '{model}' does not exist or you do not have access to it. GET /v1/models lists the models of this key.",
  "call.requestUnread": "The request cannot be read at the moment. Try again shortly.",
  "call.requestUnknown":
    "There is no such request of this API key. The id is the x-request-id of its answer; it is there once the answer is complete.",
  "call.stopping": "This Plaza process is stopping. Send the request again; another one will take it.",
  "call.memoryShort": "Plaza is short of memory at the moment. Try again shortly.",
  "call.atCapacity": "Plaza is at its capacity at the moment. Try again shortly.",
  "call.requestsFull": "Plaza serves as many requests as it may at the moment. Try again shortly.",
  "call.keyIncorrect": "Incorrect API key provided: {shown}. {why}",
  "call.keyMissing":
    "Incorrect API key provided: none was sent. Send it as a header: Authorization: Bearer sk-plaza-…",
  "call.keyForm":
    "Incorrect API key provided: the Authorization header must be of the form: Bearer sk-plaza-…",
  "call.keyNotOurs":
    "This is not a Plaza API key, or it was mistyped or cut short: keys begin with sk-plaza- and carry a checksum that does not match here.",
  "call.addressUnknown": "This API key may only be used from certain addresses, and yours is not known.",
  "call.addressOther": "This API key may not be used from your address, {address}.",
  "call.keyRevoked": "It was revoked. Use another one.",
  "call.keyDisabled": "It is disabled. Use another one, or have it enabled.",
  "call.keyExpired": "It expired on {expired}. Use another one.",
  "call.keyEnded": "It is no longer in force. Use another one.",
  "call.keyUnknown": "It does not exist. Check that it is the right one, and for this installation.",
  "call.keyUnchecked": "The API key cannot be checked at the moment. Try again shortly.",
  "call.idempotencyKeyForm":
    "The header Idempotency-Key must be 1 to 255 visible ASCII characters, sent once.",
  "call.idempotencyUnchecked": "The Idempotency-Key cannot be checked at the moment. Try again shortly.",
  "call.idempotencyElsewhere":
    "The process that worked on the call with this Idempotency-Key has stopped, and its answer may still be on its machine. Repeat the call later: it gets that answer, or is made again.",
  "call.idempotencyNotKept":
    "The call with this Idempotency-Key was answered and charged as {requestId}, but its answer was too large to be kept. Use a new key to ask again.",
  "call.stoppedAfterCaller":
    "The answer was stopped after its caller had left. What there was of it is charged.",
  "call.idempotencyOtherModel":
    "The answer to this call was given by a model this API key may not use. Repeat it with the key it was made with, or ask under a new Idempotency-Key.",
  "call.tooManyOfKey":
    "Too many calls of this API key were refused. Mend what they are refused for, and wait a little.",
  "call.tooManyOfAddress":
    "Too many calls from this address were refused. Mend what they are refused for, and wait a little.",
  "call.modelNotAllowed":
    "This API key may not use the model '{model}'. GET /v1/models lists the models of this key.",
  "call.wrongEndpoint": "The model '{model}' is for {operations}: call POST {path}.",
  "call.modelNotServedYet":
    "The model '{model}' is for {operations}, which this version of Plaza does not serve yet.",
  "call.operationLacking":
    "No upstream of the model '{model}' serves {operation}; ask the operator to give it one that does.",
  "call.modelNotPriced":
    "The model '{model}' has no price yet, so it cannot be served. Ask the operator to set one.",
  "call.fileUnavailable": "The file at this address could not be fetched. Send it inline, as a data: URL.",
  "call.fileAddress": "This is not an address of the form https://host/path.",
  "call.fileNotHttps": "Only https:// addresses are fetched. Send the file inline, as a data: URL.",
  "call.fileRedirected":
    "This address redirects to another one, and redirects are not followed. Give the final address.",
  "call.fileKind": "The file at this address is not of a kind this model takes.",
  "call.fileTooLarge": "The file at this address is larger than {max} MiB.",
  "call.fileTimeout": "The file at this address did not arrive in time. Send it inline, as a data: URL.",
  "call.filesOff": "Files are not fetched by address here. Send the file inline, as a data: URL.",
} as const;
