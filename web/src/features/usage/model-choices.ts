/** Models to choose from. Apart from the keys, whose search the form of a key does not need. */
import { useMemo } from "react";
import { useApiQuery } from "../../api/queries.ts";
import { usageMessages } from "../../i18n/en/pages/usage.ts";
import { useMessages } from "../../i18n/messages.ts";
import type { Choice } from "../../ui/inputs/choices.tsx";

/** Models of the plaza; the chosen ones are always among them, those gone from the catalog too. */
export function useModelChoices(chosen: readonly string[]): readonly Choice[] {
  const t = useMessages(usageMessages);
  const plaza = useApiQuery("get /plaza", {});
  return useMemo(() => {
    const models = plaza.data?.models ?? [];
    const listed: Choice[] = models.map(({ id, name }) => ({
      value: id,
      label: name,
      ...(name === id ? {} : { hint: id }),
    }));
    const lost = chosen.filter((id) => !models.some((model) => model.id === id));
    return [...listed, ...lost.map((id) => ({ value: id, label: id === "" ? t("noModel") : id }))];
  }, [plaza.data, chosen, t]);
}
