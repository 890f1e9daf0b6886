/** Accounts to choose from or filter by. Of many the first are listed; a search asks the server for more. */
import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { apiQueryOptions, useApiQuery } from "../../api/queries.ts";
import type { Choice } from "../../ui/inputs/choices.tsx";
import type { SearchedChoices } from "../usage/key-choices.ts";

/** Most accounts listed; a search finds the others. */
const listedMax = 100;
/** Most chosen accounts whose names are looked up one by one. */
const namedMax = 20;

/** The chosen ones are always among them. */
export function useAccountChoices(chosen: readonly string[]): SearchedChoices {
  const [search, setSearch] = useState("");
  const all = useApiQuery("get /operator/accounts", { query: { limit: listedMax } });
  const isLong = all.data !== undefined && all.data.next !== null;
  const found = useApiQuery(
    "get /operator/accounts",
    { query: { limit: listedMax, search } },
    { enabled: isLong && search !== "", keep: true },
  );
  const listed = (search !== "" && isLong ? found.data : all.data)?.accounts ?? [];
  const lost =
    all.data === undefined
      ? []
      : chosen.filter((id) => !listed.some((one) => one.id === id)).slice(0, namedMax);
  const named = useQueries({
    queries: lost.map((id) => ({
      ...apiQueryOptions("get /operator/accounts/{id}", { params: { id } }),
      staleTime: 300_000,
      retry: false,
    })),
  });
  const choices: Choice[] = listed.map(({ id, name }) => ({ value: id, label: name, hint: id }));
  for (const [at, id] of lost.entries()) choices.push({ value: id, label: named[at]?.data?.name ?? id });
  return isLong ? { choices, onSearch: setSearch } : { choices };
}
