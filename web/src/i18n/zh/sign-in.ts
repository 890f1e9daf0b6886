/** Words of signing in, in Chinese. */
import type { signInMessages } from "../en/sign-in.ts";
import type { Translation } from "../messages.ts";

export const signInChinese: Translation<typeof signInMessages> = {
  title: "登录",
  email: "邮箱地址",
  password: "密码",
  code: "验证码",
  codeHint: "请输入身份验证器应用中的六位数字，或一个恢复码。",
  codeTitle: "输入验证码",
  act: "登录",
  goOn: "继续",
  otherUser: "使用其他邮箱",
  withProvider: "使用 {{name}} 登录",
  or: "或",
  failed: "邮箱、密码或验证码有误。",
  failedCode: "验证码有误或已被使用。",
  waitFor: "尝试次数过多。请在 {{wait}}后重试。",
  oidcFailed: "无法通过 {{name}} 登录，未做任何更改。请重试，或使用密码登录。",
  needsSetup: "本站还没有运营者。请打开服务器启动时打印的一次性链接。",
  browseModels: "不登录，直接浏览模型",
  providerFallback: "身份提供方",
};
