/** Words of limits of their own, on the operator's page of limits. */
import { defineMessages } from "../../messages.ts";
import { operatorLimitsChinese } from "../../zh/pages/operator-limits.ts";

export const operatorLimitsMessages = defineMessages("operator-limits", {
  en: {
    title: "Custom limits",
    lead: "Accounts, keys and models with their own limits. All others use the limits above. For upstream concurrency and full processes, see:",
    upstreams: "Upstreams",
    health: "Health",
    search: "Name or ID of an account, key or model",
    accounts: "Accounts",
    keys: "Keys",
    models: "Models",
    account: "Account",
    key: "Key",
    model: "Model",
    status: "Status",
    requestsPerMinute: "Requests per minute",
    tokensPerMinute: "Tokens per minute",
    concurrency: "Concurrent requests",
    budget: "Budget",
    budgetDay: "{{amount}} per day",
    budgetMonth: "{{amount}} per month",
    budgetSpent: "{{spent}} spent",
    ofEvery: "Default",
    greyText: "Grey values are defaults.",
    none: "No limit",
    ofAccount: "Account limits only",
    noAccounts: "No accounts with custom limits",
    noAccountsText: "Set custom limits on an account's page.",
    noKeys: "No keys with custom limits or budgets",
    noKeysText: "Set limits when you create or edit a key on the account's page.",
    noModels: "No models with custom limits",
    noModelsText: "Set limits on a model's page. They apply to all accounts combined.",
    noneFound: "No matches",
  },
  zh: operatorLimitsChinese,
});
