/** Users, members and tokens, in Japanese. */

export const peopleTexts = {
  "people.userUnknown": "ユーザーが見つかりません。",
  "people.lastOwner": "このアカウントの最後のオーナーです。先に別のメンバーをオーナーにしてください。",
  "people.lastOperator": "最後の運用者です。先に別のユーザーを運用者にしてください。",
  "people.accountUnknown": "アカウントが存在しないか、閉鎖されています。",
  "people.operatorScopeLacking": "運用者の管理には、スコープ installation:write も必要です。",
  "people.emailTaken": "このメールアドレスのユーザーはすでに存在します。",
  "people.invitationOfOperator": "運用者の招待を取り消せるのは運用者だけです。",
  "people.invitationUnknown": "招待が見つかりません。",
  "people.invitationsTooMany": "未使用の招待が {max} 件あります。先にいくつか取り消してください。",
  "people.ownRights": "自分のステータスやロールは変更できません。別の運用者に依頼してください。",
  "people.userDisabled": "ユーザーは無効にされています。先に有効にしてください。",
  "people.scopesLacking": "トークンが付与できるのは、自身が持つスコープだけです。不足：{scopes}。",
  "people.tokenTooLong": "トークンは、自身の期限（{until}）より後に期限が切れるトークンを作成できません。",
  "people.timePast": "未来の日時を入力してください。",
  "people.callerEnded": "セッションまたはトークンが終了しました。もう一度サインインしてください。",
  "people.tokenUnknown": "トークンが見つかりません。",
};
