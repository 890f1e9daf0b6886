/** Filters by project and tag of keys. Shown once there are some, or one is chosen. */
import { useState } from "react";
import { useApiQuery } from "../../api/queries.ts";
import { usageMessages } from "../../i18n/en/pages/usage.ts";
import { useMessages } from "../../i18n/messages.ts";
import { MultiSelect } from "../../ui/inputs/multi-select.tsx";

export interface ChosenLabels {
  readonly project: readonly string[];
  readonly tag: readonly string[];
}

/** Whose keys: those that the user may see, or, for operators, those of these accounts; none: of all. */
export type LabelScope = "own" | { readonly accounts: readonly string[] };

export interface LabelSelectsProps {
  readonly values: ChosenLabels;
  readonly set: (changes: Partial<ChosenLabels>) => void;
  readonly of: LabelScope;
}

interface ListedLabels {
  readonly project: readonly string[];
  readonly tag: readonly string[];
  /** Absent: all are listed. */
  readonly onSearch?: (text: string) => void;
}

/** The labels to choose from. Of many the first are listed; a search asks the server for more. */
function useLabels(scope: LabelScope): ListedLabels {
  const isOwn = scope === "own";
  const [search, setSearch] = useState("");
  const own = useApiQuery("get /keys", { query: { limit: 1 } }, { enabled: isOwn });
  const query = isOwn || scope.accounts.length === 0 ? {} : { account: [...scope.accounts] };
  const all = useApiQuery("get /operator/labels", { query }, { enabled: !isOwn });
  const isLong = all.data?.isWhole === false;
  const found = useApiQuery(
    "get /operator/labels",
    { query: { ...query, search } },
    { enabled: isLong && search !== "", keep: true },
  );
  const listed = isOwn ? own.data?.labels : isLong && search !== "" ? (found.data ?? all.data) : all.data;
  const { projects: project = [], tags: tag = [] } = listed ?? {};
  return isLong ? { project, tag, onSearch: setSearch } : { project, tag };
}

/** See the file's comment. */
export function LabelSelects({ values, set, of }: LabelSelectsProps) {
  const t = useMessages(usageMessages);
  const labels = useLabels(of);
  const { onSearch } = labels;
  return (
    <>
      {(["project", "tag"] as const).map((name) => {
        const chosen = values[name];
        if (labels[name].length === 0 && chosen.length === 0 && onSearch === undefined) return null;
        return (
          <MultiSelect
            key={name}
            label={t(`${name}s`)}
            emptyText={t(`all.${name}s`)}
            className="sm:w-36"
            value={chosen}
            choices={[...new Set([...labels[name], ...chosen, ""])].map((value) => ({
              value,
              label: value || t(`without.${name}`),
            }))}
            {...(onSearch === undefined ? {} : { onSearch })}
            onChange={(next) => set({ [name]: next })}
          />
        );
      })}
    </>
  );
}
