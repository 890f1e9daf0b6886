/**
 * What becomes of an upstream call whose caller has left: it is stopped, or read on to its end within bounds.
 * Knows nothing of what is being read.
 */

/**
 * `stop`: the upstream's work is cancelled. `finish`: its answer is read on to its usage,
 * because it bills all the same. `keep`: read on to its end, because the answer is kept for the
 * caller's next try (Idempotency-Key).
 */
export type OnDisconnect = "stop" | "finish" | "keep";

/** How long an answer is read on for its usage alone, in milliseconds. */
const finishMs = 60_000;

/**
 * Most calls of one process that are read on at a time; beyond them calls are
 * stopped. Those to be kept go on for longer.
 */
const finishingMax = 256;
const keepingMax = 4_096;

/** An answer that is being read on. */
export interface ReadingOn {
  /** For at most this long. */
  readonly ms: number;
  /** Exactly once, when it is over. */
  readonly end: () => void;
}

export interface DisconnectPolicy {
  /** undefined: stop it. */
  readOn(mode: OnDisconnect): ReadingOn | undefined;
}

/** `bounds` only for tests. */
export function createDisconnectPolicy(bounds = { finishMs, finishingMax, keepingMax }): DisconnectPolicy {
  const running = { finish: 0, keep: 0 };
  const most = { finish: bounds.finishingMax, keep: bounds.keepingMax };
  return {
    readOn(mode) {
      if (mode === "stop" || running[mode] >= most[mode]) return undefined;
      running[mode] += 1;
      return {
        ms: mode === "finish" ? bounds.finishMs : Number.POSITIVE_INFINITY,
        end: () => {
          running[mode] -= 1;
        },
      };
    },
  };
}
