/** The two choosers with search, on Base UI; loaded by `multi-select.tsx`. Knows no form. */
import { Combobox as BaseCombobox } from "@base-ui/react/combobox";
import { Check, ChevronDown } from "lucide-react";
import { useEffect, useRef } from "react";
import { uiMessages } from "../../i18n/en/ui.ts";
import { useMessages } from "../../i18n/messages.ts";
import type { Choice } from "./choices.tsx";
import {
  type ComboboxProps,
  chooserClass,
  type MultiSelectProps,
  useManySummary,
  useOneSummary,
} from "./chooser-button.ts";
import { useFieldTie } from "./field.tsx";

/** Most items drawn; search finds the rest. */
const drawnMax = 200;

/** Milliseconds without a key that count as a rest. */
const typingRestMs = 250;

function useRested(onRested: ((text: string) => void) | undefined): (text: string) => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (text) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onRested?.(text), typingRestMs);
  };
}

interface OpenAtFirst {
  /** Its button was pressed before this was loaded. */
  readonly isOpenAtFirst: boolean;
}

/** Several of many. */
export function MultiSelectBody(props: MultiSelectProps & OpenAtFirst) {
  const tie = useFieldTie();
  const search = useRested(props.onSearch);
  const chosen = props.choices.filter((choice) => props.value.includes(choice.value));
  const summary = useManySummary(props);
  return (
    <BaseCombobox.Root
      multiple
      items={props.choices}
      limit={drawnMax}
      value={chosen}
      disabled={props.disabled === true}
      defaultOpen={props.isOpenAtFirst}
      {...(props.onSearch === undefined ? {} : { filter: null, onInputValueChange: search })}
      isItemEqualToValue={(item: Choice, value: Choice) => item.value === value.value}
      onValueChange={(next: Choice[]) => props.onChange(next.map((choice) => choice.value))}
    >
      <BaseCombobox.Trigger
        {...tie}
        aria-label={props.label === undefined ? undefined : `${props.label}: ${summary}`}
        className={chooserClass(props.value.length === 0, props.className)}
      >
        <span className="truncate">{summary}</span>
        <ChevronDown aria-hidden className="size-4 shrink-0 text-faint" />
      </BaseCombobox.Trigger>
      <ChoicePopup />
    </BaseCombobox.Root>
  );
}

/** One of many; "" for none. */
export function ComboboxBody(props: ComboboxProps & OpenAtFirst) {
  const tie = useFieldTie();
  const chosen = props.choices.find((choice) => choice.value === props.value) ?? null;
  const summary = useOneSummary(props);
  return (
    <BaseCombobox.Root
      items={props.choices}
      limit={drawnMax}
      value={chosen}
      disabled={props.disabled === true}
      defaultOpen={props.isOpenAtFirst}
      isItemEqualToValue={(item: Choice, value: Choice) => item.value === value.value}
      onValueChange={(next: Choice | null) => props.onChange(next?.value ?? "")}
    >
      <BaseCombobox.Trigger
        {...tie}
        aria-label={props.label === undefined ? undefined : `${props.label}: ${summary}`}
        className={chooserClass(chosen === null, props.className)}
      >
        <span className="truncate">{summary}</span>
        <ChevronDown aria-hidden className="size-4 shrink-0 text-faint" />
      </BaseCombobox.Trigger>
      <ChoicePopup />
    </BaseCombobox.Root>
  );
}

function ChoicePopup() {
  const t = useMessages(uiMessages);
  return (
    <BaseCombobox.Portal>
      <BaseCombobox.Positioner sideOffset={4} align="start" className="z-50 outline-none">
        <BaseCombobox.Popup
          aria-label={t("chooseSome")}
          className="float-in flex max-h-[min(22rem,var(--available-height))] w-[max(var(--anchor-width),15rem)] max-w-[min(28rem,var(--available-width))] flex-col overflow-hidden rounded-xl bg-raised shadow-float"
        >
          <div className="border-b border-line p-2">
            <BaseCombobox.Input aria-label={t("search")} placeholder={t("search")} className="control" />
          </div>
          <BaseCombobox.Empty className="px-4 py-3 text-muted empty:hidden">
            {t("noMatches")}
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
                    <span className="block text-small text-muted">{choice.hint}</span>
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
