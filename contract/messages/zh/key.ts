/** What an API key of the console is refused for, in Chinese. */

export const keyTexts = {
  "key.unknown": "未找到密钥。",
  "key.unknownOrOthers": "密钥不存在，或您无权访问。",
  "key.revoked": "此密钥已被永久吊销，请另建一个。",
  "key.tooMany": "一个账户最多 {max} 个密钥。请吊销不再使用的密钥。",
  "key.disabled": "此密钥已停用，请先启用。",
  "key.expired": "此密钥已过期，请使用其他密钥。",
  "key.modelsMissing": "请至少选择一个模型，或允许使用全部模型。",
  "key.modelUnknown": "未找到模型 {model}。",
  "key.networkBits": "地址中有超出网段长度的位。请填写网段的首个地址，例如 203.0.113.0/24。",
  "key.addressInvalid": "请填写 IP 地址（例如 203.0.113.7）或网段（例如 203.0.113.0/24 或 2001:db8::/32）。",
  "key.addressMissing": "请至少填写一个地址，或允许所有地址。",
  "key.budgetZero": "预算为 0 时无法支付任何请求。请改为停用密钥。",
} as const;
