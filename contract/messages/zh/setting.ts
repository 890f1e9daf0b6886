/** What the boot settings mean, in Chinese. */

export const settingTexts = {
  "setting.host": "监听的地址；0.0.0.0 或 :: 表示本机的所有地址。",
  "setting.port": "监听的端口；0 表示由系统选择。",
  "setting.tlsCert.unset": "无：使用普通 HTTP",
  "setting.tlsCert":
    "PEM 格式的证书链，服务器自己的证书在最前；设置后 Plaza 提供 HTTPS，控制台单独的地址上也是如此。多个主机名可用逗号分隔多个文件。文件改变后会重新读取（见 docs/operate/tls.md）。",
  "setting.tlsKey.unset": "无",
  "setting.tlsKey": "`tlsCert` 的私钥，PEM 格式，不带密码。多个时顺序与证书相同。",
  "setting.dataDir": "数据库和密钥文件所在的目录；不存在时自动创建。",
  "setting.database":
    "保存账户、密钥、目录和请求的数据库。用环境变量而不是命令行选项，可避免密码出现在进程列表中。",
  "setting.databaseWaitMs": "启动时等待尚未应答的 PostgreSQL 服务器的时间。",
  "setting.databaseConnections":
    "单个进程到 PostgreSQL 的最大连接数；控制台汇总另用两个，更改数据库结构时另用一个（计算方法见 docs/operate/operations.md）。",
  "setting.migrate":
    "由谁升级旧数据库的结构：`auto`，每个服务和命令在工作前自行升级；`manual`，只由 `plaza migrate` 升级，在此之前服务和命令拒绝启动（见 docs/operate/upgrades.md）。",
  "setting.catalog.unset": "无：使用先前应用的目录，或演示模型",
  "setting.catalog": "目录文件（plaza.yaml），启动时应用，此后每次改动都会再次应用。",
  "setting.workers": "在同一端口上处理请求的进程数。",
  "setting.secretKey.unset": "数据目录中的密钥文件 `secret.key`，不存在时自动创建",
  "setting.secretKey": "用于加密数据库中上游凭据的密钥。丢失后必须重新输入凭据。",
  "setting.operatorToken.unset": "无：运营者路径只回应本机上的程序，不回应经代理而来的请求",
  "setting.operatorToken":
    "拥有运营者全部权限的 Bearer 令牌：运营者路径 `/api/upstreams` 和 `/metrics`，以及整个控制台 API。切勿交给监控系统；监控应使用 `metricsToken`。",
  "setting.metricsToken.unset": "无：`/metrics` 接受运营者令牌；若也未设置，则只回应本机上的程序",
  "setting.metricsToken": "仅用于 `/metrics` 的 Bearer 令牌，供 Prometheus 使用，不能打开其他路径。",
  "setting.transport":
    "由哪一部分代码承载 HTTP：`own`，Plaza 自己的连接，每个请求占用的 CPU 更少；`node`，Node 与 undici 提供的库。上游和调用方看不到差别。",
  "setting.egressProxy.unset": "无：Plaza 直接连接上游",
  "setting.egressProxy":
    "Plaza 连接上游所经的 HTTP 代理（CONNECT），可带用户名和密码。本机上的上游（localhost、127.0.0.0/8、::1）直接连接。为请求获取的文件不经过代理，因为必须按地址检查（docs/operate/security.md）。",
  "setting.upstreamProxies.unset": "无：所有上游按 PLAZA_EGRESS_PROXY 调用",
  "setting.upstreamProxies":
    "单个上游的代理，按 id 填写，以空格分隔；direct 表示不用代理：vllm=direct openai=http://proxy.example.com:3128。优先于 PLAZA_EGRESS_PROXY，对本机上的上游也有效。",
  "setting.logLevel": "写入日志的最低级别（输出到标准错误）。",
  "setting.logRequests":
    "每个已记录的请求写一行日志：ID、模型、状态、token、费用和时间；从不包含提示词或回答。",
  "setting.otlpEndpoint.unset": "无：不发送追踪数据",
  "setting.otlpEndpoint":
    "接收每个请求追踪数据的 OpenTelemetry 收集器：HTTP 方式发送到此地址下的 `/v1/traces`，gRPC 方式发送到其主机和端口（也读取 `OTEL_EXPORTER_OTLP_ENDPOINT`）。",
  "setting.otlpProtocol":
    "向收集器发送追踪数据的方式：JSON 或 protobuf 格式的 OTLP/HTTP，或 gRPC（也读取 `OTEL_EXPORTER_OTLP_PROTOCOL`）。",
  "setting.otlpHeaders.unset": "无",
  "setting.otlpHeaders": "发送给收集器的请求头或 gRPC 元数据（也读取 `OTEL_EXPORTER_OTLP_HEADERS`）。",
  "setting.publicUrl.unset": "`http://HOST:PORT/v1`，或 `https`",
  "setting.publicUrl": "向调用方显示的 base_url，用于它与监听地址不同的情况（例如在代理之后）。",
  "setting.consoleListen.unset": "控制台及其 API 与 `/v1` 在同一地址",
  "setting.consoleListen":
    "控制台及其 API（`/api`）的另一个地址；设置后 `/v1` 的地址上两者都没有，只有 `/api/upstreams` 在两处都应答。",
  "setting.healthListen.unset": "仅在 `/v1` 的地址上，过载的进程在那里应答较慢",
  "setting.healthListen":
    "`/healthz`、`/readyz` 和 `/metrics` 的另一个地址，由独立线程应答，不受进程繁忙影响；用于探针（见 docs/operate/operations.md）。",
  "setting.healthStallMs":
    "服务进程的事件循环停滞多久后，`healthListen` 上的 `/healthz` 返回 503，以便编排系统重启它。",
  "setting.trustedProxies":
    "Plaza 前面受信任的代理所在的网络：相信其 `X-Forwarded-For`，控制台还相信 `X-Forwarded-Proto` 和 `-Host`。",
  "setting.oidcIssuer.unset": "无：使用密码登录",
  "setting.oidcIssuer":
    "可用于登录的 OpenID Connect 身份提供方；需要 `oidcClientId`（见 docs/operate/console.md）。",
  "setting.oidcClientId.unset": "无",
  "setting.oidcClientId": "本站点在身份提供方的客户端标识；回调地址为 `https://CONSOLE/api/oidc/callback`。",
  "setting.oidcClientSecret.unset": "无：公开客户端",
  "setting.oidcClientSecret": "本站点在身份提供方的客户端密钥。",
  "setting.oidcName": "身份提供方的名称，显示在登录按钮上。",
  "setting.oidcSignUp": "未被邀请、但身份提供方认识的人，是否自动获得一个用户和空账户。",
  "setting.corsOrigins": "可从浏览器调用 `/v1` 的网页；密钥由程序自行发送，因此 `*` 不会泄露任何内容。",
  "setting.refusedCallsPerMinute":
    "每分钟检查的被拒请求数，按单个 API 密钥，以及没有有效密钥的单个地址计算。超出部分立即返回 429，不写记录。",
  "setting.apiWritesPerMinute":
    "控制台的一个会话每分钟可做的更改数，以及同一地址上未登录者的调用数；运营者令牌为其十倍。",
  "setting.bodyBytesMax": "请求体的最大字节数；压缩的请求体还按解压后的大小计算。",
  "setting.requestCompression": "`/v1` 的请求体是否可以压缩（gzip 或 zstd）。关闭时以 415 拒绝。",
  "setting.jsonDepthMax": "请求中对象和数组的最大嵌套层数。",
  "setting.jsonValuesMax": "请求中 JSON 值的最大数量。",
  "setting.headersTimeoutMs": "请求头必须在此时间内到达。",
  "setting.bodyStallMs": "请求体到达过程中允许的最长停顿。",
  "setting.bodyRateMin": "请求体到达的最低平均速度（字节每秒），从允许的首次停顿之后算起。",
  "setting.keepAliveTimeoutMs": "Plaza 保留空闲客户端连接的时间；应长于 Plaza 前面代理的保留时间。",
  "setting.connectionsMax": "每个进程的最大客户端连接数；超出的立即关闭。",
  "setting.inFlightMax":
    "每个进程的最大并发请求数。超出的以 503 `overloaded` 拒绝；请求体大的从此值的四分之三起拒绝。",
  "setting.bodiesBytesMax": "每个进程中所有进行中请求的请求体总字节上限；单独的一个请求体不受此限。",
  "setting.loopLagMaxMs": "进程事件循环持续（而非瞬时）延迟超过此值时，新请求以 503 `overloaded` 拒绝。",
  "setting.heapPercentMax": "完整垃圾回收后堆的占用比例超过此值时，新请求以 503 `overloaded` 拒绝。",
  "setting.successPercentMin":
    "一个模型最近约半分钟内须成功的调用比例，否则其状态为 `degraded`；调用方自身的错误不计入。",
  "setting.keepAliveCommentMs": "流静默超过此时间时，发送一行注释以保持连接。",
  "setting.eventBytesMax": "上游流中单个事件的最大字节数。",
  "setting.answerBytesMax": "上游完整（非流式）回答的最大字节数。",
  "setting.stalledReaderMs":
    "客户端在这段时间内完全不读取回答时，Plaza 会断开连接。系统缓冲区中的数据视为已读取；若回答更大，客户端在此时间内须读取至多 1 MB。",
  "setting.idempotencyKeptMs": "带 `Idempotency-Key` 的调用，其回答的保留和重复返回时间。",
  "setting.idempotencyBytesMax":
    "为 `Idempotency-Key` 保留的回答的最大字节数；回答更大的调用在重复时会被拒绝，且不再收费。",
  "setting.shareReasoning":
    "上游在工具循环中要求传回的推理内容是否加密保存一天，供到达其他进程的后续轮次使用（docs/operate/credentials.md）。关闭时，每个进程只在内存中保留自己的。",
  "setting.fetchMedia":
    "对于需要内嵌文件的提供方，Plaza 是否获取请求中以 URL 引用的文件；仅限 https 和公网地址（见 docs/operate/security.md）。",
  "setting.fetchMediaAllow":
    "除公网之外，可从中获取文件的网络，也允许 http；限 80 和 443 端口，或所给的端口。",
  "setting.auditKeptMs":
    "审计日志每一行的保留时间；之后永久删除。设置了 `PLAZA_REQUESTS_ARCHIVE` 时，先按完整的 UTC 日归档再删除。",
  "setting.responsesKeptMs":
    "/v1/responses 的回答为调用方的下一轮（previous_response_id、item_reference）保留多久。0 表示不保留。",
  "setting.refusalsKeptMs": "没有记录的被拒调用，其计数（按密钥、原因和分钟）的保留时间；之后永久删除。",
  "setting.requestsKeptMs":
    "请求记录在删除之前保留多久，按完整的 UTC 日计算，至少 7 天。账本条目和用量合计不会删除（见 docs/operate/operations.md）。",
  "setting.requestsKeptMs.unset": "永久保留",
  "setting.requestsArchive":
    "一个已存在的文件夹，或 `s3://bucket/prefix`：每天的请求和审计日志在删除之前先写入其中。无法写入时，不删除任何内容。",
  "setting.requestsArchive.unset": "不归档",
  "setting.archiveFormat": "归档文件的格式：压缩的 CSV，或 Parquet（金额为 64 位整数，时间为时间戳）。",
  "setting.lameDuckMs":
    "进程收到停止信号（SIGTERM）后照常服务的时间，此时 `/readyz` 已为未就绪，回答带有 `Connection: close`；应长于负载均衡器察觉所需的时间。",
  "setting.drainMs": "此后停止中的进程让进行中的请求完成的时间。",
} as const;
