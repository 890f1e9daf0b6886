/** Remarks of ledger lines, and findings of the self-check, in Chinese. */

export const ledgerTexts = {
  "ledger.code": "兑换码 …{end}",
  "ledger.unusedRest": "第 {entry} 号明细的未用余额",
  "ledger.balanceOff": "余额为 {balance} 美元，但其明细合计为 {entries} 美元",
  "ledger.balanceOutside": "余额为 {balance} 美元时不可能租出 {lent} 美元",
  "ledger.leasesOff": "记录租出 {lent} 美元，但租约合计为 {leases} 美元",
  "ledger.leaseOnNothing": "进程 {holder} 的租约没有对应的账户或预算",
  "ledger.entriesTwice":
    "该请求有 {entries} 条{kind:charge=扣费|operator_loss=运营者承担|loss=运营者承担|topup=充值|refund=退款|adjustment=调整|expiry=充值到期}明细",
  "ledger.entryWithoutRequest":
    "账户 {payer} 有一笔{kind:charge=扣费|operator_loss=运营者承担|loss=运营者承担|topup=充值|refund=退款|adjustment=调整|expiry=充值到期}，但对应的请求不存在",
  "ledger.entryOfOther":
    "账户 {payer} 有一笔{kind:charge=扣费|operator_loss=运营者承担|loss=运营者承担|topup=充值|refund=退款|adjustment=调整|expiry=充值到期}，但请求属于账户 {maker}",
  "ledger.chargeOff":
    "请求记录的{kind:charge=扣费|operator_loss=运营者承担|loss=运营者承担|topup=充值|refund=退款|adjustment=调整|expiry=充值到期}为 {charged} 美元，账本为 {entered} 美元",
  "ledger.chargeWithoutPrice": "没有价格却收费 {charge} 美元",
  "ledger.chargeNotDue": "收费 {charge} 美元，而按用量和价格记录 {price} 应为 {due} 美元",
  "ledger.budgetOff": "预算计为已用 {counted} 美元，但该密钥的请求共支付 {due} 美元",
  "ledger.grantOff": "{grant} 美元的充值剩余 {left} 美元，这不可能",
} as const;
