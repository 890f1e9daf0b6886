/** Words of requests and usage across accounts, in Chinese. */
import type { operatorRequestsMessages } from "../../en/pages/operator-requests.ts";
import type { Translation } from "../../messages.ts";

export const operatorRequestsChinese: Translation<typeof operatorRequestsMessages> = {
  title: "全部请求",
  lead: "所有账户的请求，及其上游和成本。",
  back: "全部请求",
  requestTitle: "请求 {{id}}",
  exportCsv: "导出 CSV",
  account: "账户",
  accounts: "账户",
  allAccounts: "全部账户",
  upstream: "上游",
  upstreamModel: "上游模型 ID",
  cost: "成本",
  costText: "所有上游尝试的成本",
  noUpstream: "无",
  noAccount: "已删除",
  tokensThere: "输入 {{input}}、输出 {{output}}，上游已上报，未收费",
  tokensAtMost: "最多输入 {{input}}、输出 {{output}}；上游未上报，未收费",
  usageTitle: "全部用量",
  usageLead: "所有账户的请求汇总，及上游成本。",
  views: "视图",
  "view.day": "按天",
  "view.account": "按账户",
  "view.model": "按模型",
  "view.operation": "按用途",
  withoutCost_other: "{{count}} 个请求的成本未知",
  knownCost: "成本已知的请求",
  costChart: "每日费用与成本",
  charge: "费用",
  asOf: "包含截至 {{time}} 记录的请求。日期按 {{zone}} 划分。",
};
