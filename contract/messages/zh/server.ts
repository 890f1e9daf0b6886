/** Paths, heads and addresses of the server, in Chinese. */

export const serverTexts = {
  "server.routeUnknown": "没有这个接口；/api/openapi.json 列出了全部接口。",
  "server.checkRunning": "自检正在进行，请等待结果。",
  "server.cursorUnknown": "列表的这一页不从这里开始。请重新从第一页读取。",
  "server.badEncoding": "路径的百分号编码无效。",
  "server.onlyHealth": "此地址提供 /healthz、/readyz 和 /metrics。",
  "server.noFigures": "尚无指标。",
  "server.getOnly": "此地址只接受 GET 和 HEAD。",
  "server.nothingAt": "{method} {path} 没有内容。{help}",
  "server.endpointHelp": "接口为 POST {{base_url}}/chat/completions，其中 base_url 以 /v1 结尾。",
  "server.takesOnly": "{path} 只接受 {allow}。",
  "server.hostHeader": "必须有且只有一个 Host 请求头。",
  "server.hostForm": "Host 请求头必须是主机名，可带端口。",
  "server.targetForm": "请求目标必须是路径，例如 /v1/chat/completions。",
  "server.getWithBody": "GET 请求不能有请求体。",
  "server.http10Coding": "HTTP/1.0 没有 Transfer-Encoding；请发送 Content-Length。",
  "server.headersTooMany": "一个请求最多 {max} 个请求头。",
  "server.headLate": "请求头未能及时到达。",
  "server.headTooLarge": "请求头过大。",
  "server.notHttp": "这不是格式正确的 HTTP/1.1 请求。",
  "server.operatorNear":
    "此地址供运营者使用。没有运营者令牌时，只应答 Plaza 本机上的程序；要从别处或经代理使用，请设置 PLAZA_OPERATOR_TOKEN。",
  "server.operatorToken":
    "此地址供运营者使用。请以 Authorization: Bearer … 发送 PLAZA_OPERATOR_TOKEN 所设的令牌。",
  "server.metricsNear":
    "没有令牌时，指标只供 Plaza 本机上的程序读取；要从别处读取，请设置 PLAZA_METRICS_TOKEN。",
  "server.metricsToken":
    "指标供运营者使用。请以 Authorization: Bearer … 发送 PLAZA_METRICS_TOKEN，或有 health:read 权限的运营者令牌。",
} as const;
