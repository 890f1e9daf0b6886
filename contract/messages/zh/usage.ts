/** Questions about usage and requests, in Chinese. */

export const usageTexts = {
  "usage.modelUnknown": "目录中没有模型 {model}。",
  "usage.requestUnknown": "未找到请求。请求在回答完成后才会出现。",
  "usage.endBeforeStart": "结束时间必须晚于开始时间。",
  "usage.before1970": "时段必须从 1970 年或之后开始。",
  "usage.daysTooMany": "最多选择 {max} 天。",
  "usage.rowsTooMany": "结果超过 {max} 行。请减少天数、模型、密钥或账户。",
  "usage.requestsTooMany": "该时段有超过 {max} 个请求。请选择更短的时段，或其他分组方式。",
  "usage.timeZoneUnknown": "{zone} 不是时区。请填写 IANA 名称，例如 Asia/Shanghai。",
  "usage.timeZoneOffset": "Plaza 按半小时保存用量，与 {zone} 的 UTC 时差不符。请使用 UTC。",
} as const;
