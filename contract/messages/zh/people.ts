/** Members, users, invitations and operator tokens, in Chinese. */

export const peopleTexts = {
  "people.userUnknown": "未找到用户。",
  "people.lastOwner": "这是账户的最后一位所有者，请先将其他成员设为所有者。",
  "people.lastOperator": "这是最后一位运营者，请先将其他用户设为运营者。",
  "people.accountUnknown": "账户不存在或已关闭。",
  "people.operatorScopeLacking": "管理运营者还需要权限范围 installation:write。",
  "people.emailTaken": "已存在使用此邮箱的用户。",
  "people.invitationOfOperator": "只有运营者才能撤回运营者的邀请。",
  "people.invitationUnknown": "未找到邀请。",
  "people.invitationsTooMany": "已有 {max} 个未使用的邀请，请先撤回一些。",
  "people.ownRights": "您不能修改自己的状态或角色。请联系其他运营者。",
  "people.userDisabled": "该用户已停用，请先启用。",
  "people.scopesLacking": "令牌只能授予自己拥有的权限。缺少：{scopes}。",
  "people.tokenTooLong": "令牌不能创建到期时间晚于自己（{until}）的令牌。",
  "people.timePast": "请填写将来的时间。",
  "people.callerEnded": "您的会话或令牌刚刚失效。请重新登录。",
  "people.tokenUnknown": "未找到令牌。",
} as const;
