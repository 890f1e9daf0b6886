/** Paths, heads and addresses of the server. */

export const serverTexts = {
  "server.routeUnknown": "Unknown route. /api/openapi.json lists all routes.",
  "server.checkRunning": "A self-check is already running. Wait for its result.",
  "server.liveFull": "There are too many live views. Close one, or try again later.",
  "server.cursorUnknown": "Invalid page cursor. Start again from the first page.",
  "server.badEncoding": "The path is not valid percent-encoding.",
  "server.onlyHealth": "This address serves only /healthz, /readyz and /metrics.",
  "server.noFigures": "No metrics yet.",
  "server.getOnly": "This address supports only GET and HEAD.",
  "server.nothingAt": "Not found: {method} {path}. {help}",
  "server.endpointHelp": "Plaza serves POST {paths}. Set the client's base URL so that it ends in /v1.",
  "server.takesOnly": "{path} supports only {allow}.",
  "server.hostHeader": "Send exactly one Host header.",
  "server.hostForm": "The Host header must be a host name with an optional port.",
  "server.targetForm": "The request target must be a path, for example /v1/chat/completions.",
  "server.getWithBody": "A GET request must have no body.",
  "server.http10Coding": "HTTP/1.0 does not support Transfer-Encoding. Send a Content-Length.",
  "server.headersTooMany": "A request can have at most {max} headers.",
  "server.headLate": "The request headers did not arrive in time.",
  "server.headTooLarge": "The request headers are too large.",
  "server.plainHttp": "This port speaks HTTPS: begin the URL with https://.",
  "server.notHttp": "This is not a well-formed HTTP/1.1 request.",
  "server.operatorNear":
    "Only the operator can use this address. Without an operator token, Plaza serves it only to programs on its own machine. To use it from another machine or through a proxy, set PLAZA_OPERATOR_TOKEN.",
  "server.operatorToken":
    "Only the operator can use this address. Send the token set in PLAZA_OPERATOR_TOKEN as `Authorization: Bearer …`.",
  "server.metricsNear":
    "Without a token, Plaza serves metrics only to programs on its own machine. To read them from another machine, set PLAZA_METRICS_TOKEN.",
  "server.metricsToken":
    "Metrics require a token. Send PLAZA_METRICS_TOKEN, or an operator token with the scope health:read, as `Authorization: Bearer …`.",
} as const;
