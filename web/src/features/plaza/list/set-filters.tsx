/** The filters that are set, each with a way to take it back. */
import { X } from "lucide-react";
import { formatShortCount } from "../../../format/count.ts";
import { plazaMessages } from "../../../i18n/en/pages/plaza.ts";
import { plazaListMessages } from "../../../i18n/en/pages/plaza-list.ts";
import { uiMessages } from "../../../i18n/en/ui.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { Button } from "../../../ui/button.tsx";
import { useFacetNames } from "./rail.tsx";
import { cleared, facetNames, flagNames, type PlazaFilters } from "./state.ts";

/** See above. */
export function SetFilters({ filters }: { readonly filters: PlazaFilters }) {
  const t = useMessages(plazaMessages);
  const tList = useMessages(plazaListMessages);
  const tUi = useMessages(uiMessages);
  const { facetName, valueName } = useFacetNames();
  const { values, set } = filters;
  const chips = [
    ...facetNames.flatMap((name) =>
      values[name].map((value) => ({
        key: `${name} ${value}`,
        label: `${facetName(name)}: ${valueName(name, value)}`,
        remove: () => set({ [name]: values[name].filter((one) => one !== value) }),
      })),
    ),
    ...flagNames
      .filter((name) => values[name] === "1")
      .map((name) => ({ key: name, label: tList(`flag.${name}`), remove: () => set({ [name]: "" }) })),
    ...(["context", "maxin", "maxout"] as const)
      .filter((name) => values[name] !== "")
      .map((name) => ({
        key: name,
        label:
          name === "context"
            ? t("contextMin", { count: formatShortCount(Number(values.context)) })
            : `${t(name === "maxin" ? "maxInput" : "maxOutput")}: $${values[name]}`,
        remove: () => set({ [name]: "" }),
      })),
  ];
  return (
    <div className="mb-3 flex flex-wrap items-center gap-1.5 print:hidden">
      {chips.map(({ key, label, remove }) => (
        <button
          key={key}
          type="button"
          aria-label={tList("removeFilter", { name: label })}
          onClick={remove}
          className="inline-flex min-h-7 max-w-full items-center gap-1 rounded-full bg-accent-soft px-2.5 text-small text-accent-ink hover:brightness-95"
        >
          <span className="truncate">{label}</span>
          <X aria-hidden className="size-3.5 shrink-0" />
        </button>
      ))}
      <Button variant="quiet" size="small" onClick={() => set(cleared(values))}>
        {tUi("clearFilters")}
      </Button>
    </div>
  );
}
