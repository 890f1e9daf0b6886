/**
 * A form's values and the server's word on each field. Everything typed stays on
 * failure. Knows no page and no route.
 */
import { useCallback, useMemo, useRef, useState } from "react";
import { ApiError, type FieldError } from "../api/error.ts";
import { useLanguage } from "../i18n/language.ts";
import { serverText } from "../i18n/server-text.ts";

export interface FormOptions<Values> {
  readonly initial: Values;
  /** Sends it; throws ApiError. Its answer goes to `onDone`. */
  readonly onSubmit: (values: Values) => Promise<unknown>;
  /** After success; by then the form counts as saved, so that going elsewhere asks nothing. */
  readonly onDone?: (answer: never) => void;
  /** Looked at before sending: path and message of each fault. */
  readonly check?: (values: Values) => readonly FieldError[];
}

/** What `Form` and `FormField` work with. */
export interface FormState<Values> {
  readonly values: Values;
  /**
   * Changes some values. A function gets the latest ones, which the last render may not have yet: for a value
   * within another one.
   */
  readonly set: (changes: Partial<Values> | ((latest: Values) => Partial<Values>)) => void;
  /** The message beside a field, by path; a path below it counts, too. */
  readonly errorAt: (path: string) => string | undefined;
  /** Faults of fields that no `FormField` shows. */
  readonly otherErrors: readonly FieldError[];
  /** What failed as a whole; null when only fields are at fault. */
  readonly error: unknown;
  readonly isBusy: boolean;
  readonly isChanged: boolean;
  readonly submit: () => Promise<void>;
  /** Starts over with these values: after a reload of the thing that is edited. */
  readonly reset: (values: Values) => void;
  /** Fields that are on the page; used by `FormField`. */
  readonly shown: Set<string>;
}

/** A fault in the language of the page. */
function textOf({ message, id, params }: FieldError, language: string): string {
  return serverText(message, language, id === undefined ? null : { id, params });
}

function isBelow(path: string, name: string): boolean {
  return path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`);
}

/** `const form = useForm({ initial, onSubmit })`, then `<Form form={form}>` with `FormField`s inside. */
export function useForm<Values extends object>(options: FormOptions<Values>): FormState<Values> {
  const language = useLanguage();
  const [initial, setInitial] = useState(options.initial);
  const [values, setValues] = useState(options.initial);
  const [fieldErrors, setFieldErrors] = useState<readonly FieldError[]>([]);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const shown = useRef(new Set<string>());
  const latest = useRef(options.initial);

  const set = useCallback((given: Partial<Values> | ((latest: Values) => Partial<Values>)) => {
    const changes = typeof given === "function" ? given(latest.current) : given;
    latest.current = { ...latest.current, ...changes };
    setValues(latest.current);
    const names = Object.keys(changes);
    setFieldErrors((current) => current.filter((fault) => !names.some((name) => isBelow(fault.path, name))));
  }, []);

  const fail = (thrown: unknown) => {
    if (thrown instanceof ApiError && (thrown.fields.length > 0 || thrown.param !== null)) {
      const faults =
        thrown.fields.length > 0
          ? thrown.fields
          : [{ path: thrown.param ?? "", message: thrown.message, ...thrown.messageRef }];
      setFieldErrors(faults);
      setError(null);
    } else {
      setError(thrown);
    }
  };

  const submit = async () => {
    if (isBusy) return;
    setError(null);
    const sent = latest.current;
    const faults = options.check?.(sent) ?? [];
    setFieldErrors(faults);
    if (faults.length > 0) return;
    setBusy(true);
    try {
      const answer = await options.onSubmit(sent);
      setInitial(sent);
      options.onDone?.(answer as never);
    } catch (thrown) {
      fail(thrown);
    } finally {
      setBusy(false);
    }
  };

  const reset = useCallback((next: Values) => {
    latest.current = next;
    setInitial(next);
    setValues(next);
    setFieldErrors([]);
    setError(null);
  }, []);

  const isChanged = useMemo(() => JSON.stringify(values) !== JSON.stringify(initial), [values, initial]);
  return {
    values,
    set,
    errorAt: (path) => {
      const found = fieldErrors.find((fault) => isBelow(fault.path, path));
      return found === undefined ? undefined : textOf(found, language);
    },
    otherErrors: fieldErrors
      .filter((fault) => ![...shown.current].some((name) => isBelow(fault.path, name)))
      .map((fault) => ({ ...fault, message: textOf(fault, language) })),
    error,
    isBusy,
    isChanged,
    submit,
    reset,
    shown: shown.current,
  };
}
