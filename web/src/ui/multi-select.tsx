/** Several of many, with search: a button that opens a list. And one of many, with search. Knows no form. */
import { Combobox as BaseCombobox } from "@base-ui/react/combobox";
import { Check, ChevronDown } from "lucide-react";
import { useEffect, useRef } from "react";
import { uiWords } from "../words/ui.ts";
import { useWords } from "../words/words.ts";
import type { Choice } from "./choices.tsx";
import { classNames } from "./class-names.ts";
import { useFieldTie } from "./field.tsx";
import type { ControlProps } from "./inputs.tsx";

/** Most that are drawn at once; search finds the rest. */
const drawnMax = 200;

export interface MultiSelectProps extends Omit<ControlProps<readonly string[]>, "label"> {
  readonly choices: readonly Choice[];
  /** Names it where no field does, and stands on the button before a choice. */
  readonly label?: string;
  /** On the button when nothing is chosen. */
  readonly emptyText?: string;
  readonly className?: string;
  /** Of more than can be listed: `choices` are then what was found, the chosen ones among them. Told once typing rests. */
  readonly onSearch?: ((text: string) => void) | undefined;
}

/** Milliseconds without a key that count as a rest. */
const typingRestMs = 250;

function useRested(told: ((text: string) => void) | undefined): (text: string) => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (text) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => told?.(text), typingRestMs);
  };
}

/** Several of many. */
export function MultiSelect(props: MultiSelectProps) {
  const say = useWords(uiWords);
  const tie = useFieldTie();
  const search = useRested(props.onSearch);
  const chosen = props.choices.filter((choice) => props.value.includes(choice.value));
  const lost = props.value.length - chosen.length;
  const summary =
    chosen.length === 1 && lost === 0 && chosen[0] !== undefined
      ? chosen[0].label
      : props.value.length === 0
        ? (props.emptyText ?? props.label ?? say("chooseSome"))
        : say("chosen", { count: props.value.length });
  return (
    <BaseCombobox.Root
      multiple
      items={props.choices}
      limit={drawnMax}
      value={chosen}
      disabled={props.disabled === true}
      {...(props.onSearch === undefined ? {} : { filter: null, onInputValueChange: search })}
      isItemEqualToValue={(item: Choice, value: Choice) => item.value === value.value}
      onValueChange={(next: Choice[]) => props.onChange(next.map((choice) => choice.value))}
    >
      <BaseCombobox.Trigger
        {...tie}
        aria-label={props.label === undefined ? undefined : `${props.label}: ${summary}`}
        className={classNames(
          "control flex items-center justify-between gap-2 text-left",
          props.value.length === 0 && "text-muted",
          props.className,
        )}
      >
        <span className="truncate">{summary}</span>
        <ChevronDown aria-hidden className="size-4 shrink-0 text-faint" />
      </BaseCombobox.Trigger>
      <ChoicePopup />
    </BaseCombobox.Root>
  );
}

export interface ComboboxProps extends Omit<ControlProps<string>, "label"> {
  readonly choices: readonly Choice[];
  readonly label?: string;
  readonly emptyText?: string;
  readonly className?: string;
}

/** One of many; "" for none. */
export function Combobox(props: ComboboxProps) {
  const say = useWords(uiWords);
  const tie = useFieldTie();
  const chosen = props.choices.find((choice) => choice.value === props.value) ?? null;
  const summary =
    chosen?.label ?? (props.value === "" ? (props.emptyText ?? say("chooseSome")) : props.value);
  return (
    <BaseCombobox.Root
      items={props.choices}
      limit={drawnMax}
      value={chosen}
      disabled={props.disabled === true}
      isItemEqualToValue={(item: Choice, value: Choice) => item.value === value.value}
      onValueChange={(next: Choice | null) => props.onChange(next?.value ?? "")}
    >
      <BaseCombobox.Trigger
        {...tie}
        aria-label={props.label === undefined ? undefined : `${props.label}: ${summary}`}
        className={classNames(
          "control flex items-center justify-between gap-2 text-left",
          chosen === null && "text-muted",
          props.className,
        )}
      >
        <span className="truncate">{summary}</span>
        <ChevronDown aria-hidden className="size-4 shrink-0 text-faint" />
      </BaseCombobox.Trigger>
      <ChoicePopup />
    </BaseCombobox.Root>
  );
}

function ChoicePopup() {
  const say = useWords(uiWords);
  return (
    <BaseCombobox.Portal>
      <BaseCombobox.Positioner sideOffset={4} align="start" className="z-50 outline-none">
        <BaseCombobox.Popup
          aria-label={say("chooseSome")}
          className="float-in flex max-h-[min(22rem,var(--available-height))] w-[max(var(--anchor-width),15rem)] max-w-[min(28rem,var(--available-width))] flex-col overflow-hidden rounded-xl bg-raised shadow-float"
        >
          <div className="border-b border-line p-2">
            <BaseCombobox.Input aria-label={say("search")} placeholder={say("search")} className="control" />
          </div>
          <BaseCombobox.Empty className="px-4 py-3 text-muted empty:hidden">
            {say("noMatches")}
          </BaseCombobox.Empty>
          <BaseCombobox.List className="min-h-0 overflow-y-auto overscroll-contain p-1 empty:hidden">
            {(choice: Choice) => (
              <BaseCombobox.Item
                key={choice.value}
                value={choice}
                disabled={choice.disabled === true}
                className="grid cursor-default grid-cols-[1.1rem_1fr] items-start gap-2 rounded-lg px-2 py-1.5 data-highlighted:bg-hover data-disabled:opacity-50"
              >
                <BaseCombobox.ItemIndicator className="col-start-1 mt-1">
                  <Check aria-hidden className="size-4 text-accent" />
                </BaseCombobox.ItemIndicator>
                <span className="col-start-2 min-w-0">
                  {choice.label}
                  {choice.hint !== undefined && (
                    <span className="block text-[0.87rem] text-muted">{choice.hint}</span>
                  )}
                </span>
              </BaseCombobox.Item>
            )}
          </BaseCombobox.List>
        </BaseCombobox.Popup>
      </BaseCombobox.Positioner>
    </BaseCombobox.Portal>
  );
}
