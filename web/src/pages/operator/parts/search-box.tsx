/** A search field that asks once the typing rests. Knows no page. */
import { Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { TextInput } from "../../../ui/inputs.tsx";

interface SearchBoxProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly label: string;
  readonly className?: string;
}

const restMs = 250;

/** Follows `value` when it changes elsewhere: a cleared filter, the back button. */
export function SearchBox({ value, onChange, label, className }: SearchBoxProps) {
  const [draft, setDraft] = useState(value);
  const told = useRef(value);
  useEffect(() => {
    if (value === told.current) return;
    told.current = value;
    setDraft(value);
  }, [value]);
  useEffect(() => {
    if (draft === told.current) return;
    const timer = setTimeout(() => {
      told.current = draft;
      onChange(draft);
    }, restMs);
    return () => clearTimeout(timer);
  }, [draft, onChange]);
  return (
    <TextInput
      type="search"
      icon={<Search className="size-4" />}
      label={label}
      placeholder={label}
      value={draft}
      onChange={setDraft}
      className={className ?? "sm:w-64"}
    />
  );
}
