/** Phones: whether the window is as narrow as one, and how many cards of a long list it shows at once. */
import { useState, useSyncExternalStore } from "react";

/** Below Tailwind's `sm`. */
const phoneQuery = "(max-width: 639.98px)";
/** Cards that a phone shows at once: a page of more than that is not scrolled through. Fewer of tall ones. */
const cardsMax = { low: 8, tall: 5 };

function followPhone(changed: () => void): () => void {
  const query = matchMedia(phoneQuery);
  query.addEventListener("change", changed);
  return () => query.removeEventListener("change", changed);
}

const isPhoneNow = () => matchMedia(phoneQuery).matches;

/** True while the window is as narrow as a phone. */
export function useIsPhone(): boolean {
  return useSyncExternalStore(followPhone, isPhoneNow);
}

/** How many of `count` rows are drawn: all of them where they are no cards. */
export function useCards(count: number, height: "low" | "tall" = "low") {
  const isPhone = useIsPhone();
  const atOnce = cardsMax[height];
  const [turns, setTurns] = useState(1);
  const shown = isPhone ? Math.min(count, turns * atOnce) : count;
  return {
    shown,
    /** How many `showMore` adds; 0 when all are drawn. */
    next: Math.min(atOnce, count - shown),
    showMore: () => setTurns(turns + 1),
  };
}
