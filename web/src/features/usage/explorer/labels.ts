/** How groups and figures of the explorer are written. */
import { useMemo } from "react";
import { formatCount, formatShortCount } from "../../../format/count.ts";
import { formatMoney } from "../../../format/money.ts";
import { operationMessages } from "../../../i18n/en/operations.ts";
import { explorerMessages } from "../../../i18n/en/pages/explorer.ts";
import { useLanguage } from "../../../i18n/language.ts";
import type { Language } from "../../../i18n/languages.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { type ExploreMeasure, isMoney } from "./groups.ts";
import type { ExploreBy } from "./shown.ts";

/** A group, or the rest where it is undefined. */
export type LabelOf = (
  by: ExploreBy,
  group: { readonly id: string; readonly name: string | null } | undefined,
  groups: number,
) => string;

/** Gives the name of a group as people know it. */
export function useLabels(): LabelOf {
  const t = useMessages(explorerMessages);
  const tOperation = useMessages(operationMessages);
  return useMemo(() => {
    const operations: Readonly<Record<string, string>> = operationMessages.en;
    const nameless: Record<ExploreBy, (id: string) => string> = {
      model: (id) => id || t("noModel"),
      key: (id) => t("namelessKey", { id }),
      member: (id) => id || t("noMember"),
      project: (id) => id || t("noProject"),
      tag: (id) => id || t("noTag"),
      account: (id) => id,
      upstream: (id) => id || t("noUpstream"),
      operation: (id) =>
        `operation.${id}` in operations
          ? tOperation(`operation.${id}` as Parameters<typeof tOperation>[0])
          : id,
    };
    return (by, group, groups) =>
      group === undefined ? t("other", { count: groups }) : (group.name ?? nameless[by](group.id));
  }, [t, tOperation]);
}

/** A figure as its measure is written; short unless exact. */
export function writeFigure(
  figure: string,
  measure: ExploreMeasure,
  language: Language,
  isExact = false,
): string {
  if (isMoney(measure)) return formatMoney(figure, isExact ? "exact" : "short");
  return isExact ? formatCount(Number(figure), language) : formatShortCount(Number(figure));
}

/** A height of the chart, or an expected figure: money to the billionth, counts whole. */
function writeHeight(height: number, measure: ExploreMeasure, language: Language): string {
  return writeFigure(isMoney(measure) ? height.toFixed(9) : String(Math.round(height)), measure, language);
}

/** `useLanguage` and a writer in one. */
export function useWriter(measure: ExploreMeasure): (height: number) => string {
  const language = useLanguage();
  return useMemo(() => (height: number) => writeHeight(height, measure, language), [measure, language]);
}
