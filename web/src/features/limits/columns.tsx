/** The columns of what is limited: requests, tokens, places. Know no route. */
import type { ReactNode } from "react";
import { formatCount } from "../../format/count.ts";
import type { operatorLimitsMessages } from "../../i18n/en/pages/operator-limits.ts";
import { useLanguage } from "../../i18n/language.ts";
import type { KeyOf, Translate } from "../../i18n/messages.ts";
import type { Column } from "../../ui/data-table.tsx";

export const limitNames = ["requestsPerMinute", "tokensPerMinute", "concurrency"] as const;
export type Limits = Readonly<Record<(typeof limitNames)[number], number | null>>;

interface LimitFigureProps {
  readonly own: number | null;
  /** Shown when it has no limit of its own. */
  readonly otherwise: ReactNode;
}

function LimitFigure({ own, otherwise }: LimitFigureProps) {
  const language = useLanguage();
  if (own === null) return <span className="text-faint">{otherwise}</span>;
  return <span className="figures font-medium">{formatCount(own, language)}</span>;
}

/** One column for each kind of limit; `otherwise` names the limit that applies without a custom one. */
export function limitColumns<Row extends { readonly limits: Limits }>(
  t: Translate<KeyOf<typeof operatorLimitsMessages>>,
  otherwise: (name: (typeof limitNames)[number]) => ReactNode,
): Column<Row>[] {
  return limitNames.map((name) => ({
    id: name,
    header: t(name),
    align: "end",
    cell: (row) => <LimitFigure own={row.limits[name]} otherwise={otherwise(name)} />,
    sortBy: (row) => row.limits[name],
  }));
}
