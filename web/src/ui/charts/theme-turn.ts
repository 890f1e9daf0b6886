/** Counts changes of the theme, for what is drawn in its colours. */
import { useEffect, useState } from "react";

/** A number that changes with the theme. */
export function useThemeTurn(): number {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const observer = new MutationObserver(() => setTurn((count) => count + 1));
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    return () => observer.disconnect();
  }, []);
  return turn;
}
