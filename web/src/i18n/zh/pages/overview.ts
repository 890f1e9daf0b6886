/** Words of the overview, in Chinese. */
import type { overviewMessages } from "../../en/pages/overview.ts";
import type { Translation } from "../../messages.ts";

export const overviewChinese: Translation<typeof overviewMessages> = {
  title: "概览",
  baseUrl: "基础 URL",
  baseUrlText: "在您的 OpenAI 客户端中将其设为 base_url。",
  copyBaseUrl: "复制基础 URL",
  balance: "余额",
  addMoney: "充值余额",
  chargeByDay: "每日消费",
  toUsage: "查看全部用量",
  recent: "最近的请求",
  toRequests: "查看全部请求",
  firstTitle: "发送第一个请求",
  firstText: "收到第一个请求后，Plaza 会隐藏此卡片。",
  firstKey: "请将省略号替换为您的 API 密钥。",
  createKey: "创建密钥",
  tryInPlayground: "打开试验场",
  noModel: "还没有可调用的模型。请联系运营者连接上游并设置价格。",
  language: "示例语言",
};
