/** What the choosers with search take, and what stands on their button. Knows no form. */
import { uiMessages } from "../../i18n/en/ui.ts";
import { useMessages } from "../../i18n/messages.ts";
import { classNames } from "../class-names.ts";
import type { Choice } from "./choices.tsx";
import type { ControlProps } from "./inputs.tsx";

export interface MultiSelectProps extends Omit<ControlProps<readonly string[]>, "label"> {
  readonly choices: readonly Choice[];
  /** Names it where no field does, and stands on the button before a choice. */
  readonly label?: string;
  /** On the button when nothing is chosen. */
  readonly emptyText?: string;
  readonly className?: string;
  /**
   * Of more than can be listed: `choices` are then what was found, the chosen ones
   * among them. Reported once typing rests.
   */
  readonly onSearch?: ((text: string) => void) | undefined;
}

export interface ComboboxProps extends Omit<ControlProps<string>, "label"> {
  readonly choices: readonly Choice[];
  readonly label?: string;
  readonly emptyText?: string;
  readonly className?: string;
}

/** The look of the button; muted while nothing is chosen. */
export function chooserClass(isEmpty: boolean, className: string | undefined): string {
  return classNames(
    "control flex items-center justify-between gap-2 text-left",
    isEmpty && "text-muted",
    className,
  );
}

/** What stands on the button of several. */
export function useManySummary(props: MultiSelectProps): string {
  const t = useMessages(uiMessages);
  const [first] = props.value;
  if (first === undefined) return props.emptyText ?? props.label ?? t("chooseSome");
  const only = props.value.length === 1 ? props.choices.find((choice) => choice.value === first) : undefined;
  return only?.label ?? t("chosen", { count: props.value.length });
}

/** What stands on the button of one. */
export function useOneSummary(props: ComboboxProps): string {
  const t = useMessages(uiMessages);
  if (props.value === "") return props.emptyText ?? t("chooseSome");
  return props.choices.find((choice) => choice.value === props.value)?.label ?? props.value;
}
