/** Notes of ledger entries, and findings of the ledger check, in Japanese. */

export const ledgerTexts = {
  "ledger.code": "コード …{end}",
  "ledger.unusedRest": "エントリ {entry} の未使用クレジット",
  "ledger.balanceOff": "残高は {balance} USD ですが、エントリの合計は {entries} USD です",
  "ledger.balanceOutside": "残高が {balance} USD で、リースが {lent} USD であることはありえません",
  "ledger.leasesOff": "リース額は {lent} USD と記録されていますが、リースの合計は {leases} USD です",
  "ledger.leaseOnNothing": "プロセス {holder} に、アカウントにも予算にも属さないリースがあります",
  "ledger.entriesTwice":
    "このリクエストには{kind:charge=料金|operator_loss=運用者負担|loss=運用者負担|topup=チャージ|refund=返金|adjustment=調整|expiry=クレジットの期限切れ}のエントリが {entries} 件あります",
  "ledger.entryWithoutRequest":
    "アカウント {payer} に、存在しないリクエストの{kind:charge=料金|operator_loss=運用者負担|loss=運用者負担|topup=チャージ|refund=返金|adjustment=調整|expiry=クレジットの期限切れ}があります",
  "ledger.entryOfOther":
    "アカウント {payer} に、アカウント {maker} のリクエストの{kind:charge=料金|operator_loss=運用者負担|loss=運用者負担|topup=チャージ|refund=返金|adjustment=調整|expiry=クレジットの期限切れ}があります",
  "ledger.chargeOff":
    "{kind:charge=料金|operator_loss=運用者負担|loss=運用者負担|topup=チャージ|refund=返金|adjustment=調整|expiry=クレジットの期限切れ}は、リクエストの記録では {charged} USD、台帳では {entered} USD です",
  "ledger.chargeWithoutPrice": "価格がないのに {charge} USD が請求されています",
  "ledger.chargeNotDue": "請求額は {charge} USD ですが、使用量と価格 {price} から計算すると {due} USD です",
  "ledger.budgetOff": "予算では {counted} USD を利用済みですが、このキーのリクエストの料金は {due} USD です",
  "ledger.grantOff": "{grant} USD のチャージの残りが {left} USD であることはありえません",
};
