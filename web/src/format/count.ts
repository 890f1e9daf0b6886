/** Counts, shares and sizes of memory as people read them. */
import type { Language } from "../i18n/languages.ts";
import { numberFormatter } from "./formatters.ts";

/** `1,234,567`. */
export function formatCount(count: number, language: Language): string {
  return numberFormatter(language, { maximumFractionDigits: 0 }).format(count);
}

/** `1.2M`, `8K`; exact below 10,000. English letters in both languages, as token counts are written. */
export function formatShortCount(count: number): string {
  if (Math.abs(count) < 10_000) return numberFormatter("en", { maximumFractionDigits: 0 }).format(count);
  return numberFormatter("en", { notation: "compact", maximumFractionDigits: 1 }).format(count);
}

/** A share from 0 to 1 as `99.2%`; never rounded up to 100 % or down to 0 %. */
export function formatShare(share: number, language: Language): string {
  const bounded = share < 1 && share > 0.9999 ? 0.9999 : share > 0 && share < 0.0001 ? 0.0001 : share;
  const digits = (bounded > 0.99 && bounded < 1) || bounded < 0.01 ? 2 : 1;
  return numberFormatter(language, {
    style: "percent",
    maximumFractionDigits: digits,
  }).format(bounded);
}

/** `412 MB`, `1.6 GB`; powers of 1,024, as process monitors count. */
export function formatBytes(bytes: number, language: Language): string {
  const isLarge = bytes >= 1024 ** 3;
  const amount = bytes / (isLarge ? 1024 ** 3 : 1024 ** 2);
  const text = numberFormatter(language, { maximumFractionDigits: isLarge ? 1 : 0 }).format(amount);
  return `${text} ${isLarge ? "GB" : "MB"}`;
}
