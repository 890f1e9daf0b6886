/**
 * What the server says, in Chinese: the messages of its errors and of its checks of fields. Loaded when the page is in Chinese. A
 * sentence that is not here stays as the server said it; `test/console/sentences.test.ts` reads the server's sources for what is missing.
 *
 * `{n}` in an English sentence stands for what varies, `{d}` for a number. In Chinese the same parts come as `{n}` in order or as `{1}`,
 * `{2}`, translated themselves where they are sentences. `{w}` and `{w1}` take the word of `serverWords` for it, `{s}` only a sentence that is
 * known or a single word; with anything else there the whole is not ours. A full stop at the end, and whether the first letter is a capital,
 * do not matter.
 */
import { callSentences } from "./said/calls.ts";
import { catalogSentences } from "./said/catalog.ts";
import { checkSentences } from "./said/checks.ts";
import { consoleSentences, ledgerSentences } from "./said/console.ts";
import { translationSentences } from "./said/translations.ts";

/** English sentence → Chinese. */
export const sentences: Readonly<Record<string, string>> = {
  ...callSentences,
  ...translationSentences,
  ...checkSentences,
  ...consoleSentences,
  ...ledgerSentences,
  ...catalogSentences,
};

/** What stands in a sentence where the server puts one of a few words. */
export const serverWords: Readonly<Record<string, string>> = {
  upstream: "上游",
  model: "模型",
  limits: "限额",
  upstreams: "上游",
  models: "模型",
  providers: "协议",
  presets: "预设",
  services: "服务",
  options: "选项",
  keys: "字段",
  modalities: "类型",
  capabilities: "能力",
  credentials: "凭据",
  deployments: "部署",
  fallbacks: "后备模型",
  tiers: "分级",
  prices: "价格",
  topup: "充值",
  charge: "扣费",
  adjustment: "调整",
  refund: "退款",
  operator_loss: "运营者承担",
  expiry: "充值到期",
  loss: "运营者承担",
  day: "每日",
  month: "每月",
  "This API key": "此 API 密钥",
  "This account": "此账户",
  "This model, by all its callers together,": "此模型（全部调用者合计）",
  "This installation, by all its callers together,": "本站（全部调用者合计）",
  requestsPerMinute: "每分钟请求数",
  tokensPerMinute: "每分钟 token 数",
  concurrency: "同时进行的请求数",
  "requests a minute": "每分钟请求数",
  "tokens a minute": "每分钟 token 数",
  "requests at once": "同时进行的请求数",
  "an array of messages": "消息的列表",
  "an array of model ids": "模型 ID 的列表",
  "a number": "数字",
  "an object": "对象",
  "a string": "文字",
  "true or false": "true 或 false",
  array: "列表",
  object: "对象",
  record: "对象",
  string: "文字",
  number: "数字",
  int: "整数",
  boolean: "true 或 false",
  true: "true",
  false: "false",
  null: "空值",
  undefined: "空值",
  NaN: "非数字",
};
