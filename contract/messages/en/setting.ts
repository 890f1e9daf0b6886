/** What the boot settings mean. */

export const settingTexts = {
  "setting.host": "Address to listen on; 0.0.0.0 or :: for every address of this machine.",
  "setting.port": "Port to listen on; 0 lets the system choose one.",
  "setting.tlsCert.unset": "none: plain HTTP",
  "setting.tlsCert":
    "Certificate chain in PEM form, the server's own certificate first; Plaza then serves HTTPS, on the console's own address too. Several files, separated by commas, for several host names. Read again when it changes (docs/operate/tls.md).",
  "setting.tlsKey.unset": "none",
  "setting.tlsKey":
    "Private key of `tlsCert` in PEM form, without a passphrase. Of several, in the same order.",
  "setting.dataDir": "Directory of the database and the key file, created if missing.",
  "setting.database":
    "Database for accounts, keys, the catalog and requests. Use the variable instead of the flag to keep a password out of the process list.",
  "setting.databaseWaitMs": "How long startup waits for a PostgreSQL server that does not respond yet.",
  "setting.databaseConnections":
    "Maximum PostgreSQL connections per process. Two more are used for the console's sums, and one during a schema change (docs/operate/operations.md explains the calculation).",
  "setting.migrate":
    "Who changes the schema of an older database: `auto`, every server and command before it works; `manual`, only `plaza migrate`, and servers and commands refuse until then (docs/operate/upgrades.md).",
  "setting.catalog.unset": "none: the previously applied catalog, or the demo model",
  "setting.catalog": "Catalog file (plaza.yaml). Applied at startup and on every change.",
  "setting.workers": "Number of processes that serve requests on the same port.",
  "setting.secretKey.unset": "the key file `secret.key` in the data directory, created if missing",
  "setting.secretKey":
    "Key that encrypts upstream credentials in the database. If you lose it, you must enter the credentials again.",
  "setting.operatorToken.unset":
    "none: the operator's paths respond only to programs on this machine, and not through a proxy",
  "setting.operatorToken":
    "Bearer token with all operator rights: the operator's paths, `/api/upstreams` and `/metrics`, and the whole console API. Do not give it to a monitor: use `metricsToken` instead.",
  "setting.metricsToken.unset":
    "none: `/metrics` accepts the operator token; without one, it responds only to programs on this machine",
  "setting.metricsToken": "Bearer token for `/metrics` only, for Prometheus.",
  "setting.transport":
    "Which code carries HTTP: `own`, Plaza's own connections, which need less CPU per request; `node`, the libraries that Node and undici provide. Upstreams and callers see no difference.",
  "setting.egressProxy.unset": "none: Plaza connects to upstreams directly",
  "setting.egressProxy":
    "HTTP proxy through which Plaza reaches upstreams (CONNECT), with its user and password. Upstreams on this machine (localhost, 127.0.0.0/8, ::1) are reached directly. It does not apply to files fetched for requests, which must be checked by address (docs/operate/security.md).",
  "setting.upstreamProxies.unset": "none: all upstreams are called as PLAZA_EGRESS_PROXY says",
  "setting.upstreamProxies":
    "Proxies of single upstreams, by id, separated by spaces; direct for none: vllm=direct openai=http://proxy.example.com:3128. They come before PLAZA_EGRESS_PROXY, also for upstreams on this machine.",
  "setting.logLevel": "Lowest level of log lines to write (to standard error).",
  "setting.logRequests":
    "Writes a log line for every recorded request: IDs, model, status, tokens, charge and times; never prompts or responses.",
  "setting.otlpEndpoint.unset": "none: no traces",
  "setting.otlpEndpoint":
    "OpenTelemetry collector that receives a trace of every recorded request: over HTTP at `/v1/traces` below this address, over gRPC at its host and port (also read from `OTEL_EXPORTER_OTLP_ENDPOINT`).",
  "setting.otlpProtocol":
    "How traces are sent to the collector: OTLP over HTTP in JSON or protobuf, or over gRPC (also read from `OTEL_EXPORTER_OTLP_PROTOCOL`).",
  "setting.otlpHeaders.unset": "none",
  "setting.otlpHeaders":
    "Headers, or gRPC metadata, sent to the collector (also read from `OTEL_EXPORTER_OTLP_HEADERS`).",
  "setting.publicUrl.unset": "`http://HOST:PORT/v1`, or with `https`",
  "setting.publicUrl":
    "The base_url shown to callers if it differs from the listen address, for example behind a proxy.",
  "setting.consoleListen.unset": "the console and its API are on the same address as `/v1`",
  "setting.consoleListen":
    "Separate address for the console and its API (`/api`). The address of `/v1` then serves neither, except `/api/upstreams`, which both serve.",
  "setting.healthListen.unset": "only on the address of `/v1`, where an overloaded process responds late",
  "setting.healthListen":
    "Separate address for `/healthz`, `/readyz` and `/metrics`, served by its own thread even when the process is busy; for probes (docs/operate/operations.md).",
  "setting.healthStallMs":
    "How long the event loop of a serving process may be blocked before `/healthz` on `healthListen` returns 503, so that an orchestrator restarts the process.",
  "setting.trustedProxies":
    "Networks of proxies in front of Plaza whose `X-Forwarded-For` Plaza trusts; the console also trusts their `X-Forwarded-Proto` and `-Host`.",
  "setting.oidcIssuer.unset": "none: people sign in with a password",
  "setting.oidcIssuer":
    "OpenID Connect provider for signing in; requires `oidcClientId` (docs/operate/console.md).",
  "setting.oidcClientId.unset": "none",
  "setting.oidcClientId":
    "Client ID of this installation at the provider. Its redirect URI is `https://CONSOLE/api/oidc/callback`.",
  "setting.oidcClientSecret.unset": "none: a public client",
  "setting.oidcClientSecret": "Client secret of this installation at the provider.",
  "setting.oidcName": 'Display name of the provider, used on the button "Sign in with …".',
  "setting.oidcSignUp":
    "Whether a person known to the provider but not invited gets a user and an empty account.",
  "setting.corsOrigins":
    "Web origins that may call `/v1` from a browser. Programs send keys explicitly, so `*` exposes nothing.",
  "setting.refusedCallsPerMinute":
    "Rejected requests per minute that Plaza checks, per API key and per address without a valid key. Plaza rejects further requests with 429 immediately and does not record them.",
  "setting.apiWritesPerMinute":
    "Changes per minute allowed for a console session, and requests per minute for an address that is not signed in. An operator token gets ten times as many.",
  "setting.bodyBytesMax":
    "Maximum size of a request body; for a compressed body, also of its decompressed size.",
  "setting.requestCompression":
    "Whether `/v1` accepts request bodies compressed with gzip or zstd. If off, they are rejected with 415.",
  "setting.jsonDepthMax": "Maximum nesting depth of objects and arrays in a request.",
  "setting.jsonValuesMax": "Maximum number of JSON values in a request.",
  "setting.headersTimeoutMs": "Time within which the headers of a request must arrive.",
  "setting.bodyStallMs": "Longest allowed pause while a request body arrives.",
  "setting.bodyRateMin":
    "Minimum average speed of an arriving request body, in bytes per second, measured after the first allowed pause.",
  "setting.keepAliveTimeoutMs":
    "How long Plaza keeps an idle client connection. Must be longer than in the proxy in front of Plaza.",
  "setting.connectionsMax":
    "Maximum client connections per process. Plaza closes further connections immediately.",
  "setting.inFlightMax":
    "Maximum concurrent requests per process. Further requests are rejected with 503 `overloaded`; requests with large bodies from three quarters of this value.",
  "setting.bodiesBytesMax":
    "Maximum total size of the request bodies in progress, per process. A single body is always accepted.",
  "setting.loopLagMaxMs":
    "Sustained event loop lag above which new requests are rejected with 503 `overloaded`.",
  "setting.heapPercentMax":
    "Share of the heap in use after a full garbage collection above which new requests are rejected with 503 `overloaded`.",
  "setting.successPercentMin":
    "Minimum share of successful requests of a model in about the last half minute. Below it, the status is `degraded`. Errors caused by callers do not count.",
  "setting.keepAliveCommentMs":
    "How long a stream may be silent before Plaza sends a comment line to keep the connection open.",
  "setting.eventBytesMax": "Maximum size of a single event in an upstream's stream.",
  "setting.answerBytesMax": "Maximum size of a complete (non-streamed) upstream response.",
  "setting.stalledReaderMs":
    "Plaza disconnects a client that reads nothing of its response for this long. Data in system buffers counts as read; of a larger response, the client must read up to 1 MB in this time.",
  "setting.idempotencyKeptMs":
    "How long Plaza keeps and returns the response to a request with an `Idempotency-Key`.",
  "setting.idempotencyBytesMax":
    "Maximum size of a response kept for its `Idempotency-Key`. Repeating a request with a larger response is rejected and not charged again.",
  "setting.shareReasoning":
    "Whether Plaza stores the reasoning that an upstream expects back in a tool loop, encrypted and for one day, for turns that reach another process (docs/operate/credentials.md). If off, each process keeps its own in memory.",
  "setting.fetchMedia":
    "Whether Plaza fetches files that a request names by URL for providers that need them inline; over https, from public addresses (docs/operate/security.md).",
  "setting.fetchMediaAllow":
    "Additional networks from which Plaza fetches files, also over http; on ports 80 and 443, or on the given port.",
  "setting.auditKeptMs":
    "How long Plaza keeps an audit log entry before deleting it. With `PLAZA_REQUESTS_ARCHIVE`, it is archived first, by whole UTC days.",
  "setting.responsesKeptMs":
    "How long answers of /v1/responses are kept for the caller's next turn (previous_response_id, item_reference). 0 keeps none.",
  "setting.refusalsKeptMs":
    "How long Plaza keeps the counts of rejected requests that it did not record, by key, reason and minute.",
  "setting.requestsKeptMs":
    "How long Plaza keeps the rows of requests before removing them, by whole UTC days; at least 7 days. Ledger entries and the sums of usage stay (docs/operate/operations.md).",
  "setting.requestsKeptMs.unset": "for ever",
  "setting.requestsArchive":
    "Folder that must exist, or `s3://bucket/prefix`, where the requests and the audit log of a day are written before they are removed. If it cannot be written, nothing is removed.",
  "setting.requestsArchive.unset": "not archived",
  "setting.archiveFormat":
    "Format of the files in the archive: compressed CSV, or Parquet with 64-bit amounts and timestamps.",
  "setting.lameDuckMs":
    "How long a process continues to serve after SIGTERM while `/readyz` already fails and responses carry `Connection: close`. Must be longer than the load balancer needs to notice.",
  "setting.drainMs": "How long a stopping process then waits for running requests to finish.",
} as const;
