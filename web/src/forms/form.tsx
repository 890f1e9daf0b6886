/**
 * The form element around `useAppForm`: errors, focus on the first fault, and the
 * question before unsaved changes are left.
 */
import { useBlocker } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import { type Path, type PathValue, useController } from "react-hook-form";
import { uiMessages } from "../i18n/en/ui.ts";
import { useMessages } from "../i18n/messages.ts";
import { Button } from "../ui/button.tsx";
import { Field, type FieldProps } from "../ui/inputs/field.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { ErrorNote } from "../ui/states.tsx";
import type { AppForm } from "./use-app-form.ts";

export interface FormProps<Values extends object> {
  readonly form: AppForm<Values>;
  readonly children: ReactNode;
  /** The text of the button; without it, put a `<Button type="submit">` inside yourself. */
  readonly act?: string;
  /** The button is as wide as the form: for the small cards of signing in. */
  readonly isActWide?: boolean;
  readonly isActDisabled?: boolean;
  /** Beside the button. */
  readonly also?: ReactNode;
  /** False: leaving asks nothing (sign-in). */
  readonly guard?: boolean;
  readonly className?: string;
  /** For a submit button elsewhere: `<Button type="submit" form={id}>`. */
  readonly id?: string;
}

/** See `FormProps`. */
export function Form<Values extends object>({
  form,
  children,
  guard = true,
  className,
  id,
  ...rest
}: FormProps<Values>) {
  const { act, also, isActWide = false, isActDisabled = false } = rest;
  const element = useRef<HTMLFormElement>(null);
  const isFaulty = form.error !== null || form.otherErrors.length > 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    void form.submit();
  };
  // The first fault takes the focus once the refusal is on the page.
  const wasBusy = useRef(false);
  useEffect(() => {
    if (wasBusy.current && !form.isBusy) {
      const first = element.current?.querySelector<HTMLElement>("[aria-invalid='true']");
      first?.focus();
    }
    wasBusy.current = form.isBusy;
  });
  return (
    <form ref={element} id={id} noValidate onSubmit={submit} className={className ?? "flex flex-col gap-5"}>
      {children}
      {isFaulty && (
        <div className="flex flex-col gap-2">
          {form.error !== null && <ErrorNote error={form.error} />}
          {form.otherErrors.map((fault) => (
            <ErrorNote key={fault.path} error={new Error(fault.message)} />
          ))}
        </div>
      )}
      {(act !== undefined || also !== undefined) && (
        <div className="flex flex-wrap items-center gap-2">
          {act !== undefined && (
            <Button
              type="submit"
              variant="primary"
              busy={form.isBusy}
              disabled={isActDisabled}
              className={isActWide ? "w-full" : undefined}
            >
              {act}
            </Button>
          )}
          {also}
        </div>
      )}
      {guard && <LeaveGuard isChanged={form.isChanged && !form.isBusy} />}
    </form>
  );
}

interface Place {
  readonly pathname: string;
  readonly search: unknown;
}

/**
 * True when the form is still there: the same page in the same state. A fragment (`#main`) leaves nothing.
 */
function isSamePlace(current: Place, next: Place): boolean {
  return current.pathname === next.pathname && JSON.stringify(current.search) === JSON.stringify(next.search);
}

function LeaveGuard({ isChanged }: { readonly isChanged: boolean }) {
  const t = useMessages(uiMessages);
  const blocker = useBlocker({
    // A form may be a page's state in the search (`?new=1`): leaving that loses it as well as leaving the
    // page.
    shouldBlockFn: ({ current, next }) => isChanged && !isSamePlace(current, next),
    enableBeforeUnload: () => isChanged,
    withResolver: true,
  });
  if (blocker.status !== "blocked") return null;
  return (
    <Dialog
      open
      onClose={blocker.reset}
      title={t("unsavedTitle")}
      foot={
        <>
          <Button onClick={blocker.proceed}>{t("leave")}</Button>
          <Button variant="primary" onClick={blocker.reset}>
            {t("stay")}
          </Button>
        </>
      }
    >
      <p className="text-muted">{t("unsavedText")}</p>
    </Dialog>
  );
}

export interface FormFieldProps<Values extends object, Name extends Path<Values>> {
  readonly form: AppForm<Values>;
  /** With dots for what is inside a value: `deployments.0.model`. */
  readonly name: Name;
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly required?: boolean;
  readonly optional?: boolean;
  readonly hideLabel?: boolean;
  readonly className?: string;
  /** The control: `(bind) => <TextInput {...bind} />`. */
  readonly children: (bind: {
    readonly name: string;
    readonly value: PathValue<Values, Name>;
    readonly onChange: (value: PathValue<Values, Name>) => void;
  }) => ReactNode;
}

/** Says to the form that this field is on the page, so that its fault stands here and not at the foot. */
function useShown(noteShown: AppForm<object>["noteShown"], name: string): void {
  useLayoutEffect(() => noteShown(name), [noteShown, name]);
}

/** One field of a form with its label, hint and error. */
export function FormField<Values extends object, Name extends Path<Values>>(
  props: FormFieldProps<Values, Name>,
) {
  const { form, name, children, ...rest } = props;
  const { field } = useController({ control: form.control, name });
  useShown(form.noteShown, name);
  return (
    <Field {...rest} error={form.ownErrorAt(name)}>
      {children({ name, value: field.value, onChange: field.onChange })}
    </Field>
  );
}

interface FieldGroupProps<Values extends object> extends Omit<FieldProps, "error"> {
  readonly form: AppForm<Values>;
  readonly name: string;
}

/** Several controls with one label: a list, a choice of many. Faults in it that no field shows stand here. */
export function FieldGroup<Values extends object>({ form, name, ...field }: FieldGroupProps<Values>) {
  useShown(form.noteShown, name);
  return <Field {...field} error={form.ownErrorAt(name)} />;
}
