/** The limits of a model that apply, in one line; empty without any. */
import { plazaMessages } from "../../../i18n/en/pages/plaza.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { useSession } from "../../../shell/session.ts";
import { TokenCount } from "../../../ui/figures.tsx";
import type { PlazaModel } from "../models.ts";

/** See above. */
export function LimitsLine({ limits }: { readonly limits: PlazaModel["myLimits"] }) {
  const t = useMessages(plazaMessages);
  const { account } = useSession();
  const kinds = [
    [limits.requestsPerMinute, "RPM", t("requestsPerMinute")],
    [limits.tokensPerMinute, "TPM", t("tokensPerMinute")],
    [limits.concurrency, "×", t("concurrency")],
  ] as const;
  const set = kinds.filter(([limit]) => limit !== null);
  if (set.length === 0) return null;
  return (
    <span className="flex flex-wrap gap-x-3">
      <span className="text-faint">{t(account === null ? "modelLimits" : "myLimits")}</span>
      {set.map(([limit, unit, name]) => (
        <span key={unit} title={name}>
          {unit === "×" && "× "}
          <TokenCount value={limit} /> {unit !== "×" && unit}
          <span className="sr-only"> ({name})</span>
        </span>
      ))}
    </span>
  );
}
