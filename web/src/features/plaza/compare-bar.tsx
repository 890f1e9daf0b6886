/** The models marked for comparison, at the foot of the list, with the way to it. */
import { GitCompareArrows } from "lucide-react";
import { plazaMessages } from "../../i18n/en/pages/plaza.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button, Link } from "../../ui/button.tsx";
import type { PlazaModel } from "./filter.ts";
import type { PlazaFilters } from "./filters.tsx";

/** The address of a comparison. */
function comparePath(ids: readonly string[]): string {
  return `/compare?${ids.map((id) => `model=${encodeURIComponent(id)}`).join("&")}`;
}

/** Nothing while none is marked. */
export function CompareBar({
  models,
  filters,
}: {
  readonly models: readonly PlazaModel[];
  readonly filters: PlazaFilters;
}) {
  const t = useMessages(plazaMessages);
  const marked = filters.values.compare
    .map((id) => models.find((model) => model.id === id))
    .filter((model) => model !== undefined);
  const [first] = marked;
  if (first === undefined) return null;
  return (
    <div className="sticky bottom-4 z-10 mx-auto mt-6 flex w-fit max-w-full flex-wrap items-center gap-3 rounded-xl bg-raised px-4 py-3 shadow-float print:hidden">
      <span className="min-w-0 truncate" role="status">
        {marked.length === 1
          ? t("compareOne", { name: first.name })
          : marked.map(({ name }) => name).join(" · ")}
      </span>
      {marked.length === 2 && (
        <Link
          to={comparePath(filters.values.compare)}
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
