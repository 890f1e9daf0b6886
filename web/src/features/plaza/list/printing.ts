/** Printing the lists of the plaza: with rows that a screen does not draw. */
import { useEffect, useState } from "react";
import { flushSync } from "react-dom";

/** Most rows that are drawn for paper; beyond this a browser runs out of memory before it runs out of ink. */
export const printedRows = 400;

/** True while the page is being printed: lists then draw what scrolling would show. */
export function useIsPrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const before = () => flushSync(() => setPrinting(true));
    const after = () => setPrinting(false);
    window.addEventListener("beforeprint", before);
    window.addEventListener("afterprint", after);
    return () => {
      window.removeEventListener("beforeprint", before);
      window.removeEventListener("afterprint", after);
    };
  }, []);
  return isPrinting;
}
