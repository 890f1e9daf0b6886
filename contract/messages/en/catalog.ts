/** Changes of the catalog in the console. */

export const catalogTexts = {
  "catalog.variableNotOwn": "The variable is not one in which {service} keeps its key at this address.",
  "catalog.variableUnset": "The environment variable {variable} is not set.",
  "catalog.credentialNeeded": "{service} needs a credential.",
  "catalog.credentialsUnreadable":
    "The stored credentials cannot be opened; give them again at the upstream.",
  "catalog.upstreamUnknown": "There is no upstream {id}.",
  "catalog.modelUnknown": "There is no model {id}.",
  "catalog.credentialsAgain":
    "Give the credentials again: those that are stored are for the address and provider it had.",
  "catalog.modelOfFile": "{id} is a model of plaza.yaml: add a deployment there, or give this one another id",
  "catalog.modelOfFileHere":
    "This is a model of plaza.yaml: add a deployment there, or give this one another id.",
  "catalog.idTwice": "This is the id of number {number} of the list, too.",
  "catalog.limitsOfFile": "The limits come from the catalog file and are changed there.",
  "catalog.usedByModels": "Models are served by this upstream: {models}. Change or remove them first.",
  "catalog.fallenBackTo": "Models fall back to this one: {models}. Change them first.",
  "catalog.fallbackLoop": "The fallbacks lead back to this model.",
  "catalog.thingUnknown": "There is no {what} {id}.",
  "catalog.thingOfFile": "The {what} {id} comes from the catalog file and is changed there.",
  "catalog.thingExists": "There is {what:upstream=an upstream|model=a model|limits=a limits} {id} already.",
  "catalog.full": "A catalog has at most {max} {what}s. Remove some first.",
  "catalog.thingRemoved": "The {what} {id} was removed meanwhile.",
  "catalog.andMore": "{names}, {more} more",
} as const;
