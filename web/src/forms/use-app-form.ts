/**
 * The console's form: react-hook-form keeps values, faults and what was changed; this adds the contract's
 * schema of what is sent, and where the server's faults are shown. Everything typed stays on failure. Knows
 * no page.
 */
import { useCallback, useEffect, useReducer, useRef, useState } from "react";
import {
  type Control,
  type DefaultValues,
  type ErrorOption,
  type Path,
  type PathValue,
  useForm,
} from "react-hook-form";
import { ApiError, type FieldError } from "../api/error.ts";
import type { Answer, SentTo } from "../api/routes.ts";
import type { ChangeRoute } from "../api/stale.ts";
import { useLanguage } from "../i18n/language.ts";
import { serverText } from "../i18n/server-text.ts";
import { faultType, isAtOrBelow, isShownBelow, listedFaults, nestedFaults } from "./faults.ts";
import { sendChange } from "./send-change.ts";

/** What every form has. */
export interface FormOptions<Values, Result> {
  readonly initial: Values;
  /** After success; by then the form counts as saved, so that going elsewhere asks nothing. */
  readonly onDone?: (answer: Result, values: Values) => void;
  /** Faults that no schema knows. */
  readonly check?: (values: Values) => readonly FieldError[];
  /** The field of a path of the server, where they differ: `responsesKeptMs` may be `keptHours`. */
  readonly fieldOf?: (path: string, values: Values) => string;
}

/** A form for one route: what is sent is checked with the contract's schema first. */
export interface RouteForm<Name extends ChangeRoute, Values, Result = Answer<Name>>
  extends FormOptions<Values, Result> {
  readonly route: Name;
  readonly sent: (values: Values) => SentTo<Name>;
  /** Without it the route is called, and what it makes stale is asked for again. */
  readonly onSubmit?: (values: Values) => Promise<Result>;
}

/** A form without one: signing in, several routes, none at all. */
export interface OwnForm<Values, Result> extends FormOptions<Values, Result> {
  /** Throws ApiError. Its answer goes to `onDone`. */
  readonly onSubmit: (values: Values) => Promise<Result>;
}

type AnyForm<Values> = RouteForm<ChangeRoute, Values, unknown> | OwnForm<Values, unknown>;

const isForRoute = <Values>(options: AnyForm<Values>): options is RouteForm<ChangeRoute, Values, unknown> =>
  "route" in options;

/** Without a connection no schema comes, and the server alone checks. */
const loadSchemas = () =>
  import("./body-faults.ts").then(
    (file) => file.bodyFaults,
    () => () => [],
  );

async function faultsOf<Values>(options: AnyForm<Values>, values: Values): Promise<readonly FieldError[]> {
  const own = options.check?.(values) ?? [];
  if (!isForRoute(options)) return own;
  const { body } = options.sent(values) as { readonly body?: unknown };
  return [...own, ...(await loadSchemas())(options.route, body)];
}

async function sendForm<Values>(options: AnyForm<Values>, values: Values): Promise<unknown> {
  if (!isForRoute(options)) return await options.onSubmit(values);
  return await (options.onSubmit?.(values) ?? sendChange(options.route, options.sent(values)));
}

/** What `Form` and `FormField` work with. */
export interface AppForm<Values extends object> {
  /** For `FormField`, and for react-hook-form's own hooks: `useFieldArray`. */
  readonly control: Control<Values>;
  /** All of them; a component that reads this is drawn again at every change. */
  readonly values: Values;
  /** Changes some values. */
  readonly set: (changes: Partial<Values>) => void;
  /** Changes a value within another one: `deployments.0.cost`. */
  readonly setAt: <Name extends Path<Values>>(name: Name, value: PathValue<Values, Name>) => void;
  /** The message of a field, or of one below it. */
  readonly errorAt: (field: string) => string | undefined;
  /** The same, without the messages that a field below shows itself. */
  readonly ownErrorAt: (field: string) => string | undefined;
  /** Faults of fields that are not on the page. */
  readonly otherErrors: readonly FieldError[];
  /** What failed as a whole; null when only fields are at fault. */
  readonly error: unknown;
  readonly isBusy: boolean;
  readonly isChanged: boolean;
  readonly submit: () => Promise<void>;
  /** Starts over with these values; `typed`: on top of them, and not saved. */
  readonly reset: (values: Values, typed?: Values) => void;
  /** Notes that a field is on the page, so that its fault stands there; returns what notes its end. */
  readonly noteShown: (field: string) => () => void;
}

/** The faults of fields that an error names; undefined when it is about the whole. */
function fieldsOf(thrown: unknown): readonly FieldError[] | undefined {
  if (!(thrown instanceof ApiError)) return undefined;
  if (thrown.fields.length > 0) return thrown.fields;
  if (thrown.param === null) return undefined;
  return [{ path: thrown.param, message: thrown.message, ...thrown.messageRef }];
}

/** The fields that are on the page. One that comes because it is at fault changes where faults stand. */
function useShownFields(isFaulty: boolean) {
  const [shown] = useState(() => new Set<string>());
  const [, drawAgain] = useReducer((count: number) => count + 1, 0);
  const wasFaulty = useRef(isFaulty);
  wasFaulty.current = isFaulty;
  const noteShown = useCallback(
    (field: string) => {
      shown.add(field);
      if (wasFaulty.current) drawAgain();
      return () => void shown.delete(field);
    },
    [shown],
  );
  return { shown, noteShown };
}

/**
 * `const form = useAppForm({ initial, route: "post /keys", sent: (values) => ({ body: values }) })`, then
 * `<Form form={form}>` with `FormField`s inside.
 */
export function useAppForm<Values extends object, Name extends ChangeRoute, Result = Answer<Name>>(
  options: RouteForm<Name, Values, Result>,
): AppForm<Values>;
export function useAppForm<Values extends object, Result>(options: OwnForm<Values, Result>): AppForm<Values>;
export function useAppForm<Values extends object>(options: AnyForm<Values>): AppForm<Values> {
  const language = useLanguage();
  const [error, setError] = useState<unknown>(null);
  const { fieldOf = (path: string) => path } = options;
  const atFields = (faults: readonly FieldError[], values: Values) =>
    faults.map((fault) => ({ ...fault, path: fault.path === "" ? "root" : fieldOf(fault.path, values) }));
  const form = useForm<Values>({
    defaultValues: options.initial as DefaultValues<Values>,
    resolver: async (values) => {
      const faults = atFields(await faultsOf(options, values), values);
      return faults.length === 0 ? { values, errors: {} } : { values: {}, errors: nestedFaults(faults) };
    },
    // `Form` does it, also for faults of the server.
    shouldFocusError: false,
  });
  const { errors, isSubmitting, isSubmitted, isDirty } = form.formState;
  const isChecked = isForRoute(options);
  useEffect(() => {
    if (isDirty && isChecked) void loadSchemas();
  }, [isDirty, isChecked]);

  const send = async (values: Values) => {
    try {
      const answer = await sendForm(options, values);
      form.reset(values as DefaultValues<Values>, { keepValues: true });
      options.onDone?.(answer as never, values);
    } catch (thrown) {
      const faults = fieldsOf(thrown);
      if (faults === undefined) setError(thrown);
      // Of two faults at one field the first is shown.
      else
        for (const { path, ...fault } of atFields(faults, values).toReversed())
          form.setError(path as Path<Values>, { type: faultType, path, ...fault } as ErrorOption);
    }
  };
  const textOf = ({ message, id, params }: FieldError) =>
    serverText(message, language, id === undefined ? null : { id, params });
  const { setValue, reset } = form;
  const faults = listedFaults(errors);
  const { shown, noteShown } = useShownFields(faults.length > 0);
  const setAt = useCallback(
    (name: Path<Values>, value: unknown) =>
      setValue(name, value as PathValue<Values, never>, { shouldDirty: true, shouldValidate: isSubmitted }),
    [setValue, isSubmitted],
  );
  const messageOf = (fault: FieldError | undefined) => (fault === undefined ? undefined : textOf(fault));
  return {
    control: form.control as unknown as Control<Values>,
    get values() {
      return form.watch() as Values;
    },
    set: useCallback(
      (changes) => {
        for (const [name, value] of Object.entries(changes)) setAt(name as Path<Values>, value);
      },
      [setAt],
    ),
    setAt,
    errorAt: (field) => messageOf(faults.find(({ path }) => isAtOrBelow(path, field))),
    ownErrorAt: (field) =>
      messageOf(faults.find(({ path }) => isAtOrBelow(path, field) && !isShownBelow(path, field, shown))),
    otherErrors: faults
      .filter(({ path }) => ![...shown].some((field) => isAtOrBelow(path, field)))
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
    noteShown,
  };
}
