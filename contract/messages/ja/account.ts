/** Accounts and redemption codes, in Japanese. */

export const accountTexts = {
  "account.unknown": "アカウントが見つかりません。",
  "account.closedForEver": "このアカウントは完全に閉鎖されています。別のアカウントを作成してください。",
  "account.gone": "このアカウントはもう存在しません。",
  "account.closed": "このアカウントは閉鎖されています。",
  "account.lineZero": "0 以外の金額を入力してください。",
  "account.negativeLine": "残高を減らせるのは調整だけです。",
  "account.noteMissing": "調整の理由を入力してください。",
  "account.refundWithoutRequest": "返金するリクエストの ID を入力してください。",
  "account.requestWithoutRefund": "リクエストを参照できるのは返金だけです。",
  "account.expiryWithoutTopUp": "有効期限を設定できるのはチャージだけです。",
  "account.timePast": "未来の日時を入力してください。",
  "account.timeTooFar": "この日時は先すぎます。",
  "code.batchUnknown": "バッチが見つかりません。",
  "code.unknown": "コードが無効です。入力ミスがないか確認してください。",
  "code.withdrawn": "このコードは無効にされました。コードの提供者に新しいコードを依頼してください。",
  "code.expired": "このコードは {at} に期限が切れました。",
  "code.usedByAccount": "このアカウントは {at} にこのコードを引き換えました。",
  "code.used": "このコードはすでに引き換えられています。",
  "code.misspelt":
    "コードが無効です。入力ミスがないか確認してください。コードの形式は plaza-XXXX-XXXX-XXXX-XXXX-XX です。",
  "code.zero": "0 より大きい金額を入力してください。",
  "code.notAdded": "金額を追加できませんでした：{reason}。",
};
