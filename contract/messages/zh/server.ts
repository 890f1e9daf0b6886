/** Paths, heads and addresses of the server, in Chinese. */

export const serverTexts = {
  "server.routeUnknown": "没有这个接口；/api/openapi.json 列出了全部接口。",
  "server.checkRunning": "自检正在进行，请等待结果。",
  "server.cursorUnknown": "列表的这一页不从这里开始。请重新从第一页读取。",
} as const;
