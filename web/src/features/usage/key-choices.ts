/** Keys to filter by. Of many the first are listed; a search asks the server for more. */
import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { apiQueryOptions, useApiQuery } from "../../api/queries.ts";
import { usageMessages } from "../../i18n/en/pages/usage.ts";
import { useMessages } from "../../i18n/messages.ts";
import type { Choice } from "../../ui/inputs/choices.tsx";

/** Most keys listed; a search finds the others. */
const listedMax = 200;
/** Most chosen keys whose names are looked up one by one. */
const namedMax = 20;

/** What a `MultiSelect` takes. */
export interface SearchedChoices {
  readonly choices: readonly Choice[];
  /** Absent: all of them are listed. */
  readonly onSearch?: (text: string) => void;
}

/** Keys of the account; the chosen ones are always among them. */
export function useKeyChoices(chosen: readonly string[]): SearchedChoices {
  const t = useMessages(usageMessages);
  const [search, setSearch] = useState("");
  const all = useApiQuery("get /keys", { query: { limit: listedMax } });
  const isLong = all.data !== undefined && all.data.next !== null;
  const found = useApiQuery(
    "get /keys",
    { query: { limit: listedMax, search } },
    { enabled: isLong && search !== "", keep: true },
  );
  const listed = search !== "" && isLong ? (found.data?.keys ?? []) : (all.data?.keys ?? []);
  const lost =
    all.data === undefined
      ? []
      : chosen.filter((id) => !listed.some((key) => key.id === id)).slice(0, namedMax);
  const named = useQueries({
    queries: lost.map((id) => ({
      ...apiQueryOptions("get /keys/{id}", { params: { id } }),
      staleTime: 300_000,
      retry: false,
    })),
  });
  const choices: Choice[] = listed.map((key) => ({
    value: key.id,
    label: key.name,
    hint: `${key.visiblePrefix}…`,
  }));
  for (const [at, id] of lost.entries()) {
    const key = named[at]?.data;
    choices.push({ value: id, label: key?.name ?? t("namelessKey", { id }) });
  }
  return isLong ? { choices, onSearch: setSearch } : { choices };
}
