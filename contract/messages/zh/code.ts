/** Redemption codes, in Chinese. */

export const codeTexts = {
  "code.batchUnknown": "未找到这批兑换码。",
  "code.unknown": "兑换码无效。请检查是否输错。",
  "code.withdrawn": "此兑换码已作废。请向提供者索取新的兑换码。",
  "code.expired": "此兑换码已于 {at} 过期。",
  "code.usedByAccount": "此账户已于 {at} 兑换过该兑换码。",
  "code.used": "此兑换码已被兑换。",
  "code.misspelt": "兑换码无效。请检查是否输错。兑换码的格式为 plaza-XXXX-XXXX-XXXX-XXXX-XX。",
  "code.zero": "请填写大于 0 的金额。",
  "code.notAdded": "无法入账：{reason}。",
} as const;
