/**
 * For tests: everything suites and rigs need to know of one provider. Each provider has one such object in
 * its `testing/index.ts`; `all.ts` finds them all by the descriptors.
 */
import type { FaultCause } from "./fault-outcomes.ts";
import type { Fixture } from "./fixture.ts";
import type { ParameterColumn } from "./parameters.ts";
import type { SecretsMaterial } from "./secrets.ts";
import type { ToolTalk } from "./tool-talk.ts";
import type { Wire } from "./wire.ts";

/** What a provider's folder says of itself to the suites. */
export interface ProviderTesting {
  /** Recorded calls, of every kind its descriptor does not say it lacks. */
  readonly fixtures: readonly Fixture[];
  /** How its upstream writes. */
  readonly wire: Wire;
  /**
   * Of these one is in every stream that has ended. Absent: its streams are OpenAI's and end with `[DONE]`.
   */
  readonly endMarks?: readonly string[];
  /** What goes wrong at its upstream, in its words. Among them `broken`: a 5xx that is tried again. */
  readonly faults: readonly FaultCause[];
  /** Its words for "overloaded", inside an answer of status 200. */
  readonly overload: readonly [status: number, type: string];
  /** What of it must never be shown. */
  readonly secrets: SecretsMaterial;
  /**
   * Conversations with tools; absent where calls pass as bytes, or where its descriptor says it lacks tools.
   */
  readonly toolTalk?: ToolTalk;
  /** What becomes of every parameter of a chat request. */
  readonly parameters: readonly ParameterColumn[];
  /** For the measurement of what translating costs. */
  readonly measured: {
    /** One that a stream or a call needs most work for. */
    readonly model: string;
    /** One event with text in it, as upstreams write them. */
    readonly event: (words: string) => Buffer;
  };
}
