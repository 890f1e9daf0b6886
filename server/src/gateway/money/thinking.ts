/**
 * How fast models think in silence, learnt from answers whose usage came, so that a stream whose caller
 * leaves after its first words is charged with the thinking that came before them. Bounded; forgotten when
 * the process ends. It knows no requests.
 */

/** A stream that was counted to its end. */
export interface CountedStream {
  /** From the start of the attempt to its first content. */
  readonly waitedMs: number;
  /** Tokens its usage calls reasoning. */
  readonly reasoning: number;
  /** Tokens of its output that the caller did not see. */
  readonly unseen: number;
}

export interface ThinkingSpeeds {
  /** `deployment`: whose speed it is. */
  learn(deployment: string, stream: CountedStream): void;
  /** Tokens that were probably thought in this time; undefined where nothing is known of the deployment. */
  estimate(deployment: string, waitedMs: number): number | undefined;
}

interface Speed {
  /** Sums over streams that thought, the older ones worth less. */
  tokens: number;
  ms: number;
  /** Of how many streams these are the sums. */
  streams: number;
  /** What a stream that does not think waits, on average of late; undefined = none seen. */
  idleMs: number | undefined;
}

/** Far above any catalog; beyond it the oldest is forgotten. */
const deploymentsMax = 1_000;
/** What an older stream is worth beside the next. */
const keep = 0.8;
/** A wait of less than this share of what thinking usually takes is none. */
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
      // What was shown while it was thought is counted as it is delivered.
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
