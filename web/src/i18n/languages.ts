/**
 * The languages of the console. A new language is one file of texts and one entry here; what it does not
 * translate is shown in English. Knows no page.
 */

import type { Language as ServerLanguage } from "@plaza/contract/messages/render.ts";

/** What a language brings when it is loaded. */
export interface LanguageTexts {
  /** The console's texts, by area and key. */
  readonly console: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The server's messages by id, and how they are put together; absent: they stay in English. */
  readonly server?: ServerLanguage;
}

interface LanguageEntry {
  /** Its own name for itself. */
  readonly name: string;
  /** For `lang` on the page and for `Intl`: it decides digits, dates and units. */
  readonly locale: string;
  /** Absent for English, whose texts come with what shows them. */
  readonly load?: () => Promise<LanguageTexts>;
}

/** Every language, by the id that the profile stores. */
export const languages = {
  en: { name: "English", locale: "en-US" },
  zh: {
    name: "简体中文",
    locale: "zh-CN",
    load: async () => {
      const [ours, server] = await Promise.all([
        import("./zh/index.ts"),
        import("@plaza/contract/messages/zh/index.ts"),
      ]);
      return { console: ours.texts, server: { texts: server.texts, stop: "。", isSpaced: true } };
    },
  },
  ja: {
    name: "日本語",
    locale: "ja-JP",
    load: async () => {
      const [ours, server] = await Promise.all([
        import("./ja.json", { with: { type: "json" } }),
        import("@plaza/contract/messages/ja/index.ts"),
      ]);
      return { console: ours.default, server: { texts: server.texts, stop: "。", isSpaced: true } };
    },
  },
} as const satisfies Readonly<Record<string, LanguageEntry>>;

export type Language = keyof typeof languages;

/** Every language's id, in the order in which they are offered. */
export const languageIds = Object.keys(languages) as readonly Language[];

/** Languages to choose from, each in its own name. */
export const languageChoices: readonly { readonly value: Language; readonly label: string }[] =
  languageIds.map((value) => ({ value, label: languages[value].name }));

/** How a language is loaded; undefined for English. */
export function loaderOf(language: Language): (() => Promise<LanguageTexts>) | undefined {
  return (languages[language] as LanguageEntry).load;
}

/** The language a locale means, such as `zh-Hant-TW`; English where it is none of ours. */
export function languageOf(locale: string): Language {
  const begun = locale.toLowerCase().split("-")[0] ?? "";
  return languageIds.find((id) => id === begun) ?? "en";
}

/** The locale of a language, for `Intl` and `lang`. */
export function localeOf(language: Language): string {
  return languages[language].locale;
}
