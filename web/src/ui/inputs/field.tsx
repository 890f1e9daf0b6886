/** What stands around a control: label, hint, error, and how they are tied together. Knows no form. */
import { createContext, type ReactNode, useContext, useId, useMemo } from "react";
import { uiMessages } from "../../i18n/en/ui.ts";
import { useMessages } from "../../i18n/messages.ts";
import { classNames } from "../class-names.ts";

interface FieldTie {
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly isInvalid: boolean;
  readonly isRequired: boolean;
}

const FieldContext = createContext<FieldTie | null>(null);

export interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly required?: boolean;
  /** Says "optional" beside the label. */
  readonly optional?: boolean;
  /** Only for screen readers. */
  readonly hideLabel?: boolean;
  readonly children: ReactNode;
  readonly className?: string;
}

/** A labelled control. Controls of this design system inside it tie themselves to it. */
export function Field(props: FieldProps) {
  const t = useMessages(uiMessages);
  const id = useId();
  const hintId = props.hint === undefined ? undefined : `${id}-hint`;
  const errorId = props.error === undefined ? undefined : `${id}-error`;
  const describedBy = [errorId, hintId].filter((part) => part !== undefined).join(" ");
  const isInvalid = props.error !== undefined;
  const isRequired = props.required === true;
  const tie = useMemo(
    () => ({ id, describedBy: describedBy === "" ? undefined : describedBy, isInvalid, isRequired }),
    [id, describedBy, isInvalid, isRequired],
  );
  return (
    <div className={classNames("flex min-w-0 flex-col gap-1.5", props.className)}>
      <label
        htmlFor={id}
        id={`${id}-label`}
        className={props.hideLabel === true ? "sr-only" : "flex items-baseline gap-2 font-medium"}
      >
        {props.label}
        {props.optional === true && <span className="text-tiny font-normal text-faint">{t("optional")}</span>}
      </label>
      <FieldContext value={tie}>{props.children}</FieldContext>
      {errorId !== undefined && (
        <p id={errorId} className="text-small text-bad">
          {props.error}
        </p>
      )}
      {hintId !== undefined && (
        <p id={hintId} className="text-small text-muted">
          {props.hint}
        </p>
      )}
    </div>
  );
}

/** The attributes that tie a control to the field around it; none outside a field. */
export function useFieldTie() {
  const tie = useContext(FieldContext);
  if (tie === null) return {};
  return {
    id: tie.id,
    "aria-describedby": tie.describedBy,
    "aria-invalid": tie.isInvalid || undefined,
    "aria-required": tie.isRequired || undefined,
  };
}

/** The id of the label around a group of controls. */
export function useFieldLabelId(): string | undefined {
  const tie = useContext(FieldContext);
  return tie === null ? undefined : `${tie.id}-label`;
}
