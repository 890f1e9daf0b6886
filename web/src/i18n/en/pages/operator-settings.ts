/** Words of the operator's settings and limits. */
import { defineWords } from "../../words.ts";
import { operatorSettingsChinese } from "../../zh/pages/operator-settings.ts";

export const operatorSettingsWords = defineWords("operator-settings", {
  en: {
    title: "Settings",
    lead: "What holds for the whole installation.",
    tabs: "Views",
    tabInstallation: "Installation",
    tabTokens: "Operator tokens",
    tabBoot: "Started with",
    bootLead:
      "Read once when the server starts, from flags and environment variables. To change one, set it and start again.",
    bootSearch: "Search settings",
    bootGivenOnly: "Only what was set",
    bootSetting: "Setting",
    bootValue: "Value",
    bootFrom: "Set by",
    bootDefault: "default",
    bootSecret: "set, not shown",
    name: "Name",
    nameHint: "In the menu, in titles, and in authenticator apps.",
    plazaIsPublic: "The model plaza is public",
    plazaIsPublicHint:
      "People see models and prices without signing in. Limits, balances and keys stay for those who are.",
    lowBalance: "Warn accounts below",
    lowBalanceHint: "Accounts without a threshold of their own. Empty: nobody is warned.",
    noWarning: "no notice",
    save: "Save",
    saved: "Saved",
    about: "About",
    version: "Version",
    baseUrl: "Base URL",
    oidc: "Identity provider",
    noOidc: "none; set by the command line or environment",
    auditKept: "Audit log",
    auditKeptDays_one: "kept for {{count}} day; set by PLAZA_AUDIT_KEPT_MS",
    auditKeptDays_other: "kept for {{count}} days; set by PLAZA_AUDIT_KEPT_MS",

    limitsTitle: "Limits",
    limitsLead:
      "How much may be used at once and per minute. The tightest of all that hold counts: a key's, its account's, the model's, the installation's.",
    fromFile: "These limits come from plaza.yaml and are read-only here",
    fromFileText:
      "Change “limits” and “installation” in the file and apply it; running servers take them within a second.",
    fromConsole: "Set here; plaza.yaml says nothing about them.",
    fromDemo: "As they came with the installation; change them as you like.",
    ofAccounts: "Of every account",
    ofAccountsText: "Accounts without a limit of their own have these.",
    ofInstallation: "Of the whole installation",
    ofInstallationText: "All accounts together.",
    requestsPerMinute: "Requests per minute",
    tokensPerMinute: "Tokens per minute",
    concurrency: "At once",
    noLimit: "no limit",
    zeroHint: "Empty is no limit; 0 lets nothing through.",
    limitsSaved: "Saved; running servers take it within a second.",
  },
  zh: operatorSettingsChinese,
});
