/** Why a process takes fewer requests than the operator allows, in a sentence. Pure but for the words. */
import { formatCount } from "../../../format/count.ts";
import type { operatorHealthWords } from "../../../i18n/en/pages/operator-health.ts";
import type { KeyOf, Language, Translate } from "../../../i18n/words.ts";
import type { SelfLimit } from "./troubles.ts";

/** "" where it does not say. */
export function selfLimitText(
  t: Translate<KeyOf<typeof operatorHealthWords>>,
  selfLimit: SelfLimit,
  language: Language,
): string {
  if (selfLimit === null) return "";
  const { reason, ...figures } = selfLimit;
  const texts = Object.entries(figures).map(([name, value]) => [name, formatCount(value, language)]);
  return t(`selfLimit.${reason}`, Object.fromEntries(texts));
}
