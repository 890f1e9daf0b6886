/** Words of requests and usage across accounts. */
import { defineWords } from "../../words.ts";
import { operatorRequestsChinese } from "../../zh/pages/operator-requests.ts";

export const operatorRequestsWords = defineWords("operator-requests", {
  en: {
    title: "All requests",
    lead: "Requests of every account, with the upstream that answered and what it bills.",
    back: "All requests",
    requestTitle: "Request {{id}}",
    exportCsv: "Export CSV",
    account: "Account",
    accounts: "Accounts",
    allAccounts: "All accounts",
    upstream: "Upstream",
    upstreamModel: "Name there",
    cost: "Cost",
    costText: "What upstreams bill for all attempts",
    noUpstream: "none",
    noAccount: "gone",
    tokensThere: "{{input}} in, {{output}} out, reported and not charged",
    tokensAtMost: "at most {{input}} in, {{output}} out; nothing reported, not charged",
    usageTitle: "All usage",
    usageLead: "What requests of all accounts add up to, with what upstreams bill.",
    views: "Views",
    "view.day": "By day",
    "view.account": "By account",
    "view.model": "By model",
    withoutCost_one: "the cost of {{count}} request is unknown",
    withoutCost_other: "the cost of {{count}} requests is unknown",
    knownCost: "of requests whose cost is known",
    costChart: "Charge and cost by day",
    charge: "Charge",
    asOf: "Everything recorded up to {{time}} is counted. Days are of {{zone}}.",
  },
  zh: operatorRequestsChinese,
});
