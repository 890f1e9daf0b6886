/** *Try it* for one model, or for two beside each other. */
import { useApiQuery } from "../../api/queries.ts";
import { useFilters } from "../../ui/filter-bar.tsx";
import type { PlazaModel } from "./models.ts";
import { SecondModel, TryTab } from "./try-tab.tsx";

const defaults = { with: "" };

/** *Try it*, with a second model beside it when the URL names one. */
export function TryBeside({ model }: { readonly model: PlazaModel }) {
  const { values, set } = useFilters(defaults);
  const plaza = useApiQuery("get /plaza", {});
  const second =
    values.with === model.id ? undefined : plaza.data?.models.find(({ id }) => id === values.with);
  return (
    <TryTab
      models={second === undefined ? [model] : [model, second]}
      also={<SecondModel first={model.id} value={second?.id ?? ""} onChange={(id) => set({ with: id })} />}
    />
  );
}
