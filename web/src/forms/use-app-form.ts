/**
 * The console's form: react-hook-form keeps values, faults and what was changed; this adds how a fault comes
 * from the server and where it is shown. Everything typed stays on failure. Knows no page and no route.
 */
import { useCallback, useRef, useState } from "react";
import {
  type Control,
  type DefaultValues,
  type ErrorOption,
  type Path,
  type PathValue,
  useForm,
} from "react-hook-form";
import { ApiError, type FieldError } from "../api/error.ts";
import { useLanguage } from "../i18n/language.ts";
import { serverText } from "../i18n/server-text.ts";
import { faultType, isAtOrBelow, listedFaults, nestedFaults } from "./faults.ts";

export interface AppFormOptions<Values, Result> {
  readonly initial: Values;
  /** Sends it; throws ApiError. Its answer goes to `onDone`. */
  readonly onSubmit: (values: Values) => Promise<Result>;
  /** After success; by then the form counts as saved, so that going elsewhere asks nothing. */
  readonly onDone?: (answer: Result) => void;
  /** Looked at before sending: path and message of each fault. */
  readonly check?: (values: Values) => readonly FieldError[];
  /** The field of a path of the server, where they differ: `limits.concurrency` may be `concurrency`. */
  readonly fieldOf?: (path: string) => string;
}

/** What `Form` and `FormField` work with. */
export interface AppForm<Values extends object> {
  /** For `FormField`, and for react-hook-form's own hooks: `useFieldArray`. */
  readonly control: Control<Values>;
  /** All of them; a component that reads this is drawn again at every change. */
  readonly values: Values;
  /**
   * Changes some values. A function gets the latest ones, which the last render may not have yet: for a value
   * within another one.
   */
  readonly set: (changes: Partial<Values> | ((latest: Values) => Partial<Values>)) => void;
  /** The message beside a field; that of one below it counts, too. */
  readonly errorAt: (field: string) => string | undefined;
  /** Faults of fields that are not on the page. */
  readonly otherErrors: readonly FieldError[];
  /** What failed as a whole; null when only fields are at fault. */
  readonly error: unknown;
  readonly isBusy: boolean;
  readonly isChanged: boolean;
  readonly submit: () => Promise<void>;
  /** Starts over with these values; `typed`: on top of them, and not saved. */
  readonly reset: (values: Values, typed?: Values) => void;
  /** Fields that are on the page. */
  readonly shown: Set<string>;
}

/** The faults of fields that an error names; undefined when it is about the whole. */
function fieldsOf(thrown: unknown): readonly FieldError[] | undefined {
  if (!(thrown instanceof ApiError)) return undefined;
  if (thrown.fields.length > 0) return thrown.fields;
  if (thrown.param === null) return undefined;
  return [{ path: thrown.param, message: thrown.message, ...thrown.messageRef }];
}

/** `const form = useAppForm({ initial, onSubmit })`, then `<Form form={form}>` with `FormField`s inside. */
export function useAppForm<Values extends object, Result>(
  options: AppFormOptions<Values, Result>,
): AppForm<Values> {
  const language = useLanguage();
  const [error, setError] = useState<unknown>(null);
  const shown = useRef(new Set<string>());
  const { fieldOf = (path: string) => path } = options;
  const atFields = (faults: readonly FieldError[]) =>
    faults.map((fault) => ({ ...fault, path: fieldOf(fault.path) }));
  const form = useForm<Values>({
    defaultValues: options.initial as DefaultValues<Values>,
    resolver: async (values) => {
      const faults = atFields(options.check?.(values) ?? []);
      return faults.length === 0 ? { values, errors: {} } : { values: {}, errors: nestedFaults(faults) };
    },
    // `Form` does it, also for faults of the server.
    shouldFocusError: false,
  });
  const { errors, isSubmitting, isSubmitted, isDirty } = form.formState;

  const send = async (values: Values) => {
    try {
      const answer = await options.onSubmit(values);
      form.reset(values as DefaultValues<Values>, { keepValues: true });
      options.onDone?.(answer);
    } catch (thrown) {
      const faults = fieldsOf(thrown);
      if (faults === undefined) setError(thrown);
      // Of two faults at one field the first is shown.
      else
        for (const { path, ...fault } of atFields(faults).toReversed())
          form.setError(path as Path<Values>, { type: faultType, path, ...fault } as ErrorOption);
    }
  };
  const textOf = ({ message, id, params }: FieldError) =>
    serverText(message, language, id === undefined ? null : { id, params });
  const { getValues, setValue, reset } = form;
  const faults = listedFaults(errors);
  return {
    control: form.control as unknown as Control<Values>,
    get values() {
      return form.watch() as Values;
    },
    set: useCallback(
      (given) => {
        const changes = typeof given === "function" ? given(getValues() as Values) : given;
        for (const [name, value] of Object.entries(changes) as [Path<Values>, PathValue<Values, never>][])
          setValue(name, value, { shouldDirty: true, shouldValidate: isSubmitted });
      },
      [getValues, setValue, isSubmitted],
    ),
    errorAt: (field) => {
      const found = faults.find(({ path }) => isAtOrBelow(path, field));
      return found === undefined ? undefined : textOf(found);
    },
    otherErrors: faults
      .filter(({ path }) => ![...shown.current].some((field) => isAtOrBelow(path, field)))
      .map((fault) => ({ ...fault, message: textOf(fault) })),
    error,
    isBusy: isSubmitting,
    isChanged: isDirty,
    submit: async () => {
      if (isSubmitting) return;
      setError(null);
      await form.handleSubmit(send)();
    },
    reset: useCallback(
      (values, typed) => {
        setError(null);
        reset(values as DefaultValues<Values>);
        if (typed !== undefined) reset(typed as DefaultValues<Values>, { keepDefaultValues: true });
      },
      [reset],
    ),
    shown: shown.current,
  };
}
