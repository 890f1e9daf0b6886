/** Redemption codes, in Chinese. */

export const codeTexts = {
  "code.batchUnknown": "没有这批兑换码。",
  "code.unknown": "没有这个兑换码，请逐字核对。",
  "code.withdrawn": "此兑换码已作废，请向给您兑换码的人另要一个。",
  "code.expired": "此兑换码的有效期至 {at}。",
  "code.usedByAccount": "此账户已于 {at} 兑换过该兑换码。",
  "code.used": "此兑换码已被兑换。",
  "code.misspelt": "这不是本站的兑换码，或有字符输错：兑换码形如 plaza-XXXX-XXXX-XXXX-XXXX-XX。",
  "code.zero": "面额为 0 的兑换码没有价值。",
  "code.notAdded": "无法入账：{reason}。",
} as const;
