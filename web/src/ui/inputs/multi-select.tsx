/**
 * Several of many, with search: a button that opens a list. And one of many, with search. The
 * list loads after the page; until then the button stands there alone, and a press on it opens
 * the list once it is there. Knows no form.
 */
import { ChevronDown } from "lucide-react";
import { useId, useState } from "react";
import { lazyPart } from "../lazy-part.tsx";
import {
  type ComboboxProps,
  chooserClass,
  type MultiSelectProps,
  useManySummary,
  useOneSummary,
} from "./chooser-button.ts";
import { useFieldTie } from "./field.tsx";

export type { ComboboxProps, MultiSelectProps } from "./chooser-button.ts";

const load = () => import("./multi-select-body.tsx");
const { Part: MultiSelectBody } = lazyPart(() => load().then((file) => file.MultiSelectBody));
const { Part: ComboboxBody } = lazyPart(() => load().then((file) => file.ComboboxBody));

/** Several of many. */
export function MultiSelect(props: MultiSelectProps) {
  const summary = useManySummary(props);
  const [isPressed, setPressed] = useState(false);
  return (
    <MultiSelectBody
      {...props}
      isOpenAtFirst={isPressed}
      waiting={({ retry }) => (
        <WaitingButton
          {...props}
          summary={summary}
          isEmpty={props.value.length === 0}
          onPress={() => {
            setPressed(true);
            retry();
          }}
        />
      )}
    />
  );
}

/** One of many; "" for none. */
export function Combobox(props: ComboboxProps) {
  const summary = useOneSummary(props);
  const [isPressed, setPressed] = useState(false);
  return (
    <ComboboxBody
      {...props}
      isOpenAtFirst={isPressed}
      waiting={({ retry }) => (
        <WaitingButton
          {...props}
          summary={summary}
          isEmpty={props.value === ""}
          onPress={() => {
            setPressed(true);
            retry();
          }}
        />
      )}
    />
  );
}

interface WaitingButtonProps {
  readonly summary: string;
  readonly isEmpty: boolean;
  readonly disabled?: boolean | undefined;
  readonly onPress: () => void;
  readonly label?: string;
  readonly className?: string;
}

/** The button before its list is loaded: looks the same, opens nothing yet. */
function WaitingButton({ summary, isEmpty, disabled, onPress, label, className }: WaitingButtonProps) {
  const listId = useId();
  return (
    <button
      {...useFieldTie()}
      type="button"
      role="combobox"
      aria-expanded={false}
      aria-haspopup="listbox"
      aria-controls={listId}
      aria-label={label === undefined ? undefined : `${label}: ${summary}`}
      aria-busy
      disabled={disabled}
      onClick={onPress}
      className={chooserClass(isEmpty, className)}
    >
      <span className="truncate">{summary}</span>
      <ChevronDown aria-hidden className="size-4 shrink-0 text-faint" />
    </button>
  );
}
