/** What the boot settings mean, in Chinese: texts of `server/src/config/config-settings.ts`. See `../server-sentences.ts`. */

/** English sentence → Chinese. */
export const settingSentences: Readonly<Record<string, string>> = {
  "Address to listen on; 0.0.0.0 or :: for every address of this machine.":
    "监听的地址；0.0.0.0 或 :: 表示本机的所有地址。",
  "Port to listen on; 0 lets the system choose one.": "监听的端口；0 表示由系统选择。",
  "Directory of the database and the key file; made when it is missing.":
    "数据库和密钥文件所在的目录；不存在时自动创建。",
  "Where accounts, keys, the catalog and the requests are kept. The variable rather than the flag keeps a password out of the list of processes.":
    "账户、密钥、目录和请求的存放处。用环境变量而不是命令行选项，可避免密码出现在进程列表中。",
  "Catalog file (plaza.yaml) that is applied at the start and again whenever it changes.":
    "目录文件（plaza.yaml），启动时应用，此后每次改动都会再次应用。",
  "none: what was applied before, or the demo model": "无：使用先前应用的目录，或演示模型",
  "Processes that serve requests on the one port.": "在同一端口上处理请求的进程数。",
  "Key that seals upstream credentials in the database. Lose it and they must be entered again.":
    "用于加密数据库中上游凭据的密钥。丢失后必须重新输入凭据。",
  "the key file `secret.key` in the data directory, made when it is missing":
    "数据目录中的密钥文件 `secret.key`，不存在时自动创建",
  "Bearer token with every right of an operator: the operator's paths, `/api/upstreams` and `/metrics`, and the whole console API. Never give it to a monitor; that is what `metricsToken` is for.":
    "拥有运营者全部权限的 Bearer 令牌：运营者路径 `/api/upstreams` 和 `/metrics`，以及整个控制台 API。切勿交给监控系统；监控应使用 `metricsToken`。",
  "Bearer token of `/metrics` that opens nothing else, for Prometheus.":
    "仅用于 `/metrics` 的 Bearer 令牌，供 Prometheus 使用，不能打开其他路径。",
  "none: `/metrics` takes the operator's token, or without one answers programs on this machine only":
    "无：`/metrics` 接受运营者令牌；若也未设置，则只回应本机上的程序",
  "How long a start waits for a PostgreSQL server that does not answer yet.":
    "启动时等待尚未应答的 PostgreSQL 服务器的时间。",
  "Most connections of one process to PostgreSQL, but for two more of the console's sums and one while the schema is changed (docs/operate/operations.md has the arithmetic).":
    "单个进程到 PostgreSQL 的最大连接数；控制台汇总另用两个，更改数据库结构时另用一个（计算方法见 docs/operate/operations.md）。",
  "none: the operator's paths answer programs on this machine only, and nothing that came through a proxy":
    "无：运营者路径只回应本机上的程序，不回应经代理而来的请求",
  "Least important log lines to write (on standard error).": "写入日志的最低级别（输出到标准错误）。",
  "A log line for every request that has a row: ids, model, status, tokens, charge and times; never prompts or answers.":
    "每个请求写一行日志：标识、模型、状态、token、费用和时间；从不包含提示词或回答。",
  "OpenTelemetry collector that gets a trace of every request that has a row, as OTLP over HTTP in JSON, at `/v1/traces` below this address (also read from `OTEL_EXPORTER_OTLP_ENDPOINT`).":
    "接收每个请求追踪数据的 OpenTelemetry 收集器：以 JSON 格式的 OTLP/HTTP 发送到此地址下的 `/v1/traces`（也读取 `OTEL_EXPORTER_OTLP_ENDPOINT`）。",
  "none: no traces": "无：不发送追踪数据",
  "Headers sent to the collector (also read from `OTEL_EXPORTER_OTLP_HEADERS`).":
    "发送给收集器的请求头（也读取 `OTEL_EXPORTER_OTLP_HEADERS`）。",
  none: "无",
  "The base_url shown to callers, where it is not the address listened on (behind a proxy, for example).":
    "向调用方显示的 base_url，用于它与监听地址不同的情况（例如在代理之后）。",
  "Another address for the console and its API, `/api`; then the address of `/v1` has neither, but for `/api/upstreams`, which both answer.":
    "控制台及其 API（`/api`）的另一个地址；设置后 `/v1` 的地址上两者都没有，只有 `/api/upstreams` 在两处都应答。",
  "the console and its API are on the same address as `/v1`": "控制台及其 API 与 `/v1` 在同一地址",
  "Networks of proxies before Plaza whose `X-Forwarded-For` is believed, and by the console `X-Forwarded-Proto` and `-Host`.":
    "Plaza 前面受信任的代理所在的网络：相信其 `X-Forwarded-For`，控制台还相信 `X-Forwarded-Proto` 和 `-Host`。",
  "OpenID Connect provider that people may sign in with; needs `oidcClientId` (docs/operate/console.md).":
    "可用于登录的 OpenID Connect 身份提供方；需要 `oidcClientId`（见 docs/operate/console.md）。",
  "none: people sign in with a password": "无：使用密码登录",
  "Client id of this installation at the provider; its redirect URI there is `https://CONSOLE/api/oidc/callback`.":
    "本站点在身份提供方的客户端标识；回调地址为 `https://CONSOLE/api/oidc/callback`。",
  "Client secret of this installation at the provider.": "本站点在身份提供方的客户端密钥。",
  "none: a public client": "无：公开客户端",
  'What people call the provider: the button says "Sign in with …".': "身份提供方的名称，显示在登录按钮上。",
  "Whether somebody the provider knows and nobody invited gets a user with an empty account.":
    "未被邀请、但身份提供方认识的人，是否自动获得一个用户和空账户。",
  "Web pages that may call `/v1` from a browser; keys are sent by hand, so `*` gives nothing away.":
    "可从浏览器调用 `/v1` 的网页；密钥由程序自行发送，因此 `*` 不会泄露任何内容。",
  "Largest request body; of a compressed one also what it unpacks to.":
    "请求体的最大字节数；压缩的请求体还按解压后的大小计算。",
  "Whether request bodies of `/v1` may be compressed, with gzip or zstd. Off: they are refused with 415.":
    "`/v1` 的请求体是否可以压缩（gzip 或 zstd）。关闭时以 415 拒绝。",
  "Deepest nesting of objects and arrays in a request.": "请求中对象和数组的最大嵌套层数。",
  "Most JSON values in a request.": "请求中 JSON 值的最大数量。",
  "Time in which the headers of a request must arrive.": "请求头必须在此时间内到达。",
  "Longest pause within an arriving request body.": "请求体到达过程中允许的最长停顿。",
  "Least average speed of an arriving request body, in bytes per second, after the first pause allowed.":
    "请求体到达的最低平均速度（字节每秒），从允许的首次停顿之后算起。",
  "How long an idle connection of a caller is kept; more than the proxy in front of Plaza keeps it.":
    "调用方空闲连接的保留时间；应长于 Plaza 前面代理的保留时间。",
  "Most connections of callers per process; more are closed at once.":
    "每个进程的最大调用方连接数；超出的立即关闭。",
  "Most requests served at a time per process; more are refused with 503 `overloaded` (those with large bodies from three quarters of it on).":
    "每个进程同时处理的最大请求数；超出的以 503 `overloaded` 拒绝（请求体大的从四分之三起）。",
  "Most bytes of the bodies of all requests in flight together, per process; a body that is alone is taken whatever this says.":
    "每个进程中所有进行中请求的请求体总字节上限；单独的一个请求体不受此限。",
  "How long the process's event loop may be late, not for a moment but for good, before new requests are refused with 503 `overloaded`.":
    "进程事件循环持续（而非瞬时）延迟超过此值时，新请求以 503 `overloaded` 拒绝。",
  "Share of the heap that may be in use after a full collection before new requests are refused with 503 `overloaded`.":
    "完整垃圾回收后堆的占用比例超过此值时，新请求以 503 `overloaded` 拒绝。",
  "How long a stream is silent before a comment line is sent to keep the connection alive.":
    "流静默超过此时间时，发送一行注释以保持连接。",
  "Largest single event of an upstream's stream.": "上游流中单个事件的最大字节数。",
  "Largest whole (not streamed) answer of an upstream.": "上游完整（非流式）回答的最大字节数。",
  "A caller that takes none of its answer for this long is dropped. What the system's buffers hold counts as taken; of an answer larger than they are, a caller must take up to 1 MB in this time.":
    "在这段时间内完全不接收回答的调用方会被断开。系统缓冲区中的内容视为已接收；若回答大于缓冲区，调用方在此时间内须接收至多 1 MB。",
  "How long the answer of a call with an `Idempotency-Key` is kept and given again.":
    "带 `Idempotency-Key` 的调用，其回答的保留和重复返回时间。",
  "Largest answer that is kept for its `Idempotency-Key`; repeating a call with a larger one is refused, and not charged again.":
    "为 `Idempotency-Key` 保留的回答的最大字节数；回答更大的调用在重复时会被拒绝，且不再收费。",
  "Whether the reasoning an upstream wants back in a tool loop is stored for a day, sealed, for turns that reach another process (docs/operate/credentials.md). Off: each process remembers its own, in memory.":
    "上游在工具循环中要求传回的推理内容是否加密保存一天，供到达其他进程的后续轮次使用（docs/operate/credentials.md）。关闭时，每个进程只在内存中保留自己的。",
  "Whether files that a request names by address are fetched for providers that need them inlined (google, vertex-anthropic, bedrock); over https, from public addresses (docs/operate/security.md).":
    "对于需要内嵌文件的提供方（google、bedrock），是否代为获取请求中以地址引用的文件；仅限 https 和公网地址（见 docs/operate/security.md）。",
  "Networks beside the public ones from which files are fetched, also over http; on ports 80 and 443, or on the one port given.":
    "除公网之外，可从中获取文件的网络，也允许 http；限 80 和 443 端口，或所给的端口。",
  "How long a line of the audit log is kept; after that it is deleted for good.":
    "审计日志每一行的保留时间；之后永久删除。",
  "How long the counts of refused calls without a row are kept, by key, reason and minute; after that they are deleted for good.":
    "没有记录的被拒调用，其计数（按密钥、原因和分钟）的保留时间；之后永久删除。",
  "How long a process told to stop (SIGTERM) goes on as ever, while `/readyz` is red already and answers carry `Connection: close`; more than a load balancer takes to notice.":
    "进程收到停止信号（SIGTERM）后照常服务的时间，此时 `/readyz` 已为未就绪，回答带有 `Connection: close`；应长于负载均衡器察觉所需的时间。",
  "How long a stopping process then lets running requests finish.":
    "此后停止中的进程让进行中的请求完成的时间。",
  "Another address for `/healthz`, `/readyz` and `/metrics`, answered by a thread of its own however busy the process is; for probes (docs/operate/operations.md).":
    "`/healthz`、`/readyz` 和 `/metrics` 的另一个地址，由独立线程应答，不受进程繁忙影响；用于探针（见 docs/operate/operations.md）。",
  "only on the address of `/v1`, where an overloaded process answers late":
    "仅在 `/v1` 的地址上，过载的进程在那里应答较慢",
  "How long the event loop of a serving process may stand still before `/healthz` on `healthListen` is 503, so that an orchestrator restarts it.":
    "服务进程的事件循环停滞多久后，`healthListen` 上的 `/healthz` 返回 503，以便编排系统重启它。",
  "Changes a session of the console may make per minute, and calls of those not signed in from one address; an operator token ten times as many.":
    "控制台的一个会话每分钟可做的更改数，以及同一地址上未登录者的调用数；运营者令牌为其十倍。",
  "Refused calls per minute of one API key, and of one address without a good key, that are looked at; more are answered 429 at once, without a row.":
    "每分钟逐一处理的被拒调用数，按单个 API 密钥，以及没有有效密钥的单个地址计算；超出部分立即返回 429，不写记录。",
  "Share of a model's calls of about the last half minute that have to go well, or its status is `degraded`; callers' own faults do not count.":
    "一个模型最近约半分钟内须成功的调用比例，否则其状态为 `degraded`；调用方自身的错误不计入。",
};
