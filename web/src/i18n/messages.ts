/**
 * Texts of the console. They belong to the area that shows them. English is in `en/`, a file an area, and
 * comes with what shows it; another language is loaded whole (`language.ts`). A text has the form of
 * i18next's JSON: `{{name}}` is a value, and `count` chooses among `key_one`, `key_other` and the language's
 * other plural forms. i18next itself is 17 KB of the first load, for what this file does. Knows no page.
 */
import { useMemo, useSyncExternalStore } from "react";

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

/** The key type of an area's texts. */
export type KeyOf<Area> = Area extends Messages<infer Key> ? Key : never;

/** Registers the English texts of an area. */
export function defineMessages<const English extends Texts>(
  area: string,
  english: English,
): Messages<Plain<keyof English & string>, Exclude<keyof English & string, `${string}_one`>> {
  return { area, en: english };
}

/** The language the page is drawn in, and its texts by area; no texts: English. */
export interface Shown {
  /** For plural forms and `Intl`. */
  readonly locale: string;
  readonly texts: Readonly<Record<string, Texts>>;
}

let shown: Shown = { locale: "en-US", texts: {} };
const readers = new Set<() => void>();

/** Draws the page in another language. */
export function show(next: Shown): void {
  shown = next;
  for (const reader of readers) reader();
}

function subscribe(changed: () => void): () => void {
  readers.add(changed);
  return () => readers.delete(changed);
}

/** What the page is drawn in; re-renders when that changes. */
export function useShown(): Shown {
  return useSyncExternalStore(subscribe, () => shown);
}

const plurals = new Map<string, Intl.PluralRules>();

function pluralOf(locale: string, count: number): string {
  let rules = plurals.get(locale);
  if (rules === undefined) {
    rules = new Intl.PluralRules(locale);
    plurals.set(locale, rules);
  }
  return rules.select(count);
}

const digits = new Map<string, Intl.NumberFormat>();

/** A value in a text; a count has the separators of the language. */
function written(name: string, value: string | number | undefined, locale: string): string {
  if (name !== "count" || typeof value !== "number") return String(value);
  let format = digits.get(locale);
  if (format === undefined) {
    format = new Intl.NumberFormat(locale);
    digits.set(locale, format);
  }
  return format.format(value);
}

const own = (texts: Texts, key: string): string | undefined =>
  Object.hasOwn(texts, key) ? texts[key] : undefined;

/** The text of a key, in its plural form for `count`; undefined when the language lacks it. */
function find(texts: Texts, key: string, locale: string, count: unknown): string | undefined {
  if (typeof count === "number") {
    const plural = own(texts, `${key}_${pluralOf(locale, count)}`) ?? own(texts, `${key}_other`);
    if (plural !== undefined) return plural;
  }
  return own(texts, key) ?? own(texts, `${key}_other`);
}

/** A text with its values; in English where the language lacks it, and the key where English does. */
export function translate(messages: Messages, given: Shown, key: string, values: Values = {}): string {
  const count = values["count"];
  const text =
    find(given.texts[messages.area] ?? {}, key, given.locale, count) ??
    find(messages.en, key, "en-US", count) ??
    key;
  return text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? written(name, values[name], given.locale) : whole,
  );
}

/**
 * `const t = useMessages(keysMessages)`; `t("title")`, `t("rows", { count: 3 })`.
 * Re-renders when the language changes.
 */
export function useMessages<Key extends string>(messages: Messages<Key>): Translate<Key> {
  const given = useShown();
  return useMemo(() => (key, values) => translate(messages, given, key, values), [messages, given]);
}
