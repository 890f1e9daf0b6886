/** The search field of the operator's lists. Knows no page. */
import { Search } from "lucide-react";
import { LateTextInput } from "./late-text-input.tsx";

interface SearchBoxProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly label: string;
  readonly className?: string;
}

/** Reports the text once typing rests. */
export function SearchBox(props: SearchBoxProps) {
  return (
    <LateTextInput
      {...props}
      icon={<Search className="size-4" />}
      className={props.className ?? "sm:w-72"}
      maxLength={200}
    />
  );
}
