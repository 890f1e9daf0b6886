/** Faults of a request's body and head, in Chinese. */

export const bodyTexts = {
  "body.notJson": "请求体不是有效的 JSON。",
  "body.tooLarge": "请求体最多 {max} 字节。",
  "body.notUtf8": "请求体不是有效的 UTF-8。",
  "body.cutOff": "请求体尚未传完，请求就已结束。",
  "body.tooDeep": "请求体的嵌套超过 {max} 层（第 {at} 字节处），本站不接受。",
  "body.tooManyValues": "请求体包含超过 {max} 个值（第 {at} 字节处），本站不接受。",
} as const;
