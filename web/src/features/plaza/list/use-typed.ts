/** Text that shows immediately and goes to the URL a moment later. */
import { useEffect, useRef, useState } from "react";

/** The text and how it is changed; `onSettle` gets it once typing rests. */
export function useTyped(value: string, onSettle: (text: string) => void): [string, (text: string) => void] {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const settle = useRef(onSettle);
  settle.current = onSettle;
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    if (text === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = text;
      settle.current(text);
    }, 180);
    return () => clearTimeout(timer);
  }, [text]);
  return [text, setText];
}
