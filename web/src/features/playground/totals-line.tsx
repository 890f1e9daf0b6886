/** What the whole conversation used and cost, as it is on record. */

import { playgroundMessages } from "../../i18n/en/pages/playground.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Money, TokenCount } from "../../ui/figures.tsx";
import { totalsOf } from "./chat/conversation.ts";
import type { ChatRun } from "./chat/run-chat.ts";

/** Nothing before the first call is on record. */
export function TotalsLine({ runs }: { readonly runs: readonly ChatRun[] }) {
  const t = useMessages(playgroundMessages);
  const totals = totalsOf(runs);
  if (totals.counted === 0) return null;
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-0.5 text-small text-muted">
      <span>
        {t("total")} {t("totalOf", { count: totals.counted })}
        {totals.unknown > 0 && ` (${t("totalUnknown", { count: totals.unknown })})`}
      </span>
      <span>
        {t("promptTokens")} <TokenCount value={totals.promptTokens} />
      </span>
      <span>
        {t("outputTokens")} <TokenCount value={totals.outputTokens} />
        {totals.hasEstimates && ` (${t("estimated")})`}
      </span>
      <span>
        {t("charge")}{" "}
        <strong className="font-semibold text-ink">
          <Money value={totals.charge} />
        </strong>
      </span>
    </p>
  );
}
