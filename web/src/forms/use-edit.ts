/**
 * A form over something that others may edit at the same time. It remembers the revision it began with; when
 * that is stale, it reads what is there now and puts what was typed on top. Knows no page.
 */
import { useState } from "react";
import { isApiError } from "../api/error.ts";
import type { Answer, SentTo } from "../api/routes.ts";
import type { ChangeRoute } from "../api/stale.ts";
import { operatorPartsMessages } from "../i18n/en/pages/operator-parts.ts";
import { useMessages } from "../i18n/messages.ts";
import type { Clash, RowNames } from "./merge-edits.ts";
import { sendChange } from "./send-change.ts";
import { type AppForm, type FormOptions, useAppForm } from "./use-app-form.ts";

interface Revised {
  readonly revision: number;
}

export interface EditOptions<Thing extends Revised, Values extends object, Name extends ChangeRoute>
  extends Pick<FormOptions<Values, unknown>, "check" | "fieldOf"> {
  /** As it was when the form came up; later readings of it do not touch the form. */
  readonly thing: Thing;
  readonly valuesOf: (thing: Thing) => Values;
  /** Reads it again. */
  readonly read: () => Promise<Thing>;
  /** What changes it. */
  readonly route: Name;
  readonly sent: (values: Values, revision: number) => SentTo<Name>;
  /** Lists whose rows are merged one by one; another list is one value. */
  readonly rowNames?: RowNames;
  /** The new revision; without it, the answer has it. */
  readonly revisionOf?: (answer: Answer<Name>) => number;
  /** What stays in the form once it is saved; without it, what was sent. For secrets, which do not. */
  readonly settled?: (values: Values, answer: Answer<Name>) => Values;
  readonly onDone?: (answer: Answer<Name>) => void;
}

/** The form, and the changes another user saved meanwhile. */
export interface Edit<Values extends object> {
  readonly form: AppForm<Values>;
  /** null: no conflict. */
  readonly clashes: readonly Clash[] | null;
  /** Where both changed a field, theirs; the rest of what was typed stays. */
  readonly takeTheirs: () => void;
}

/** With what ends it, which is loaded by then. */
interface Conflict {
  readonly clashes: readonly Clash[];
  readonly takingTheirs: typeof import("./merge-edits.ts").takingTheirs;
}

/** Conflicts are rare: what merges them is no part of a page's first load. */
const loadMerging = () => import("./merge-edits.ts");

/** See `EditOptions`; show `clashes` with `ConflictNote`. */
export function useEdit<Thing extends Revised, Values extends object, Name extends ChangeRoute>(
  options: EditOptions<Thing, Values, Name>,
): Edit<Values> {
  const t = useMessages(operatorPartsMessages);
  const { thing, valuesOf, route, sent } = options;
  const [base, setBase] = useState(() => ({ revision: thing.revision, values: valuesOf(thing) }));
  const [conflict, setConflict] = useState<Conflict | null>(null);
  // As the server writes it, once what was saved here is read again: "5" comes back as
  // "5.00", and no other user changed it.
  const began = thing.revision === base.revision ? valuesOf(thing) : base.values;

  const save = async (values: Values, revision: number) => {
    const answer = await sendChange(route, sent(values, revision));
    const settled = options.settled?.(values, answer) ?? values;
    setBase({ revision: options.revisionOf?.(answer) ?? (answer as Revised).revision, values: settled });
    setConflict(null);
    return { answer, settled };
  };
  const form: AppForm<Values> = useAppForm({
    ...options,
    initial: base.values,
    sent: (values) => sent(values, base.revision),
    onSubmit: async (values) => {
      // What was read since, with the same values in it, is as good as what the form began with.
      const isSame = JSON.stringify(valuesOf(thing)) === JSON.stringify(began);
      try {
        return await save(values, isSame ? Math.max(base.revision, thing.revision) : base.revision);
      } catch (thrown) {
        if (!isApiError(thrown, "changed_meanwhile")) throw thrown;
        const [fresh, { mergeEdits, takingTheirs }] = await Promise.all([options.read(), loadMerging()]);
        const theirs = valuesOf(fresh);
        const merge = mergeEdits(began, values, theirs, options.rowNames);
        // They changed something that is not in this form: nothing of theirs is overwritten.
        if (merge.clashes.length === 0) return await save(values, fresh.revision);
        setBase({ revision: fresh.revision, values: theirs });
        setConflict({ clashes: merge.clashes, takingTheirs });
        form.reset(theirs, merge.values);
        throw new Error(t("conflict"));
      }
    },
    onDone: ({ answer, settled }) => {
      if (options.settled !== undefined) form.reset(settled);
      options.onDone?.(answer);
    },
  });
  const takeTheirs = () => {
    if (conflict === null) return;
    form.set(conflict.takingTheirs(form.values, conflict.clashes, options.rowNames));
    setConflict(null);
  };
  return { form, clashes: conflict?.clashes ?? null, takeTheirs };
}
