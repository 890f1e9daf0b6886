/**
 * Up to four models side by side: facts, prices, limits, health, and all of them tried with the same prompt.
 * Which ones is in the URL, as is whether only their differences are shown.
 */
import { isFor } from "@plaza/contract/operations.ts";
import { useFreshStatuses } from "../../api/fresh-status.ts";
import { useApiQuery } from "../../api/queries.ts";
import { CompareTable } from "../../features/plaza/compare/table.tsx";
import { comparedMax, type PlazaModel } from "../../features/plaza/models.ts";
import { plazaMessages } from "../../i18n/en/pages/plaza.ts";
import { plazaListMessages } from "../../i18n/en/pages/plaza-list.ts";
import { useMessages } from "../../i18n/messages.ts";
import { type Filters, useFilters } from "../../ui/filter-bar.tsx";
import { Switch } from "../../ui/inputs/choices.tsx";
import { Field } from "../../ui/inputs/field.tsx";
import { Combobox } from "../../ui/inputs/multi-select.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { Notice, PageHeader } from "../../ui/surfaces.tsx";

// Below the table: it loads behind it.
const { Part: TryTab } = lazyPart(() =>
  import("../../features/plaza/try-tab.tsx").then((file) => file.TryTab),
);

const defaults = { model: [] as string[], differences: "" };

/** The page. */
export function ComparePage() {
  const t = useMessages(plazaMessages);
  const plaza = useApiQuery("get /plaza", {});
  const filters = useFilters(defaults);
  return (
    <>
      <PageHeader title={t("compareTitle")} back={{ to: "/models", label: t("backToList") }}>
        {t("compareLead")}
      </PageHeader>
      <Loaded query={plaza}>{({ models }) => <Comparison models={models} filters={filters} />}</Loaded>
    </>
  );
}

interface ComparisonProps {
  readonly models: readonly PlazaModel[];
  readonly filters: Filters<typeof defaults>;
}

function Comparison({ models, filters }: ComparisonProps) {
  const t = useMessages(plazaMessages);
  const { values, set } = filters;
  const fresh = useFreshStatuses(models);
  const ids = [...new Set(values.model)].slice(0, comparedMax);
  const compared = ids.map((id) => fresh.find((model) => model.id === id)).filter((one) => one !== undefined);
  const missing = ids.filter((id) => !fresh.some((model) => model.id === id));
  return (
    <div className="flex flex-col gap-6">
      {missing.map((id) => (
        <Notice key={id} tone="warn" title={t("compareMissing", { id })} />
      ))}
      <Choices models={models} filters={filters} ids={compared.map(({ id }) => id)} />
      {compared.length === 0 ? (
        <EmptyState title={t("compareChoose")} />
      ) : (
        <CompareTable
          models={compared}
          isShort={values.differences === "1" && compared.length > 1}
          onRemove={(id) => set({ model: ids.filter((one) => one !== id) })}
        />
      )}
      {compared.length > 1 && compared.every((model) => isFor(model, "chat")) && (
        <section aria-label={t("try")} className="print:hidden">
          <h2 className="mb-3 text-lead font-semibold">{t("try")}</h2>
          <TryTab key={ids.join(" ")} models={compared} />
        </section>
      )}
    </div>
  );
}

/** Another model, while there is room, and what is shown. */
function Choices({ models, filters, ids }: ComparisonProps & { readonly ids: readonly string[] }) {
  const t = useMessages(plazaMessages);
  const tList = useMessages(plazaListMessages);
  const { values, set } = filters;
  return (
    <div className="flex flex-wrap items-end gap-x-6 gap-y-3 print:hidden">
      {ids.length < comparedMax && (
        <Field label={t("compareAdd")} className="w-full sm:w-80">
          <Combobox
            value=""
            onChange={(id) => id !== "" && set({ model: [...ids, id] })}
            choices={models
              .filter(({ id }) => !ids.includes(id))
              .map(({ id, name }) => ({ value: id, label: name, hint: <code>{id}</code> }))}
          />
        </Field>
      )}
      {ids.length > 1 && (
        <span className="py-2">
          <Switch
            label={tList("differencesOnly")}
            value={values.differences === "1"}
            onChange={(is) => set({ differences: is ? "1" : "" })}
          />
        </span>
      )}
    </div>
  );
}
