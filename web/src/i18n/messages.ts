/**
 * Texts of the console. They belong to the area that shows them. English is in `en/`, a file an area, and
 * comes with what shows it; another language is loaded whole (`language.ts`). Knows no page.
 */
import i18next from "i18next";
import { useMemo } from "react";
import { initReactI18next, useTranslation } from "react-i18next";

type Texts = Readonly<Record<string, string>>;
type Plain<Key> = Key extends `${infer Base}_one` ? Base : Key extends `${infer Base}_other` ? Base : Key;

/** The texts of one area. The types say which keys may be asked for, and which are translated. */
export interface Messages<Key extends string = string, Translated extends string = string> {
  readonly area: string;
  /** The English texts, to see whether there is one for a value of the server. */
  readonly en: Texts;
  /** Only for its type. */
  readonly keys?: Key;
  /** Only for its type. */
  readonly translated?: Translated;
}

/** The same texts in a language with one plural form: of `_one` and `_other` it has `_other` only. */
export type Translation<Area> =
  Area extends Messages<string, infer Translated> ? { readonly [Key in Translated]: string } : never;

/** Values for `{{name}}` in a text; `count` also selects the plural. */
export type Values = Readonly<Record<string, string | number>>;

/** Gives the text of a key in the language of the page. */
export type Translate<Key extends string> = (key: Key, values?: Values) => string;

/** i18next's `t`, whose own types would look for keys in a global list. */
type Lookup = (key: string, options: Record<string, unknown>) => string;

/** The key type of an area's texts. */
export type KeyOf<Area> = Area extends Messages<infer Key> ? Key : never;

// English until `language.ts` has chosen.
void i18next.use(initReactI18next).init({
  lng: "en",
  fallbackLng: "en",
  keySeparator: false,
  nsSeparator: false,
  initAsync: false,
  returnNull: false,
  interpolation: { escapeValue: false },
  resources: {},
});

/** Registers the English texts of an area. */
export function defineMessages<const English extends Texts>(
  area: string,
  english: English,
): Messages<Plain<keyof English & string>, Exclude<keyof English & string, `${string}_one`>> {
  i18next.addResourceBundle("en", area, english);
  return { area, en: english };
}

/**
 * `const t = useMessages(keysMessages)`; `t("title")`, `t("rows", { count: 3 })`.
 * Re-renders when the language changes.
 */
export function useMessages<Key extends string>(messages: Messages<Key>): Translate<Key> {
  const { t, i18n } = useTranslation(messages.area);
  return useMemo(() => {
    const text = t as unknown as Lookup;
    return (key, values) => text(key, { ...values, lng: i18n.language });
  }, [t, i18n.language]);
}
