/** The live feed of a page, for its parts: each is drawn again only when what it selected has changed. */
import { createContext, useContext, useEffect, useMemo, useSyncExternalStore } from "react";
import { open } from "../../api/call.ts";
import { createLiveFeed, type LiveFeed, type LiveState } from "./feed.ts";

export const LiveContext = createContext<LiveFeed | null>(null);

/** A feed that is open while the page is seen. */
export function useLiveFeed(): LiveFeed {
  const feed = useMemo(
    () =>
      createLiveFeed({
        open: (signal) => open("get /operator/live", {}, signal),
        nowMs: () => Date.now(),
        later(ms, then) {
          const timer = setTimeout(then, ms);
          return () => clearTimeout(timer);
        },
      }),
    [],
  );
  useEffect(() => {
    // A hidden page costs the server nothing; browsers also allow few connections.
    const follow = () => {
      if (document.visibilityState === "hidden") feed.stop();
      else feed.start();
    };
    follow();
    document.addEventListener("visibilitychange", follow);
    return () => {
      document.removeEventListener("visibilitychange", follow);
      feed.stop();
    };
  }, [feed]);
  return feed;
}

export function useFeed(): LiveFeed {
  const feed = useContext(LiveContext);
  if (feed === null) throw new Error("There is no live feed around this part.");
  return feed;
}

/** `select` must give the same value for the same state. */
export function useLive<Value>(select: (state: LiveState) => Value): Value {
  const feed = useFeed();
  return useSyncExternalStore(
    (changed) => feed.subscribe(changed),
    () => select(feed.state),
  );
}
