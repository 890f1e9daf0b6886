/**
 * Estimates hidden thinking tokens from the time before the first content, so that a stream whose caller
 * disconnects early is charged for them. Speeds are learned from streams that reported usage. Bounded, kept
 * in memory only.
 */

/** A stream that reported its usage. */
export interface CountedStream {
  /** Milliseconds from the start of the attempt to the first content. */
  readonly waitedMs: number;
  /** Reasoning tokens in its usage. */
  readonly reasoning: number;
  /** Output tokens the caller did not see. */
  readonly unseen: number;
}

export interface ThinkingSpeeds {
  /** `deployment`: a key that identifies the deployment. */
  learn(deployment: string, stream: CountedStream): void;
  /** Estimated thinking tokens for this wait; undefined when nothing is known about the deployment. */
  estimate(deployment: string, waitedMs: number): number | undefined;
}

interface Speed {
  /** Decayed sums over streams with thinking. */
  tokens: number;
  ms: number;
  /** Decayed number of those streams. */
  streams: number;
  /** Average wait of streams without thinking, in milliseconds; undefined = none seen. */
  idleMs: number | undefined;
}

/** Far more than a catalog has. Beyond it the oldest is dropped. */
const deploymentsMax = 1_000;
/** Weight of earlier streams when a new one is added. */
const keep = 0.8;
/** A wait below this share of the usual thinking time counts as no thinking. */
const shortShare = 0.1;

export function createThinkingSpeeds(): ThinkingSpeeds {
  const speeds = new Map<string, Speed>();

  function speedOf(deployment: string): Speed {
    let speed = speeds.get(deployment);
    if (speed === undefined) {
      const [oldest] = speeds.keys();
      if (speeds.size >= deploymentsMax && oldest !== undefined) speeds.delete(oldest);
      speed = { tokens: 0, ms: 0, streams: 0, idleMs: undefined };
      speeds.set(deployment, speed);
    }
    return speed;
  }

  return {
    learn(deployment, { waitedMs, reasoning, unseen }) {
      const speed = speedOf(deployment);
      if (reasoning === 0) {
        const { idleMs = waitedMs } = speed;
        speed.idleMs = idleMs * keep + waitedMs * (1 - keep);
        return;
      }
      // Thinking shown to the caller is already counted as delivered.
      speed.tokens = speed.tokens * keep + Math.min(reasoning, Math.max(0, unseen));
      speed.ms = speed.ms * keep + Math.max(1, waitedMs - (speed.idleMs ?? 0));
      speed.streams = speed.streams * keep + 1;
    },
    estimate(deployment, waitedMs) {
      const speed = speeds.get(deployment);
      if (speed === undefined || (speed.ms === 0 && speed.idleMs === undefined)) return undefined;
      if (speed.ms === 0) return 0;
      const thoughtMs = waitedMs - (speed.idleMs ?? 0);
      if (thoughtMs < (speed.ms / speed.streams) * shortShare) return 0;
      return Math.round((speed.tokens / speed.ms) * thoughtMs);
    },
  };
}
