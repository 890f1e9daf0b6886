/** Counts changes of the theme, for what is drawn in its colours. */
import { useEffect, useState } from "react";
import { flushSync } from "react-dom";

/** A number that changes with the theme, and when the page is printed, which is in the light colours. */
export function useThemeTurn(): number {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const next = () => setTurn((count) => count + 1);
    const observer = new MutationObserver(next);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    const paper = matchMedia("print");
    // Printing does not wait for a later drawing.
    const drawAtOnce = () => flushSync(next);
    paper.addEventListener("change", drawAtOnce);
    return () => {
      observer.disconnect();
      paper.removeEventListener("change", drawAtOnce);
    };
  }, []);
  return turn;
}
