/**
 * Formatters of `Intl`, made once for each language and form: making one takes some 20 µs, and a table asks
 * for hundreds. Bounded by the forms this folder has, times languages and time zones.
 */
import { type Language, localeOf } from "../i18n/languages.ts";

function cached<Options, Formatter>(
  make: (locale: string, options: Options) => Formatter,
): (language: Language, options: Options) => Formatter {
  const made = new Map<string, Formatter>();
  return (language, options) => {
    const name = `${language} ${JSON.stringify(options)}`;
    let formatter = made.get(name);
    if (formatter === undefined) {
      formatter = make(localeOf(language), options);
      made.set(name, formatter);
    }
    return formatter;
  };
}

/** For numbers, shares, money and units. */
export const numberFormatter = cached(
  (locale, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options),
);

/** For instants and days. */
export const dateFormatter = cached(
  (locale, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options),
);

/** For distances in time. */
export const relativeFormatter = cached(
  (locale, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(locale, options),
);
