/** What columns of the table of models, and orders of the list, are called. */
import { operationMessages } from "../../../i18n/en/operations.ts";
import { plazaMessages } from "../../../i18n/en/pages/plaza.ts";
import { plazaListMessages } from "../../../i18n/en/pages/plaza-list.ts";
import { useMessages } from "../../../i18n/messages.ts";
import type { SortName } from "./order.ts";

/** The names of columns, and so of orders. */
export function useColumnName(): (name: SortName) => string {
  const t = useMessages(plazaMessages);
  const tList = useMessages(plazaListMessages);
  const tOperation = useMessages(operationMessages);
  const names: Readonly<Record<SortName, string>> = {
    name: t("model"),
    id: t("id"),
    maker: tList("maker"),
    operations: tOperation("operations"),
    status: t("status"),
    input: tList("price"),
    cached: tList("cachedPrice"),
    output: tList("outputPrice"),
    context: t("context"),
    maxoutput: t("maxOutputTokens"),
    modalities: t("modalities"),
    can: t("can"),
    fast: t("firstToken"),
    slowest: tList("slowestColumn"),
    speed: t("speed"),
    success: t("success"),
    used: tList("requestsColumn"),
    newest: t("listedSince"),
    deprecated: tList("deprecatedColumn"),
  };
  return (name) => names[name];
}
