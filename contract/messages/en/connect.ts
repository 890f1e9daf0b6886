/** Why something cannot be connected. */

export const connectTexts = {
  "connect.serviceUnknown":
    "there is no service {service}{guess}; or give a base URL like http://127.0.0.1:8000/v1",
  "connect.noSuchService":
    "there is no such service{guess}; or give a base URL like http://127.0.0.1:8000/v1",
  "connect.baseUrl": "the base URL: {fault}",
  "connect.addressUnknown": "only you know where {service} is: give its base URL, like {form}",
  "connect.serviceEnded": "{service} ended on {on}. {note}",
  "connect.nothingSaid": "say what to connect: a service ({services}) or a base URL",
  "connect.timeout": "{place} did not answer whole within {time}",
  "connect.tooLarge": "{place} answers with more than {megabytes} MB: that is no list of models",
  "connect.nothingListens": "nothing listens there; is the server running?",
  "connect.hostUnknown": "there is no host of this name",
  "connect.lookupFailed": "the name could not be looked up",
  "connect.connectTimeout": "no connection within {time}",
  "connect.failed": "the connection failed",
  "connect.failedWithCode": "the connection failed ({code})",
  "connect.unreachable": "{place} cannot be reached: {why}",
  "connect.noToken": "no token for the credential came from there",
  "connect.tokenRefused": "{place} gives no token for the credential ({status}); nothing was written",
  "connect.credentialBroken": "the credential is not what can be exchanged for a token; nothing was written",
  "connect.redirects":
    "{place} redirects ({status}), which is not followed: give the address it has moved to",
  "connect.redirectsTo":
    "{place} redirects to {to} ({status}), which is not followed: give the address it has moved to",
  "connect.credentialMissing": "{place} wants a credential ({status})",
  "connect.credentialRefused": "{place} refuses the credential ({status}); nothing was written",
  "connect.accountUsedUp": "{place} answers that the account is not paid for or used up ({status})",
  "connect.otherStatus": "{place} answers with status {status} instead of a list of models",
  "connect.noList":
    "{place} answers with {what:page=a web page|other=something else} instead of a list of models: is this the base URL of an API?",
  "connect.nameNotOneLine": "its name is not one line of at most {max} characters",
  "connect.notServedYet": "this version of Plaza does not serve {operations} yet",
  "connect.modelIsFor": "the model of this id is for {operations}",
  "connect.noChatModel": "no chat model",
  "connect.noChatModelBut": "no chat model ({kind})",
} as const;
