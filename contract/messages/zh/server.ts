/** Paths, heads and addresses of the server, in Chinese. */

export const serverTexts = {
  "server.routeUnknown": "未知的接口。/api/openapi.json 列出了全部接口。",
  "server.checkRunning": "自检正在进行，请等待结果。",
  "server.liveFull": "实时视图过多。请关闭一个，或稍后重试。",
  "server.cursorUnknown": "分页游标无效。请从第一页重新开始。",
  "server.badEncoding": "路径的百分号编码无效。",
  "server.onlyHealth": "此地址只提供 /healthz、/readyz 和 /metrics。",
  "server.noFigures": "尚无指标。",
  "server.getOnly": "此地址只接受 GET 和 HEAD。",
  "server.nothingAt": "未找到：{method} {path}。{help}",
  "server.endpointHelp": "Plaza 提供 POST {paths}。请将客户端的 base URL 设为以 /v1 结尾的地址。",
  "server.takesOnly": "{path} 只接受 {allow}。",
  "server.hostHeader": "请发送且仅发送一个 Host 请求头。",
  "server.hostForm": "Host 请求头必须是主机名，可带端口。",
  "server.targetForm": "请求目标必须是路径，例如 /v1/chat/completions。",
  "server.getWithBody": "GET 请求不能有请求体。",
  "server.http10Coding": "HTTP/1.0 不支持 Transfer-Encoding。请发送 Content-Length。",
  "server.headersTooMany": "一个请求最多 {max} 个请求头。",
  "server.headLate": "请求头未能及时到达。",
  "server.headTooLarge": "请求头过大。",
  "server.plainHttp": "此端口使用 HTTPS：URL 请以 https:// 开头。",
  "server.notHttp": "这不是格式正确的 HTTP/1.1 请求。",
  "server.operatorNear":
    "仅运营者可以使用此地址。未设置运营者令牌时，Plaza 只向本机程序提供服务。要从其他机器或经代理使用，请设置 PLAZA_OPERATOR_TOKEN。",
  "server.operatorToken":
    "仅运营者可以使用此地址。请以 `Authorization: Bearer …` 发送 PLAZA_OPERATOR_TOKEN 中设置的令牌。",
  "server.metricsNear":
    "未设置令牌时，Plaza 只向本机程序提供指标。要从其他机器读取，请设置 PLAZA_METRICS_TOKEN。",
  "server.metricsToken":
    "读取指标需要令牌。请以 `Authorization: Bearer …` 发送 PLAZA_METRICS_TOKEN，或有 health:read 权限的运营者令牌。",
} as const;
