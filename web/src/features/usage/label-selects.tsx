/** Filters by project and tag of keys. Shown once there are some, or one is chosen. */
import { useApiQuery } from "../../api/queries.ts";
import { usageMessages } from "../../i18n/en/pages/usage.ts";
import { useMessages } from "../../i18n/messages.ts";
import { MultiSelect } from "../../ui/inputs/multi-select.tsx";

export interface ChosenLabels {
  readonly project: readonly string[];
  readonly tag: readonly string[];
}

export interface LabelSelectsProps {
  readonly values: ChosenLabels;
  readonly set: (changes: Partial<ChosenLabels>) => void;
  /** False: only what is chosen is listed, as for operators, who get there by links. */
  readonly isOwn: boolean;
}

/** See the file's comment. */
export function LabelSelects({ values, set, isOwn }: LabelSelectsProps) {
  const t = useMessages(usageMessages);
  const keys = useApiQuery("get /keys", { query: { limit: 1 } }, { enabled: isOwn });
  const known = keys.data?.labels ?? { projects: [], tags: [] };
  return (
    <>
      {(["project", "tag"] as const).map((name) => {
        const listed = name === "project" ? known.projects : known.tags;
        const chosen = values[name];
        if (listed.length === 0 && chosen.length === 0) return null;
        return (
          <MultiSelect
            key={name}
            label={t(`${name}s`)}
            emptyText={t(`all.${name}s`)}
            className="sm:w-36"
            value={chosen}
            choices={[...new Set([...listed, ...chosen, ""])].map((value) => ({
              value,
              label: value || t(`without.${name}`),
            }))}
            onChange={(next) => set({ [name]: next })}
          />
        );
      })}
    </>
  );
}
