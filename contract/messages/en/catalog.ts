/** Changes of the catalog in the console, and upstreams. */

export const catalogTexts = {
  "catalog.variableNotOwn": "{service} does not use this variable for its key at this address.",
  "catalog.variableUnset": "The environment variable {variable} is not set.",
  "catalog.credentialNeeded": "{service} needs a credential.",
  "catalog.credentialsUnreadable":
    "Plaza cannot decrypt the stored credentials. Enter them again on the upstream's page.",
  "catalog.upstreamUnknown": "Upstream {id} not found.",
  "catalog.modelUnknown": "Model {id} not found.",
  "catalog.credentialsAgain":
    "Enter the credentials again. The stored ones belong to the previous address and provider.",
  "catalog.modelOfFile": "{id} is a model of plaza.yaml: add a deployment there, or choose another ID",
  "catalog.modelOfFileHere":
    "plaza.yaml already defines this model. Add a deployment there, or choose another ID.",
  "catalog.idTwice": "Item {number} of the list uses the same ID.",
  "catalog.limitsOfFile": "The catalog file manages the limits. Change them there.",
  "catalog.usedByModels": "Models use this upstream: {models}. Change or remove them first.",
  "catalog.fallenBackTo": "Models use this one as a fallback: {models}. Change them first.",
  "catalog.fallbackLoop": "The fallbacks form a loop that leads back to this model.",
  "catalog.thingUnknown": "{what:upstream=Upstream|model=Model|limits=Limits} {id} not found.",
  "catalog.thingOfFile": "The catalog file manages the {what} {id}. Change it there.",
  "catalog.thingExists":
    "{what:upstream=An upstream|model=A model|limits=Limits} {id} already {what:limits=exist|*=exists}.",
  "catalog.full": "The catalog already has {max} {what}s, the maximum. Remove some first.",
  "catalog.thingRemoved": "Another user removed the {what} {id} while you were editing.",
  "catalog.andMore": "{names}, {more} more",
  "upstream.words": "{text}",
  "upstream.tooLarge": "The upstream rejected the request because it is too large.",
  "upstream.refusedGateway":
    "The upstream that serves this model rejected Plaza's credential or configuration. Contact the operator.",
  "upstream.limiting": "The upstream that serves this model is rate limiting requests. Try again shortly.",
  "upstream.overMinute":
    "This request exceeds the upstream's per-minute limit. Retrying does not help. Send a smaller request.",
  "upstream.overloaded": "The upstream that serves this model is overloaded. Try again shortly.",
  "upstream.contextMax": "This model's maximum context length is {limit} tokens.",
  "upstream.withDetail": "{beginning} {detail}",
  "upstream.shorten": "Shorten the messages, request less output, or choose a model with a larger context.",
  "upstream.changePrompt": "Change the prompt: repeating it gives the same result.",
} as const;
