/**
 * Controls that choose: select, checkbox, switch, radio group. The browser's own elements, so
 * that phones and keyboards know them.
 */
import { Check, ChevronDown } from "lucide-react";
import { type ReactNode, useId } from "react";
import { classNames } from "../class-names.ts";
import { useFieldLabelId, useFieldTie } from "./field.tsx";
import type { ControlProps } from "./inputs.tsx";

/** One choice. */
export interface Choice<Value extends string = string> {
  readonly value: Value;
  readonly label: string;
  /** A second line, where the control has room for it. */
  readonly hint?: ReactNode;
  readonly disabled?: boolean;
}

export interface SelectProps<Value extends string> extends ControlProps<Value> {
  readonly choices: readonly Choice<Value>[];
  readonly className?: string;
}

/** One of several. For "none", give a choice with the value "". */
export function Select<Value extends string>(props: SelectProps<Value>) {
  return (
    <span className={classNames("relative block", props.className)}>
      <select
        {...useFieldTie()}
        name={props.name}
        value={props.value}
        disabled={props.disabled}
        aria-label={props.label}
        onBlur={props.onBlur}
        onChange={(event) => props.onChange(event.currentTarget.value as Value)}
        className="control appearance-none truncate pr-9"
      >
        {props.choices.map((choice) => (
          <option key={choice.value} value={choice.value} disabled={choice.disabled}>
            {choice.label}
          </option>
        ))}
      </select>
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-2.5 size-4 -translate-y-1/2 text-faint"
      />
    </span>
  );
}

export interface CheckboxProps extends Omit<ControlProps<boolean>, "label"> {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
}

/** Yes or no, with its text beside it. */
export function Checkbox(props: CheckboxProps) {
  const id = useId();
  return (
    <span className="flex items-start gap-2.5">
      <span className="relative mt-0.5 grid size-[1.15rem] shrink-0 place-items-center">
        <input
          id={id}
          type="checkbox"
          name={props.name}
          checked={props.value}
          disabled={props.disabled}
          aria-describedby={props.hint === undefined ? undefined : `${id}-hint`}
          onChange={(event) => props.onChange(event.currentTarget.checked)}
          className="peer size-full appearance-none rounded border border-control bg-surface checked:border-transparent checked:bg-accent-strong disabled:opacity-50"
        />
        <Check
          aria-hidden
          strokeWidth={3}
          className="pointer-events-none absolute hidden size-3.5 text-on-accent peer-checked:block"
        />
      </span>
      <span className="min-w-0">
        <label htmlFor={id}>{props.label}</label>
        {props.hint !== undefined && (
          <span id={`${id}-hint`} className="block text-small text-muted">
            {props.hint}
          </span>
        )}
      </span>
    </span>
  );
}

/** On or off; applies immediately. */
export function Switch(props: CheckboxProps) {
  const id = useId();
  return (
    <span className="flex items-start justify-between gap-4">
      <span className="min-w-0">
        <label htmlFor={id} className="font-medium">
          {props.label}
        </label>
        {props.hint !== undefined && (
          <span id={`${id}-hint`} className="block text-small text-muted">
            {props.hint}
          </span>
        )}
      </span>
      <span className="relative mt-0.5 inline-block h-5 w-9 shrink-0">
        <input
          id={id}
          type="checkbox"
          role="switch"
          aria-checked={props.value}
          name={props.name}
          checked={props.value}
          disabled={props.disabled}
          aria-describedby={props.hint === undefined ? undefined : `${id}-hint`}
          onChange={(event) => props.onChange(event.currentTarget.checked)}
          className="peer size-full appearance-none rounded-full bg-control transition-colors checked:bg-accent-strong disabled:opacity-50"
        />
        <span
          aria-hidden
          className="pointer-events-none absolute top-0.5 left-0.5 size-4 rounded-full bg-on-accent transition-transform peer-checked:translate-x-4"
        />
      </span>
    </span>
  );
}

export interface RadioGroupProps<Value extends string> extends ControlProps<Value> {
  readonly choices: readonly Choice<Value>[];
  /** Beside each other, as segments. */
  readonly inline?: boolean;
}

/** One of a few, all visible. Inside a `Field`, or with `label`. */
export function RadioGroup<Value extends string>(props: RadioGroupProps<Value>) {
  const group = useId();
  const labelId = useFieldLabelId();
  return (
    <div
      role="radiogroup"
      aria-label={props.label}
      aria-labelledby={props.label === undefined ? labelId : undefined}
      className={
        props.inline === true
          ? "inline-flex w-fit max-w-full flex-wrap gap-0.5 rounded-lg bg-sunken p-0.5"
          : "flex flex-col gap-2"
      }
    >
      {props.choices.map((choice) => (
        <RadioItem
          key={choice.value}
          choice={choice}
          name={props.name ?? group}
          checked={choice.value === props.value}
          disabled={props.disabled === true || choice.disabled === true}
          inline={props.inline === true}
          onPick={() => props.onChange(choice.value)}
        />
      ))}
    </div>
  );
}

/** Also for what a fieldset around it disables. */
const offWhenDisabled = "cursor-pointer has-disabled:cursor-not-allowed has-disabled:opacity-50";

interface RadioItemProps {
  readonly choice: Choice;
  readonly name: string;
  readonly checked: boolean;
  readonly disabled: boolean;
  readonly inline: boolean;
  readonly onPick: () => void;
}

function RadioItem({ choice, name, checked, disabled, inline, onPick }: RadioItemProps) {
  const input = (
    <input
      type="radio"
      name={name}
      value={choice.value}
      checked={checked}
      disabled={disabled}
      onChange={onPick}
      className={
        inline
          ? "sr-only"
          : "mt-1 size-4 shrink-0 appearance-none rounded-full border border-control bg-surface checked:border-[5px] checked:border-accent-strong"
      }
    />
  );
  if (inline) {
    return (
      // biome-ignore lint/a11y/noLabelWithoutControl: its control is `input`, above.
      <label
        className={classNames(
          "relative inline-flex min-h-8 items-center rounded-md px-3 text-body",
          "has-focus-visible:outline-2 has-focus-visible:outline-accent",
          checked ? "bg-raised font-medium text-ink shadow-card" : "text-muted hover:text-ink",
          offWhenDisabled,
        )}
      >
        {input}
        {choice.label}
      </label>
    );
  }
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: its control is `input`, above.
    <label className={classNames("flex items-start gap-2.5", offWhenDisabled)}>
      {input}
      <span className="min-w-0">
        {choice.label}
        {choice.hint !== undefined && <span className="block text-small text-muted">{choice.hint}</span>}
      </span>
    </label>
  );
}
