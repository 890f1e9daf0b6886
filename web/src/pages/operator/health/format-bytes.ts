/** Sizes of memory as people read them. */
import { localeOf } from "../../../format/count.ts";
import type { Language } from "../../../i18n/words.ts";

/** `412 MB`, `1.6 GB`; powers of 1,024, as process monitors count. */
export function formatBytes(bytes: number, language: Language): string {
  const isLarge = bytes >= 1024 ** 3;
  const amount = bytes / (isLarge ? 1024 ** 3 : 1024 ** 2);
  const text = new Intl.NumberFormat(localeOf(language), { maximumFractionDigits: isLarge ? 1 : 0 }).format(
    amount,
  );
  return `${text} ${isLarge ? "GB" : "MB"}`;
}
