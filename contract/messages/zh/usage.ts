/** Questions about usage and requests, in Chinese. */

export const usageTexts = {
  "usage.modelUnknown": "目录中没有模型 {model}。",
  "usage.requestUnknown": "没有这个请求。回答完成后它才会出现。",
  "usage.endBeforeStart": "结束时间不晚于开始时间。",
  "usage.before1970": "1970 年之前没有可统计的内容。",
  "usage.daysTooMany": "一次最多查询 {max} 天。",
  "usage.rowsTooMany": "结果超过 {max} 行：请减少天数，或只选部分模型、密钥或账户。",
  "usage.timeZoneUnknown": "{zone} 不是时区；请填写 IANA 名称，例如 Asia/Shanghai。",
  "usage.timeZoneOffset": "数字按半小时统计，而 {zone} 与 UTC 的时差不是半小时的整数倍。请改用 UTC。",
} as const;
