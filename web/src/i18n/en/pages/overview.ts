/** Words of the overview. */
import { defineMessages } from "../../messages.ts";

export const overviewMessages = defineMessages("overview", {
  title: "Overview",
  baseUrl: "Base URL",
  baseUrlText: "Use it as base_url in your OpenAI client.",
  copyBaseUrl: "Copy base URL",
  balance: "Balance",
  addMoney: "Top up balance",
  chargeByDay: "Spend by day",
  toUsage: "View all usage",
  recent: "Recent requests",
  toRequests: "View all requests",
  firstTitle: "Send your first request",
  firstText: "Plaza hides this card after the first request.",
  firstKey: "Replace the dots with your API key.",
  createKey: "Create key",
  tryInPlayground: "Open playground",
  noModel: "No callable model yet. Ask the operator to connect an upstream and set prices.",
  language: "Sample language",
});
