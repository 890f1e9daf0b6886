/**
 * The two languages of the console. Messages belong to the area that shows them: a file in `en/` and one in
 * `zh/`, by key, loaded with what shows them. Knows no page.
 */
import i18next from "i18next";
import { useMemo } from "react";
import { initReactI18next, useTranslation } from "react-i18next";
import { loadTexts } from "./server-text.ts";

/** The languages, as the profile stores them. */
export const languages = ["en", "zh"] as const;
export type Language = (typeof languages)[number];

type Texts = Readonly<Record<string, string>>;
type Plain<Key> = Key extends `${infer Base}_one` ? Base : Key extends `${infer Base}_other` ? Base : Key;

/** Chinese has one plural form: where English has `_one` and `_other`, it has `_other` only. */
type Twin<English extends Texts> = {
  readonly [Key in keyof English as Key extends `${string}_one` ? never : Key]: string;
};

/** The words of one area. */
export interface Messages<Key extends string = string> {
  readonly area: string;
  readonly en: Texts;
  readonly zh: Texts;
  /** Only for its type: the keys that may be asked for. */
  readonly keys?: Key;
}

/** Values for `{{name}}` in a text; `count` also selects the plural. */
export type Values = Readonly<Record<string, string | number>>;

/** Gives the text of a key in the language of the page. */
export type Translate<Key extends string> = (key: Key, values?: Values) => string;

/** i18next's `t`, whose own types would look for keys in a global list. */
type Lookup = (key: string, options: Record<string, unknown>) => string;

/** The key type of an area's words. */
export type KeyOf<Area> = Area extends Messages<infer Key> ? Key : never;

void i18next.use(initReactI18next).init({
  lng: document.documentElement.lang.startsWith("zh") ? "zh" : "en",
  fallbackLng: "en",
  keySeparator: false,
  nsSeparator: false,
  initAsync: false,
  returnNull: false,
  interpolation: { escapeValue: false },
  resources: {},
});

/** The server's texts come later than the page: components that show one are then re-rendered. */
function loadChinese(): void {
  void loadTexts().then(() => i18next.emit("languageChanged", i18next.language));
}

if (i18next.language === "zh") loadChinese();

/** Registers the words of an area. Both languages must have the same keys; a missing one does not compile. */
export function defineMessages<const English extends Texts>(
  area: string,
  texts: { readonly en: English; readonly zh: Twin<NoInfer<English>> },
): Messages<Plain<keyof English & string>> {
  i18next.addResourceBundle("en", area, texts.en);
  i18next.addResourceBundle("zh", area, texts.zh);
  return { area, en: texts.en, zh: texts.zh };
}

/**
 * `const t = useMessages(keysMessages)`; `t("title")`, `t("rows", { count: 3 })`.
 * Re-renders when the language changes.
 */
export function useMessages<Key extends string>(words: Messages<Key>): Translate<Key> {
  const { t, i18n } = useTranslation(words.area);
  return useMemo(() => {
    const text = t as unknown as Lookup;
    return (key, values) => text(key, { ...values, lng: i18n.language });
  }, [t, i18n.language]);
}

/** The language of the page, for `Intl`. */
export function useLanguage(): Language {
  const { i18n } = useTranslation();
  return i18n.language === "zh" ? "zh" : "en";
}

/** Changes the language of the page and remembers it on this device. */
export function setLanguage(language: Language): void {
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  try {
    localStorage.setItem("plaza.language", language);
  } catch {
    // Storage may be switched off; the choice then lasts as long as the page.
  }
  if (language === "zh") loadChinese();
  if (i18next.language !== language) void i18next.changeLanguage(language);
}
