/** The models marked for comparison, at the foot of the list, with the way to it. */
import { GitCompareArrows } from "lucide-react";
import { plazaMessages } from "../../../i18n/en/pages/plaza.ts";
import { plazaListMessages } from "../../../i18n/en/pages/plaza-list.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { Button, Link } from "../../../ui/button.tsx";
import type { PlazaFilters } from "../list/state.ts";
import { comparedMax, comparePath, type PlazaModel } from "../models.ts";

export interface CompareBarProps {
  readonly models: readonly PlazaModel[];
  readonly filters: PlazaFilters;
}

/** Nothing while none is marked. */
export function CompareBar({ models, filters }: CompareBarProps) {
  const t = useMessages(plazaMessages);
  const tList = useMessages(plazaListMessages);
  const marked = filters.values.compare
    .map((id) => models.find((model) => model.id === id))
    .filter((model) => model !== undefined)
    .slice(0, comparedMax);
  const [first] = marked;
  if (first === undefined) return null;
  return (
    <div className="sticky bottom-4 z-20 mx-auto mt-6 flex w-fit max-w-full flex-wrap items-center gap-3 rounded-xl bg-raised px-4 py-3 shadow-float print:hidden">
      <span className="min-w-0" role="status">
        {marked.length === 1
          ? t("compareOne", { name: first.name })
          : marked.map(({ name }) => name).join(" · ")}
        {marked.length === comparedMax && (
          <span className="block text-small text-faint">{tList("compareFull")}</span>
        )}
      </span>
      {marked.length > 1 && (
        <Link
          to={comparePath(marked.map(({ id }) => id))}
          variant="primary"
          size="small"
          icon={<GitCompareArrows aria-hidden className="size-4" />}
        >
          {t("compareTwo")}
        </Link>
      )}
      <Button variant="quiet" size="small" onClick={() => filters.set({ compare: [] })}>
        {t("compareClear")}
      </Button>
    </div>
  );
}
