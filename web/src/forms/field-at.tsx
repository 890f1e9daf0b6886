/** A field of a form for a value deep inside it: its error is found by the server's path. Knows no page. */
import { type ReactNode, useEffect } from "react";
import { Field, type FieldProps } from "../ui/inputs/field.tsx";
import type { FormState } from "./use-form.ts";

interface FieldAtProps<Values> extends Omit<FieldProps, "error"> {
  readonly form: FormState<Values>;
  /** As in `deployments.0.model`. */
  readonly path: string;
  readonly children: ReactNode;
}

/** Says to the form that this path is on the page, so that its error stands here and not at the foot. */
export function FieldAt<Values>({ form, path, ...field }: FieldAtProps<Values>) {
  const { shown } = form;
  useEffect(() => {
    shown.add(path);
    return () => {
      shown.delete(path);
    };
  }, [shown, path]);
  return <Field {...field} error={form.errorAt(path)} />;
}
