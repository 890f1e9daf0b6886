/** Words of the pages behind one-time links, in Chinese. */
import type { linkMessages } from "../en/link.ts";
import type { Translation } from "../messages.ts";

export const linkChinese: Translation<typeof linkMessages> = {
  "setup.title": "设置本站",
  "setup.lead": "创建第一位运营者。本站没有默认密码，此链接只能使用一次。",
  "setup.act": "创建运营者",
  "invitation.title": "加入 {{account}}",
  "invitation.titleOperator": "成为运营者",
  "invitation.leadOwner": "您受邀成为该账户的所有者。",
  "invitation.leadMember": "您受邀成为该账户的成员。",
  "invitation.leadOperator": "您受邀运营本站。",
  "invitation.act": "加入",
  "reset.title": "设置新密码",
  "reset.lead": "保存后，两步验证会关闭，其他登录会话会结束。您可以在“个人资料”中重新开启两步验证。",
  "reset.act": "设置密码",
  name: "您的姓名",
  email: "邮箱地址",
  emailHint: "用于登录。Plaza 不会发送邮件。",
  password: "密码",
  passwordHint: "至少 10 个字符。",
  step: "第 {{at}} 步，共 {{of}} 步",
  expires: "链接到期时间",
  usedTitle: "此链接已被使用",
  usedText: "每个链接只能使用一次。请登录，或向发送者索取新的链接。",
  goneTitle: "此链接无效",
  goneText: "链接可能输入有误、已被撤回或已过期。请索取新的链接。",
  signIn: "登录",
};
