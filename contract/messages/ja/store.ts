/** Refusals of the store, in Japanese. */

export const storeTexts = {
  "store.other": "{text}",
  "store.requestWithoutRefund": "リクエストを参照できるのは返金だけです",
  "store.expiryWithoutTopUp": "有効期限を設定できるのはチャージだけです",
  "store.expiredAlready": "チャージの有効期限が過去の日時です",
  "store.accountClosed": "アカウント {id} は閉鎖されています",
  "store.accountUnknown": "アカウント {id} が見つかりません",
  "store.entryZero": "エントリの金額を 0 にすることはできません",
  "store.kindNegative":
    "{kind:topup=チャージ|charge=料金|adjustment=調整|refund=返金|operator_loss=運用者負担|expiry=クレジットの期限切れ}を負の値にすることはできません",
  "store.tooMuch": "アカウント {id} から差し引けるのは最大 {free} です",
  "store.tooMuchWhileLent":
    "アカウント {id} から差し引けるのは最大 {free} です。{lent} は実行中のサーバーにリースされています",
  "store.refundWithoutRequest": "返金にはリクエストの指定が必要です",
  "store.refundedBefore": "リクエスト {requestId} はすでに返金されています",
  "store.refundTooLarge": "アカウント {id} がリクエスト {requestId} に支払ったのは {paid} だけです",
  "store.referenceTaken":
    "アカウント {accountId} の参照番号 {reference} は別のエントリ（{kind:topup=チャージ|charge=料金|adjustment=調整|refund=返金|operator_loss=運用者負担|expiry=クレジットの期限切れ}、{amount}）のものです",
  "store.referenceTakenUntil":
    "アカウント {accountId} の参照番号 {reference} は別のエントリ（{kind:topup=チャージ|charge=料金|adjustment=調整|refund=返金|operator_loss=運用者負担|expiry=クレジットの期限切れ}、{amount}、有効期限 {until}）のものです",
  "store.balanceTooLarge": "残高は {max} USD を超えることができません",
  "store.limitInvalid": "{name} は 0 から {max} までの整数にしてください",
  "store.startNegative": "初期残高を負の値にすることはできません",
  "store.keptInvalid": "レスポンスの保存期間は 0 から {max} までの整数のミリ秒にしてください",
  "store.thresholdNegative": "アラートのしきい値を負の値にすることはできません",
  "store.codeZero": "コードの金額は 0 より大きくしてください",
  "store.batchEmpty": "コードを1つ以上含める必要があります",
  "store.batchUnknown": "バッチ {id} が見つかりません",
  "store.emailTaken": "このメールアドレスは別のユーザーが使用しています",
  "store.requestNotRecorded": "リクエストを記録できません：{reason}",
  "store.headersWait":
    "マイグレーション 28 が実行されるまで、アップストリームのヘッダーは保存できません。古いサーバーの停止を待っています。サーバーを停止してから `plaza migrate` を実行してください",
  "store.upstreamTwice": "カタログに {id} という名前のアップストリームが2つあります",
  "store.modelTwice": "カタログに {id} という名前のモデルが2つあります",
  "store.upstreamLost":
    "モデル {model} のデプロイメントが使用するアップストリーム {upstream} がカタログにありません",
  "store.fallbackLost": "モデル {model} のフォールバック {fallback} がカタログにありません",
  "store.managedInConsole":
    "ファイルの{kind:upstream=アップストリーム|model=モデル} {id} はすでにコンソールで管理されています。ファイルで別の ID を使用するか、コンソールで削除してください",
  "store.stillUsed":
    "{kind:upstream=アップストリーム|model=モデル} {id} はファイルからなくなりましたが、コンソールのモデル（{models}）が{kind:upstream=使用しています|model=フォールバックとして使用しています}。先に変更または削除してください",
};
