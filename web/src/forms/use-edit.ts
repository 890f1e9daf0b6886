/**
 * A form over something that others may edit at the same time. It remembers the revision it began with; when
 * that is stale, it reads what is there now and puts what was typed on top. Knows no page.
 */
import { useState } from "react";
import { isApiError } from "../api/error.ts";
import { operatorPartsMessages } from "../i18n/en/pages/operator-parts.ts";
import { useMessages } from "../i18n/messages.ts";
import { type Clash, mergeEdits, takingTheirs } from "./merge-edits.ts";
import { type AppForm, type AppFormOptions, useAppForm } from "./use-app-form.ts";

interface Revised {
  readonly revision: number;
}

export interface EditOptions<Thing extends Revised, Values extends object>
  extends Pick<AppFormOptions<Values, unknown>, "check" | "fieldOf"> {
  /** As it was when the form came up; later readings of it do not touch the form. */
  readonly thing: Thing;
  readonly valuesOf: (thing: Thing) => Values;
  /** Reads it again. */
  readonly read: () => Promise<Thing>;
  /** Sends the change; its answer has the new revision. */
  readonly send: (values: Values, revision: number) => Promise<Revised>;
  /** What stays in the form once it is saved; without it, what was sent. For secrets, which do not. */
  readonly settled?: (values: Values) => Values;
  readonly onDone?: () => void;
}

/** The form, and the changes another user saved meanwhile. */
export interface Edit<Values extends object> {
  readonly form: AppForm<Values>;
  /** null: no conflict. */
  readonly clashes: readonly Clash[] | null;
  /** Where both changed a field, theirs; the rest of what was typed stays. */
  readonly takeTheirs: () => void;
}

/** See `EditOptions`; show `clashes` with `ConflictNote`. */
export function useEdit<Thing extends Revised, Values extends object>(
  options: EditOptions<Thing, Values>,
): Edit<Values> {
  const t = useMessages(operatorPartsMessages);
  const [base, setBase] = useState(() => ({
    revision: options.thing.revision,
    values: options.valuesOf(options.thing),
  }));
  const [clashes, setClashes] = useState<readonly Clash[] | null>(null);
  // As the server writes it, once what was saved here is read again: "5" comes back as
  // "5.00", and no other user changed it.
  const began = options.thing.revision === base.revision ? options.valuesOf(options.thing) : base.values;
  const form: AppForm<Values> = useAppForm<Values, Values>({
    ...options,
    initial: base.values,
    onSubmit: async (values) => {
      const save = async (revision: number) => {
        const saved = await options.send(values, revision);
        const settled = options.settled?.(values) ?? values;
        setBase({ revision: saved.revision, values: settled });
        setClashes(null);
        return settled;
      };
      // What was read since, with the same values in it, is as good as what the form began with.
      const isSame = JSON.stringify(options.valuesOf(options.thing)) === JSON.stringify(began);
      try {
        return await save(isSame ? Math.max(base.revision, options.thing.revision) : base.revision);
      } catch (thrown) {
        if (!isApiError(thrown, "changed_meanwhile")) throw thrown;
        const fresh = await options.read();
        const theirs = options.valuesOf(fresh);
        const merge = mergeEdits(began, values, theirs);
        // They changed something that is not in this form: nothing of theirs is overwritten.
        if (merge.clashes.length === 0) return await save(fresh.revision);
        setBase({ revision: fresh.revision, values: theirs });
        setClashes(merge.clashes);
        form.reset(theirs, merge.values);
        throw new Error(t("conflict"));
      }
    },
    onDone: (settled) => {
      if (options.settled !== undefined) form.reset(settled);
      options.onDone?.();
    },
  });
  const takeTheirs = () => {
    form.set((values) => takingTheirs(values, clashes ?? []));
    setClashes(null);
  };
  return { form, clashes, takeTheirs };
}
