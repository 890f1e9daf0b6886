/** Words of the overview, in Chinese. */

export const overviewChinese = {
  title: "概览",
  baseUrl: "基础 URL",
  baseUrlText: "在您已有的 OpenAI 客户端中设为 base_url。",
  copyBaseUrl: "复制基础 URL",
  balance: "余额",
  addMoney: "增加余额",
  chargeByDay: "每日费用",
  toUsage: "全部用量",
  recent: "最近的请求",
  toRequests: "全部请求",
  firstTitle: "发送第一个请求",
  firstText: "收到请求后，此卡片会消失。",
  firstKey: "请用您的密钥替换省略号。",
  createKey: "创建密钥",
  tryInPlayground: "在试验场中尝试",
  noModel: "目前没有可调用的模型。需由运营者连接上游并设置价格。",
  language: "示例语言",
};
