/** Words of limits of their own, on the operator's page of limits. */
import { defineWords } from "../../words.ts";
import { operatorLimitsChinese } from "../../zh/pages/operator-limits.ts";

export const operatorLimitsWords = defineWords("operator-limits", {
  en: {
    title: "Limits of their own",
    lead: "Why is a caller limited? What is not listed here has only the limits above. Upstreams bound calls at once on their own pages, and a process that is full says so on Health.",
    upstreams: "Upstreams",
    health: "Health",
    search: "Name or id of an account, key or model",
    accounts: "Accounts",
    keys: "Keys",
    models: "Models",
    account: "Account",
    key: "Key",
    model: "Model",
    status: "Status",
    requestsPerMinute: "Requests per minute",
    tokensPerMinute: "Tokens per minute",
    concurrency: "At once",
    budget: "Budget",
    budgetDay: "{{amount}} per day",
    budgetMonth: "{{amount}} per month",
    budgetSpent: "{{spent}} spent so far",
    ofEvery: "as for every account",
    greyText: "Figures in grey are those of every account.",
    none: "no limit",
    ofAccount: "only its account's",
    noAccounts: "No account has a limit of its own",
    noAccountsText: "Set one on the account's page.",
    noKeys: "No key has a limit or a budget of its own",
    noKeysText: "Keys get theirs when they are made or changed, on the page of the account's keys.",
    noModels: "No model has a limit of its own",
    noModelsText: "Set one on the model's page: it holds for all accounts together.",
    noneFound: "None of this name has limits of its own",
  },
  zh: operatorLimitsChinese,
});
