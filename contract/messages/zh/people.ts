/** Members, users, invitations and operator tokens, in Chinese. */

export const peopleTexts = {
  "people.userUnknown": "没有这个用户。",
  "people.lastOwner": "这是账户的最后一位所有者，请先指定其他所有者。",
  "people.lastOperator": "这是最后一位运营者，请先指定其他运营者。",
  "people.accountUnknown": "没有这个账户，或它已关闭。",
  "people.operatorScopeLacking": "涉及运营者时，令牌还需要权限范围 installation:write。",
  "people.emailTaken": "已有使用此邮箱的用户。",
  "people.invitationOfOperator": "只有运营者才能撤回运营者的邀请。",
  "people.invitationUnknown": "没有这个邀请。",
  "people.invitationsTooMany": "已有 {max} 个有效的邀请，请先撤回一些。",
  "people.ownRights": "请联系其他运营者：任何人都不能修改自己的状态或权限。",
  "people.userDisabled": "该用户已停用，请先启用。",
  "people.scopesLacking": "令牌不能给出自己没有的权限：{scopes}。",
  "people.tokenTooLong": "令牌不能创建比自己更晚到期的令牌：它将于 {until} 到期。",
  "people.timePast": "请填写将来的时间。",
  "people.callerEnded": "用于此操作的登录或令牌刚刚失效。",
  "people.tokenUnknown": "没有这个令牌。",
} as const;
