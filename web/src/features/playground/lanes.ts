/**
 * The conversations of the playground, one beside the other for each compared model, kept for an account in
 * this tab. What is written, the system prompt and the parameters are those of the first.
 */
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import { createPlayground, type Keeper, type Playground } from "./chat/playground-store.ts";

/** Most models that answer at once. */
export const lanesMax = 4;

const lanes = new Map<string, Playground>();

function keeperOf(key: string): Keeper {
  return {
    read: () => {
      try {
        return sessionStorage.getItem(key);
      } catch {
        return null;
      }
    },
    write: (text) => {
      try {
        sessionStorage.setItem(key, text);
      } catch {
        // Storage may be off or full; the conversation then lasts as long as the page.
      }
    },
  };
}

/** The conversation of that name; the same one as long as the page is open. */
function laneOf(owner: string, name: string): Playground {
  const key = `plaza.playground.${owner}.${name}`;
  let lane = lanes.get(key);
  if (lane === undefined) {
    lane = createPlayground(undefined, keeperOf(key));
    lanes.set(key, lane);
  }
  return lane;
}

function keepAll(): void {
  for (const lane of lanes.values()) lane.keep();
}

/**
 * A conversation for each model. The first stays when its model changes; the others are of their model.
 * `owner` names the account and the user, who share none with others.
 */
export function useLanes(owner: string, models: readonly string[]): readonly Playground[] {
  useEffect(() => {
    // A phone that puts the page aside may never say that it leaves.
    const onHidden = () => document.visibilityState === "hidden" && keepAll();
    window.addEventListener("pagehide", keepAll);
    document.addEventListener("visibilitychange", onHidden);
    return () => {
      window.removeEventListener("pagehide", keepAll);
      document.removeEventListener("visibilitychange", onHidden);
      keepAll();
    };
  }, []);
  const others = models.slice(1).join("\n");
  return useMemo(
    () => [
      laneOf(owner, "main"),
      ...others
        .split("\n")
        .filter((id) => id !== "")
        .map((id) => laneOf(owner, `with ${id}`)),
    ],
    [owner, others],
  );
}

type State = ReturnType<Playground["read"]>;

/** What each of them holds now. */
export function useLaneStates(all: readonly Playground[]): readonly State[] {
  const last = useRef<readonly State[]>([]);
  const subscribe = useCallback(
    (changed: () => void) => {
      const ends = all.map((lane) => lane.subscribe(changed));
      return () => {
        for (const end of ends) end();
      };
    },
    [all],
  );
  return useSyncExternalStore(subscribe, () => {
    const next = all.map((lane) => lane.read());
    const isSame =
      next.length === last.current.length && next.every((state, at) => state === last.current[at]);
    if (!isSame) last.current = next;
    return last.current;
  });
}
