/**
 * Decides what happens to an upstream call when its caller disconnects: stop it, or keep reading within
 * limits.
 */

/**
 * `stop`: cancel the upstream call. `finish`: read on to the usage report, since the upstream bills anyway.
 * `keep`: read the whole answer, because it is stored for a retry with the same Idempotency-Key.
 */
export type OnDisconnect = "stop" | "finish" | "keep";

/** Longest time to read on for usage alone, in milliseconds. */
const finishMs = 60_000;

/**
 * Maximum number of abandoned calls that one process reads on at a time; further ones are stopped. Answers to
 * be kept have no time limit of their own.
 */
const finishingMax = 256;
const keepingMax = 4_096;

/** Permission to keep reading an abandoned answer. */
export interface ReadingOn {
  /** Time limit in milliseconds; may be Infinity. */
  readonly ms: number;
  /** Must be called exactly once, when reading has ended. */
  readonly end: () => void;
}

export interface DisconnectPolicy {
  /** Returns undefined when the call must be stopped. */
  readOn(mode: OnDisconnect): ReadingOn | undefined;
}

/** `bounds` is a parameter for tests only. */
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
