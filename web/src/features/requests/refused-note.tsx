/**
 * How many refused calls have no line in the list: beyond the first few of a minute they are only counted.
 */
import { formatCount } from "../../format/count.ts";
import { requestsMessages } from "../../i18n/en/pages/requests.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Notice } from "../../ui/surfaces.tsx";

interface Refused {
  readonly errorCode: string;
  readonly count: number;
}

/** Sums by reason, the largest first. */
function byReason(refused: readonly Refused[]): [string, number][] {
  const sums = new Map<string, number>();
  for (const { errorCode, count } of refused) sums.set(errorCode, (sums.get(errorCode) ?? 0) + count);
  return [...sums].sort(([, one], [, other]) => other - one);
}

/** Nothing where every refused call has its line. */
export function RefusedNote({ refused }: { readonly refused: readonly Refused[] | undefined }) {
  const t = useMessages(requestsMessages);
  const language = useLanguage();
  const sums = byReason(refused ?? []);
  if (sums.length === 0) return null;
  const total = sums.reduce((sum, [, count]) => sum + count, 0);
  return (
    <div className="mb-4">
      <Notice title={t("moreRefused", { count: total })}>
        {sums.map(([code, count]) => `${code} (${formatCount(count, language)})`).join(", ")}
      </Notice>
    </div>
  );
}
