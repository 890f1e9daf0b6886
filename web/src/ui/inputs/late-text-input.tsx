/**
 * A search text that is reported once typing rests, so that not every
 * letter asks the server. Knows no page.
 */
import { type ReactNode, useEffect, useRef, useState } from "react";
import { TextInput } from "./inputs.tsx";

const restMs = 300;

export interface LateTextInputProps {
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly label: string;
  readonly placeholder?: string;
  readonly icon?: ReactNode;
  readonly mono?: boolean;
  readonly maxLength?: number;
  readonly className?: string;
}

/** See `LateTextInputProps`. */
export function LateTextInput({ value, onChange, label, ...rest }: LateTextInputProps) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const send = useRef(onChange);
  send.current = onChange;
  useEffect(() => {
    // Changed from elsewhere: a link, "clear filters", the back button.
    if (value !== sent.current) setText(value);
    sent.current = value;
  }, [value]);
  useEffect(() => {
    if (text === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = text;
      send.current(text);
    }, restMs);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <TextInput
      {...rest}
      type="search"
      label={label}
      placeholder={rest.placeholder ?? label}
      value={text}
      onChange={setText}
    />
  );
}
