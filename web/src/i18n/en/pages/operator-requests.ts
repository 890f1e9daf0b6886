/** Words of requests and usage across accounts. */
import { defineMessages } from "../../messages.ts";
import { operatorRequestsChinese } from "../../zh/pages/operator-requests.ts";

export const operatorRequestsMessages = defineMessages("operator-requests", {
  en: {
    title: "All requests",
    lead: "Requests of all accounts, with their upstream and cost.",
    back: "All requests",
    requestTitle: "Request {{id}}",
    exportCsv: "Export CSV",
    account: "Account",
    accounts: "Accounts",
    allAccounts: "All accounts",
    upstream: "Upstream",
    upstreamModel: "Upstream model ID",
    cost: "Cost",
    costText: "Cost of all upstream attempts",
    noUpstream: "None",
    noAccount: "Deleted",
    tokensThere: "{{input}} in, {{output}} out, reported but not charged",
    tokensAtMost: "at most {{input}} in, {{output}} out; not reported, not charged",
    usageTitle: "All usage",
    usageLead: "Totals of all accounts' requests, with upstream cost.",
    views: "Views",
    "view.day": "By day",
    "view.account": "By account",
    "view.model": "By model",
    "view.operation": "By operation",
    withoutCost_one: "{{count}} request with unknown cost",
    withoutCost_other: "{{count}} requests with unknown cost",
    knownCost: "of requests with known cost",
    costChart: "Spend and cost by day",
    charge: "Spend",
    asOf: "Includes requests recorded up to {{time}}. Days in {{zone}}.",
  },
  zh: operatorRequestsChinese,
});
