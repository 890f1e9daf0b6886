/** Refusals of a call of the data plane. */

export const callTexts = {
  "call.bodiesFull": "Plaza is holding the maximum total size of request bodies. Try again shortly.",
  "call.stopped": "This Plaza process stopped before the response was complete. Send the request again.",
  "call.chargedApart":
    "'{param}' causes a separate charge at this model's upstream, for which no price is set. Remove it, or ask the operator to allow it.",
  "call.filesTooMany": "Plaza fetches at most {max} files by URL per request. Send the others inline.",
  "call.filesTooLarge": "The files at these URLs exceed {max} in total. Send fewer files.",
  "call.balanceUnread": "Plaza cannot read the balance right now. Try again shortly.",
  "call.fileUnknown":
    "'{param}' names a file stored at an upstream, which this account did not store through Plaza. Send the file itself.",
  "call.upstreamIdUnknown":
    "'{param}' names something that lies at an upstream, which this account did not get through Plaza. Leave it out.",
  "call.upstreamParted":
    "'{param}' names something that lies at one upstream, and this request cannot go there: the model has no deployment at it now, or another id lies elsewhere. Send the content itself, or let a new one be made.",
  "call.headerOdd": "The header '{name}' must have at most {max} visible ASCII characters.",
  "call.threadUnheld":
    "No conversation is held between calls. Send the whole conversation again; Anthropic's SDKs then do so by themselves.",
  "call.tokensUncounted": "No upstream of the model '{model}' counts tokens. Estimate them in the client.",
  "call.inputForMessages":
    "'messages' is missing, and 'input' belongs to the Responses format. Set the client to OpenAI's Responses API, which calls POST /v1/responses, or to send 'messages'.",
  "call.toolOfMessages":
    "'{param}' belongs to the Messages format. Send the schema as function.parameters of the tool, or set the client to Anthropic's API, which calls POST /v1/messages.",
  "call.messagesEmpty": "'{param}' must contain at least one message.",
  "call.streamOptionsAlone": "'stream_options' is only allowed when 'stream' is true.",
  "call.modelTooLong": "'model' is too long.",
  "call.modelEmpty": "'model' must not be empty.",
  "call.modelsTooMany": "'models' must contain at most {max} model IDs.",
  "call.modelsNotIds": "'models[{index}]' must be a model ID: a string of 1 to {max} characters.",
  "call.modelUnknown":
    "The model '{model}' does not exist or you do not have access to it. GET /v1/models lists the models of this key.",
  "call.requestUnread": "Plaza cannot read the request right now. Try again shortly.",
  "call.requestUnknown":
    "This API key has no such request. The ID is the response's x-request-id, available when the response is complete.",
  "call.stopping": "This Plaza process is stopping. Send the request again: another process will handle it.",
  "call.memoryShort": "Plaza is low on memory. Try again shortly.",
  "call.atCapacity": "Plaza is at capacity. Try again shortly.",
  "call.requestsFull": "Plaza is handling the maximum number of requests. Try again shortly.",
  "call.keyIncorrect": "Incorrect API key provided: {shown}. {why}",
  "call.keyMissing":
    "Incorrect API key provided: none was sent. Send it as a header: Authorization: Bearer sk-plaza-…",
  "call.keysDiffer":
    "Incorrect API key provided: {first} and {other} hold different keys. Send one key, in one place.",
  "call.keyForm":
    "Incorrect API key provided: the Authorization header must be of the form: Bearer sk-plaza-…",
  "call.keyNotOurs":
    "This is not a valid Plaza API key: keys begin with sk-plaza- and end with a checksum, which does not match. Check for typos or missing characters.",
  "call.keyOfOther":
    "This is a key of {service}, not of Plaza. Give the client a key that begins with sk-plaza-: in {settings}.",
  "call.addressUnknown": "This API key is restricted to certain IP addresses, and your address is unknown.",
  "call.addressOther": "This API key cannot be used from your IP address, {address}.",
  "call.keyRevoked": "The key was revoked. Use another one.",
  "call.keyDisabled": "The key is disabled. Enable it or use another one.",
  "call.keyExpired": "The key expired on {expired}. Use another one.",
  "call.keyEnded": "The key is no longer valid. Use another one.",
  "call.keyUnknown": "The key does not exist. Check that it belongs to this installation.",
  "call.keyUnchecked": "Plaza cannot verify the API key right now. Try again shortly.",
  "call.idempotencyKeyForm":
    "The header Idempotency-Key must be 1 to 255 visible ASCII characters, sent once.",
  "call.idempotencyUnchecked": "Plaza cannot check the Idempotency-Key right now. Try again shortly.",
  "call.idempotencyElsewhere":
    "The process that handled the request with this Idempotency-Key has stopped, and the response may still be on its machine. Try again later: you get that response, or Plaza runs the request again.",
  "call.idempotencyNotKept":
    "The request with this Idempotency-Key was answered and charged as {requestId}, but its response was too large to keep. Use a new key to run it again.",
  "call.stoppedAfterCaller":
    "Plaza stopped the response after the client disconnected. The generated part is charged.",
  "call.idempotencyOtherModel":
    "The response to this request came from a model that this API key cannot use. Repeat the request with the original key, or use a new Idempotency-Key.",
  "call.tooManyOfKey":
    "Plaza rejected too many requests with this API key. Fix the cause of the errors, then wait before you retry.",
  "call.tooManyOfAddress":
    "Plaza rejected too many requests from this address. Fix the cause of the errors, then wait before you retry.",
  "call.modelNotAllowed":
    "This API key is not allowed to use the model '{model}'. GET /v1/models lists the models of this key.",
  "call.wrongEndpoint": "The model '{model}' is for {operations}. Use POST {path}.",
  "call.modelNotServedYet":
    "The model '{model}' is for {operations}, which this version of Plaza does not support yet.",
  "call.operationLacking":
    "No upstream of the model '{model}' serves {operation}; ask the operator to give it one that does.",
  "call.modelNotPriced":
    "The model '{model}' has no price yet, so it is not callable. Ask the operator to set one.",
  "call.modelDisabled": "The operator has disabled the model '{model}'. Choose another one.",
  "call.fileUnavailable": "Plaza could not fetch the file at this URL. Send it inline, as a data: URL.",
  "call.fileAddress": "The URL must have the form https://host/path.",
  "call.fileNotHttps": "Plaza fetches only https:// URLs. Send the file inline, as a data: URL.",
  "call.fileRedirected": "This URL redirects, and Plaza does not follow redirects. Send the final URL.",
  "call.fileKind": "This model does not accept the type of the file at this URL.",
  "call.fileTooLarge": "The file at this URL is larger than {max} MiB.",
  "call.fileTimeout": "The file at this URL did not arrive in time. Send it inline, as a data: URL.",
  "call.filesOff": "This installation does not fetch files by URL. Send the file inline, as a data: URL.",
} as const;
