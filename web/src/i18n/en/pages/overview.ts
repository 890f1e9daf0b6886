/** Words of the overview. */
import { defineWords } from "../../words.ts";
import { overviewChinese } from "../../zh/pages/overview.ts";

export const overviewWords = defineWords("overview", {
  en: {
    title: "Overview",
    baseUrl: "Base URL",
    baseUrlText: "Set it as base_url of the OpenAI client you already have.",
    copyBaseUrl: "Copy the base URL",
    balance: "Balance",
    addMoney: "Add money",
    chargeByDay: "Charge by day",
    toUsage: "All usage",
    recent: "Recent requests",
    toRequests: "All requests",
    firstTitle: "Make the first request",
    firstText: "This card goes away once a request has arrived.",
    firstKey: "Put a key of yours in place of the dots.",
    createKey: "Create a key",
    tryInPlayground: "Try in the playground",
    noModel: "No model can be called yet. The operator connects upstreams and sets prices.",
    language: "Language of the sample",
  },
  zh: overviewChinese,
});
