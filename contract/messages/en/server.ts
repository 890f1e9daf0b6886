/** Paths, heads and addresses of the server. */

export const serverTexts = {
  "server.routeUnknown": "There is no such route; /api/openapi.json lists them.",
  "server.checkRunning": "A check is running already. Wait for its result.",
  "server.cursorUnknown": "This is not where a page of this list begins. Ask for the first page again.",
  "server.badEncoding": "The path is not valid percent-encoding.",
  "server.onlyHealth": "There are /healthz, /readyz and /metrics at this address.",
  "server.noFigures": "There are no figures yet.",
  "server.getOnly": "This address takes GET, HEAD only.",
  "server.nothingAt": "There is nothing at {method} {path}. {help}",
  "server.endpointHelp": "The endpoint is POST {{base_url}}/chat/completions, where base_url ends in /v1.",
  "server.takesOnly": "{path} takes {allow} only.",
  "server.hostHeader": "There must be exactly one Host header.",
  "server.hostForm": "The Host header must be a host name with an optional port.",
  "server.targetForm": "The request target must be a path, like /v1/chat/completions.",
  "server.getWithBody": "A GET request must have no body.",
  "server.http10Coding": "HTTP/1.0 has no Transfer-Encoding; send a Content-Length.",
  "server.headersTooMany": "A request must have at most {max} headers.",
  "server.headLate": "The request head did not arrive in time.",
  "server.headTooLarge": "The request head is too large.",
  "server.notHttp": "This is not a well-formed HTTP/1.1 request.",
  "server.operatorNear":
    "This address is the operator's. Without an operator token it answers programs on Plaza's own machine only; set PLAZA_OPERATOR_TOKEN to use it from elsewhere or through a proxy.",
  "server.operatorToken":
    "This address is the operator's. Send its token, set with PLAZA_OPERATOR_TOKEN, as `Authorization: Bearer …`.",
  "server.metricsNear":
    "Without a token, metrics are for programs on Plaza's own machine; set PLAZA_METRICS_TOKEN to read them from elsewhere.",
  "server.metricsToken":
    "Metrics are the operator's. Send PLAZA_METRICS_TOKEN, or an operator token with the scope health:read, as `Authorization: Bearer …`.",
} as const;
