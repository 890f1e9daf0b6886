/** Questions about usage and requests, in Japanese. */

export const usageTexts = {
  "usage.modelUnknown": "カタログにモデル {model} がありません。",
  "usage.requestUnknown": "リクエストが見つかりません。リクエストは、レスポンスが完了してから表示されます。",
  "usage.endBeforeStart": "終了は開始より後にしてください。",
  "usage.before1970": "期間の開始は1970年以降にしてください。",
  "usage.daysTooMany": "選択できるのは {max} 日までです。",
  "usage.rowsTooMany":
    "結果が {max} 行を超えています。日数、モデル、キー、またはアカウントを減らしてください。",
  "usage.requestsTooMany":
    "期間内のリクエストが {max} 件を超えています。期間を短くするか、別のグループ化を選んでください。",
  "usage.timeZoneUnknown":
    "「{zone}」はタイムゾーンではありません。Europe/Berlin のような IANA 名を使用してください。",
  "usage.timeZoneOffset":
    "Plaza は使用量を30分単位で保存するため、{zone} の UTC オフセットには対応できません。UTC を使用してください。",
};
