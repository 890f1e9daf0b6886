/**
 * What the counting upstream writes for one call: a list of steps and how it ends. Types and their defaults.
 */
import type { EndpointName } from "../harness/endpoints.ts";

/** One write: an event (or the whole body), and the pause before it. */
export interface Step {
  readonly afterMs: number;
  readonly bytes: Buffer;
  /** Content tokens in it. */
  readonly tokens: number;
  /** True when it contains the usage object. */
  readonly hasUsage: boolean;
  /** That usage as JSON text in chat's words, where its bytes say it in others. */
  readonly report?: string | undefined;
  /** True when it says why the answer is over. */
  readonly isFinish: boolean;
  /** True when it is the event by which a stream of its format is complete. */
  readonly isEnd: boolean;
  /** True when a timestamp must be filled in on writing. */
  readonly stamped: boolean;
  /** How often it is written; lets a huge answer share one buffer. */
  readonly repeat: number;
}

/** How the body ends after its last step. */
export type Ending = "end" | "fin" | "truncate" | "rst" | "hang";

/** A whole answer. */
export interface Script {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
  readonly ending: Ending;
  /** Sizes of the writes, used in turn, instead of one write per step. */
  readonly split?: readonly number[] | undefined;
}

/** The request's data when the answer is built. */
export interface Asked {
  /** The format it came in, which the answer has to have. */
  readonly format: EndpointName;
  readonly callId: string;
  readonly model: string;
  readonly isStream: boolean;
  readonly isUsageAsked: boolean;
  /** What a careless upstream repeats in its error texts: its credential and address. */
  readonly authorization: string;
  readonly address: string;
  /** Further texts for errors and headers, set at start: account ids, host names, cookies. */
  readonly leaks: readonly string[];
}

/** Text of a stamped token until it is written; replaced by a time of the same length. */
export const stampHole = "00000000000000.000";

export function step(bytes: Buffer | string, more: Partial<Step> = {}): Step {
  return {
    afterMs: 0,
    bytes: typeof bytes === "string" ? Buffer.from(bytes) : bytes,
    tokens: 0,
    hasUsage: false,
    isFinish: false,
    isEnd: false,
    stamped: false,
    repeat: 1,
    ...more,
  };
}
