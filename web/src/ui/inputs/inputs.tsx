/**
 * Controls for text, numbers, amounts and dates. All are controlled by `value`
 * and `onChange(value)`. Knows no form.
 */
import { Eye, EyeOff } from "lucide-react";
import { type ReactNode, useState } from "react";
import { uiMessages } from "../../i18n/en/ui.ts";
import { useMessages } from "../../i18n/messages.ts";
import { classNames } from "../class-names.ts";
import { useFieldTie } from "./field.tsx";

/** What every control takes. */
export interface ControlProps<Value> {
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly name?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly onBlur?: (() => void) | undefined;
  /** Only without a `Field` around it. */
  readonly label?: string | undefined;
}

export interface TextInputProps extends ControlProps<string> {
  readonly type?: "text" | "email" | "search" | "url" | "password" | "date" | "datetime-local";
  readonly placeholder?: string;
  readonly autoComplete?: string;
  readonly autoFocus?: boolean;
  readonly maxLength?: number;
  readonly mono?: boolean;
  readonly inputMode?: "text" | "numeric" | "decimal" | "email" | "url" | "search";
  /** An icon at its start. */
  readonly icon?: ReactNode;
  readonly className?: string;
}

/** One line of text. */
export function TextInput(props: TextInputProps) {
  const tie = useFieldTie();
  const input = (
    <input
      {...tie}
      type={props.type ?? "text"}
      name={props.name}
      value={props.value}
      disabled={props.disabled}
      placeholder={props.placeholder}
      autoComplete={props.autoComplete ?? "off"}
      // biome-ignore lint/a11y/noAutofocus: only for the first field of a page or dialog that is nothing but a form.
      autoFocus={props.autoFocus}
      maxLength={props.maxLength}
      inputMode={props.inputMode}
      spellCheck={props.mono === true ? false : undefined}
      aria-label={props.label}
      onBlur={props.onBlur}
      onChange={(event) => props.onChange(event.currentTarget.value)}
      className={classNames(
        "control",
        props.mono === true && "font-mono text-[0.9em]",
        props.icon !== undefined && "pl-9",
        props.icon === undefined && props.className,
      )}
    />
  );
  if (props.icon === undefined) return input;
  return (
    <span className={classNames("relative block", props.className)}>
      <span
        aria-hidden
        className="pointer-events-none absolute inset-y-0 left-2.5 grid place-items-center text-faint"
      >
        {props.icon}
      </span>
      {input}
    </span>
  );
}

export interface PasswordInputProps extends ControlProps<string> {
  readonly autoComplete?: "current-password" | "new-password" | "off";
  readonly placeholder?: string;
  readonly autoFocus?: boolean;
}

/** A secret, hidden until asked for. */
export function PasswordInput(props: PasswordInputProps) {
  const t = useMessages(uiMessages);
  const [isShown, setShown] = useState(false);
  return (
    <span className="relative block">
      <input
        {...useFieldTie()}
        type={isShown ? "text" : "password"}
        name={props.name}
        value={props.value}
        disabled={props.disabled}
        placeholder={props.placeholder}
        autoComplete={props.autoComplete ?? "current-password"}
        // biome-ignore lint/a11y/noAutofocus: only where a page is nothing but this field.
        autoFocus={props.autoFocus}
        spellCheck={false}
        aria-label={props.label}
        onBlur={props.onBlur}
        onChange={(event) => props.onChange(event.currentTarget.value)}
        className="control pr-11"
      />
      <button
        type="button"
        aria-label={isShown ? t("hide") : t("show")}
        aria-pressed={isShown}
        onClick={() => setShown(!isShown)}
        className="absolute inset-y-0 right-0 grid w-10 place-items-center rounded-r-lg text-faint hover:text-ink"
      >
        {isShown ? <EyeOff aria-hidden className="size-4" /> : <Eye aria-hidden className="size-4" />}
      </button>
    </span>
  );
}

export interface NumberInputProps extends ControlProps<number | null> {
  readonly placeholder?: string;
  readonly min?: number;
  readonly max?: number;
  /** "any" for numbers with decimals. */
  readonly step?: number | "any";
  /** A unit shown after it. */
  readonly unit?: string;
}

/** A number, or null when it is empty. What is typed stays as typed. */
export function NumberInput(props: NumberInputProps) {
  const [draft, setDraft] = useState(props.value === null ? "" : String(props.value));
  const text =
    draft !== "" && Number(draft) === props.value ? draft : props.value === null ? "" : String(props.value);
  return (
    <span className="relative block">
      <input
        {...useFieldTie()}
        type="number"
        inputMode={props.step === "any" ? "decimal" : "numeric"}
        name={props.name}
        value={text}
        min={props.min}
        max={props.max}
        step={props.step ?? 1}
        disabled={props.disabled}
        placeholder={props.placeholder}
        aria-label={props.label}
        onBlur={props.onBlur}
        onChange={(event) => {
          const given = event.currentTarget.value;
          setDraft(given);
          const number = Number(given);
          props.onChange(given === "" || !Number.isFinite(number) ? null : number);
        }}
        className={classNames("control figures", props.unit !== undefined && "pr-16")}
      />
      {props.unit !== undefined && (
        <span
          aria-hidden
          className="pointer-events-none absolute inset-y-0 right-8 grid place-items-center text-faint"
        >
          {props.unit}
        </span>
      )}
    </span>
  );
}

export interface MoneyInputProps extends ControlProps<string> {
  readonly placeholder?: string;
  /** As in "per 1M tokens". */
  readonly unit?: string;
}

/** An amount of US dollars, kept as the text it is: never a float. */
export function MoneyInput(props: MoneyInputProps) {
  return (
    <span className="relative block">
      <span
        aria-hidden
        className="pointer-events-none absolute inset-y-0 left-3 grid place-items-center text-faint"
      >
        $
      </span>
      <input
        {...useFieldTie()}
        type="text"
        inputMode="decimal"
        name={props.name}
        value={props.value}
        disabled={props.disabled}
        placeholder={props.placeholder ?? "0.00"}
        autoComplete="off"
        aria-label={props.label}
        onBlur={props.onBlur}
        onChange={(event) => props.onChange(event.currentTarget.value)}
        className={classNames("control figures pl-7", props.unit !== undefined && "pr-28")}
      />
      {props.unit !== undefined && (
        <span
          aria-hidden
          className="pointer-events-none absolute inset-y-0 right-3 grid place-items-center text-small text-faint"
        >
          {props.unit}
        </span>
      )}
    </span>
  );
}

export interface TextAreaProps extends ControlProps<string> {
  readonly rows?: number;
  readonly placeholder?: string;
  readonly maxLength?: number;
  readonly mono?: boolean;
  readonly className?: string;
}

/** Several lines of text. */
export function TextArea(props: TextAreaProps) {
  return (
    <textarea
      {...useFieldTie()}
      name={props.name}
      value={props.value}
      rows={props.rows ?? 4}
      disabled={props.disabled}
      placeholder={props.placeholder}
      maxLength={props.maxLength}
      aria-label={props.label}
      onBlur={props.onBlur}
      onChange={(event) => props.onChange(event.currentTarget.value)}
      className={classNames("control", props.mono === true && "font-mono text-[0.9em]", props.className)}
    />
  );
}

export interface DateInputProps extends ControlProps<string> {
  readonly min?: string;
  readonly max?: string;
  /** With a time of day. */
  readonly withTime?: boolean;
}

/** A day (`2026-11-21`), or with `withTime` a local time (`2026-11-21T08:00`); empty for none. */
export function DateInput(props: DateInputProps) {
  return (
    <input
      {...useFieldTie()}
      type={props.withTime === true ? "datetime-local" : "date"}
      name={props.name}
      value={props.value}
      min={props.min}
      max={props.max}
      disabled={props.disabled}
      aria-label={props.label}
      onBlur={props.onBlur}
      onChange={(event) => props.onChange(event.currentTarget.value)}
      className="control figures"
    />
  );
}
