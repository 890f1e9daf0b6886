/** Why something cannot be connected, and why the machine's identity gives no credential. */

export const connectTexts = {
  "connect.serviceUnknown":
    "unknown service {service}{guess}; you can also give a base URL, for example http://127.0.0.1:8000/v1",
  "connect.noSuchService":
    "unknown service{guess}; you can also give a base URL, for example http://127.0.0.1:8000/v1",
  "connect.baseUrl": "the base URL: {fault}",
  "connect.addressUnknown": "{service} has no fixed address: enter its base URL, for example {form}",
  "connect.serviceEnded": "{service} was discontinued on {on}. {note}",
  "connect.nothingSaid": "name what to connect: a service ({services}) or a base URL",
  "connect.timeout": "{place} did not send a complete response within {time}",
  "connect.tooLarge": "{place} sent more than {megabytes} MB, which is not a list of models",
  "connect.nothingListens": "connection refused; check that the server is running",
  "connect.hostUnknown": "host not found",
  "connect.lookupFailed": "DNS lookup failed",
  "connect.connectTimeout": "no connection within {time}",
  "connect.failed": "the connection failed",
  "connect.failedWithCode": "the connection failed ({code})",
  "connect.proxyAnswered": "the proxy to it answered {status}",
  "connect.proxyBroke": "the proxy to it broke off or does not speak HTTP",
  "connect.unreachable": "cannot reach {place}: {why}",
  "connect.noToken": "no token was returned for the credential",
  "connect.tokenRefused": "{place} did not issue a token for the credential ({status}); nothing was saved",
  "connect.credentialBroken": "the credential cannot be exchanged for a token; nothing was saved",
  "connect.redirects":
    "{place} redirects ({status}), and Plaza does not follow redirects: enter the new address",
  "connect.redirectsTo":
    "{place} redirects to {to} ({status}), and Plaza does not follow redirects: enter the new address",
  "connect.credentialMissing": "{place} requires a credential ({status})",
  "connect.credentialRefused": "{place} rejects the credential ({status}); nothing was saved",
  "connect.accountUsedUp": "{place} reports that the account is unpaid or out of quota ({status})",
  "connect.otherStatus": "{place} returned status {status} instead of a list of models",
  "connect.noList":
    "{place} returned {what:page=a web page|other=another document} instead of a list of models: check that this is the base URL of an API",
  "connect.nameNotOneLine": "its name is not a single line of at most {max} characters",
  "connect.notServedYet": "this version of Plaza does not support {operations} yet",
  "connect.modelIsFor": "the model with this ID is for {operations}",
  "connect.noChatModel": "not a chat model",
  "connect.noChatModelBut": "not a chat model ({kind})",
  "identity.notSupported": "provider {provider} has no workload identity",
  "identity.noAnswer": "workload identity: {place} did not answer within {time}",
  "identity.unreachable": "workload identity: cannot reach {place} ({code})",
  "identity.refused": "workload identity: {place} gave no credentials ({status}{reason})",
  "identity.unreadable": "workload identity: {place} answered, but not with credentials",
  "identity.expired": "workload identity: the credentials of {place} have expired",
  "identity.setting": "workload identity: {name} is not set, or not usable",
  "identity.file": "workload identity: the file named by {name} cannot be read",
  "identity.fileContent": "workload identity: the file named by {name} is not usable ({field})",
  "identity.noRole": "workload identity: this machine has no role (asked {place})",
  "identity.hops":
    "workload identity: {place} did not answer within {time}. Outside AWS there is none; in a container the hop limit of the instance's metadata options must be 2",
} as const;
