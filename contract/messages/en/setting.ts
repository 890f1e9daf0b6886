/** What the boot settings mean. */

export const settingTexts = {
  "setting.host": "Address to listen on; 0.0.0.0 or :: for every address of this machine.",
  "setting.port": "Port to listen on; 0 lets the system choose one.",
  "setting.dataDir": "Directory of the database and the key file; made when it is missing.",
  "setting.database":
    "Where accounts, keys, the catalog and the requests are kept. The variable rather than the flag keeps a password out of the list of processes.",
  "setting.databaseWaitMs": "How long a start waits for a PostgreSQL server that does not answer yet.",
  "setting.databaseConnections":
    "Most connections of one process to PostgreSQL, but for two more of the console's sums and one while the schema is changed (docs/operate/operations.md has the arithmetic).",
  "setting.catalog.unset": "none: what was applied before, or the demo model",
  "setting.catalog": "Catalog file (plaza.yaml) that is applied at the start and again whenever it changes.",
  "setting.workers": "Processes that serve requests on the one port.",
  "setting.secretKey.unset": "the key file `secret.key` in the data directory, made when it is missing",
  "setting.secretKey":
    "Key that seals upstream credentials in the database. Lose it and they must be entered again.",
  "setting.operatorToken.unset":
    "none: the operator's paths answer programs on this machine only, and nothing that came through a proxy",
  "setting.operatorToken":
    "Bearer token with every right of an operator: the operator's paths, `/api/upstreams` and `/metrics`, and the whole console API. Never give it to a monitor; that is what `metricsToken` is for.",
  "setting.metricsToken.unset":
    "none: `/metrics` takes the operator's token, or without one answers programs on this machine only",
  "setting.metricsToken": "Bearer token of `/metrics` that opens nothing else, for Prometheus.",
  "setting.logLevel": "Least important log lines to write (on standard error).",
  "setting.logRequests":
    "A log line for every request that has a row: ids, model, status, tokens, charge and times; never prompts or answers.",
  "setting.otlpEndpoint.unset": "none: no traces",
  "setting.otlpEndpoint":
    "OpenTelemetry collector that gets a trace of every request that has a row, as OTLP over HTTP in JSON, at `/v1/traces` below this address (also read from `OTEL_EXPORTER_OTLP_ENDPOINT`).",
  "setting.otlpHeaders.unset": "none",
  "setting.otlpHeaders": "Headers sent to the collector (also read from `OTEL_EXPORTER_OTLP_HEADERS`).",
  "setting.publicUrl.unset": "`http://HOST:PORT/v1`",
  "setting.publicUrl":
    "The base_url shown to callers, where it is not the address listened on (behind a proxy, for example).",
  "setting.consoleListen.unset": "the console and its API are on the same address as `/v1`",
  "setting.consoleListen":
    "Another address for the console and its API, `/api`; then the address of `/v1` has neither, but for `/api/upstreams`, which both answer.",
  "setting.healthListen.unset": "only on the address of `/v1`, where an overloaded process answers late",
  "setting.healthListen":
    "Another address for `/healthz`, `/readyz` and `/metrics`, answered by a thread of its own however busy the process is; for probes (docs/operate/operations.md).",
  "setting.healthStallMs":
    "How long the event loop of a serving process may stand still before `/healthz` on `healthListen` is 503, so that an orchestrator restarts it.",
  "setting.trustedProxies":
    "Networks of proxies before Plaza whose `X-Forwarded-For` is believed, and by the console `X-Forwarded-Proto` and `-Host`.",
  "setting.oidcIssuer.unset": "none: people sign in with a password",
  "setting.oidcIssuer":
    "OpenID Connect provider that people may sign in with; needs `oidcClientId` (docs/operate/console.md).",
  "setting.oidcClientId.unset": "none",
  "setting.oidcClientId":
    "Client id of this installation at the provider; its redirect URI there is `https://CONSOLE/api/oidc/callback`.",
  "setting.oidcClientSecret.unset": "none: a public client",
  "setting.oidcClientSecret": "Client secret of this installation at the provider.",
  "setting.oidcName": 'What people call the provider: the button says "Sign in with …".',
  "setting.oidcSignUp":
    "Whether somebody the provider knows and nobody invited gets a user with an empty account.",
  "setting.corsOrigins":
    "Web pages that may call `/v1` from a browser; keys are sent by hand, so `*` gives nothing away.",
  "setting.refusedCallsPerMinute":
    "Refused calls per minute of one API key, and of one address without a good key, that are looked at; more are answered 429 at once, without a row.",
  "setting.apiWritesPerMinute":
    "Changes a session of the console may make per minute, and calls of those not signed in from one address; an operator token ten times as many.",
  "setting.bodyBytesMax": "Largest request body; of a compressed one also what it unpacks to.",
  "setting.requestCompression":
    "Whether request bodies of `/v1` may be compressed, with gzip or zstd. Off: they are refused with 415.",
  "setting.jsonDepthMax": "Deepest nesting of objects and arrays in a request.",
  "setting.jsonValuesMax": "Most JSON values in a request.",
  "setting.headersTimeoutMs": "Time in which the headers of a request must arrive.",
  "setting.bodyStallMs": "Longest pause within an arriving request body.",
  "setting.bodyRateMin":
    "Least average speed of an arriving request body, in bytes per second, after the first pause allowed.",
  "setting.keepAliveTimeoutMs":
    "How long an idle connection of a caller is kept; more than the proxy in front of Plaza keeps it.",
  "setting.connectionsMax": "Most connections of callers per process; more are closed at once.",
  "setting.inFlightMax":
    "Most requests served at a time per process; more are refused with 503 `overloaded` (those with large bodies from three quarters of it on).",
  "setting.bodiesBytesMax":
    "Most bytes of the bodies of all requests in flight together, per process; a body that is alone is taken whatever this says.",
  "setting.loopLagMaxMs":
    "How long the process's event loop may be late, not for a moment but for good, before new requests are refused with 503 `overloaded`.",
  "setting.heapPercentMax":
    "Share of the heap that may be in use after a full collection before new requests are refused with 503 `overloaded`.",
  "setting.successPercentMin":
    "Share of a model's calls of about the last half minute that have to go well, or its status is `degraded`; callers' own faults do not count.",
  "setting.keepAliveCommentMs":
    "How long a stream is silent before a comment line is sent to keep the connection alive.",
  "setting.eventBytesMax": "Largest single event of an upstream's stream.",
  "setting.answerBytesMax": "Largest whole (not streamed) answer of an upstream.",
  "setting.stalledReaderMs":
    "A caller that takes none of its answer for this long is dropped. What the system's buffers hold counts as taken; of an answer larger than they are, a caller must take up to 1 MB in this time.",
  "setting.idempotencyKeptMs":
    "How long the answer of a call with an `Idempotency-Key` is kept and given again.",
  "setting.idempotencyBytesMax":
    "Largest answer that is kept for its `Idempotency-Key`; repeating a call with a larger one is refused, and not charged again.",
  "setting.shareReasoning":
    "Whether the reasoning an upstream wants back in a tool loop is stored for a day, sealed, for turns that reach another process (docs/operate/credentials.md). Off: each process remembers its own, in memory.",
  "setting.fetchMedia":
    "Whether files that a request names by address are fetched for providers that need them inlined (google, vertex-anthropic, bedrock); over https, from public addresses (docs/operate/security.md).",
  "setting.fetchMediaAllow":
    "Networks beside the public ones from which files are fetched, also over http; on ports 80 and 443, or on the one port given.",
  "setting.auditKeptMs": "How long a line of the audit log is kept; after that it is deleted for good.",
  "setting.refusalsKeptMs":
    "How long the counts of refused calls without a row are kept, by key, reason and minute; after that they are deleted for good.",
  "setting.lameDuckMs":
    "How long a process told to stop (SIGTERM) goes on as ever, while `/readyz` is red already and answers carry `Connection: close`; more than a load balancer takes to notice.",
  "setting.drainMs": "How long a stopping process then lets running requests finish.",
} as const;
