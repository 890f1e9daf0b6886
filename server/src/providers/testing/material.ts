/**
 * For tests: what suites and rigs need to know of one provider. Each provider has one such object in its
 * `testing/index.ts`; `all.ts` finds them through the descriptors.
 */
import type { PriceSuite } from "../../testing/price-vectors/prices.ts";
import type { FaultCause } from "./fault-outcomes.ts";
import type { Fixture } from "./fixture.ts";
import type { KeptReasoning } from "./kept-reasoning.ts";
import type { ParameterColumn } from "./parameters.ts";
import type { SecretsMaterial } from "./secrets.ts";
import type { ToolTalk } from "./tool-talk.ts";
import type { Wire } from "./wire.ts";

/** The test material in a provider's folder. */
export interface ProviderTesting {
  /** Recorded calls of every kind that its descriptor does not list in `lacks`. */
  readonly fixtures: readonly Fixture[];
  /** Writes answers as its upstream does. */
  readonly wire: Wire;
  /** Every complete stream contains one of these. Absent: its streams are OpenAI's and end with `[DONE]`. */
  readonly endMarks?: readonly string[];
  /** Its upstream's failures, in its format. Includes `broken`: a 5xx that is retried. */
  readonly faults: readonly FaultCause[];
  /** Its "overloaded" error, inside an answer of status 200. */
  readonly overload: readonly [status: number, type: string];
  /** Its secrets that must never be shown. */
  readonly secrets: SecretsMaterial;
  /** Conversations with tools. Absent when calls pass as bytes, or when its descriptor lacks tools. */
  readonly toolTalk?: ToolTalk;
  /** How it handles every parameter of a chat request. */
  readonly parameters: readonly ParameterColumn[];
  /** Usage reports as its upstream writes them, with charges computed by hand. Several for several forms. */
  readonly priceSuites: readonly PriceSuite[];
  /**
   * Answers whose reasoning it needs back in a tool loop. Empty when it lacks tools or reasoning, or when
   * calls pass as bytes.
   */
  readonly keptReasoning: readonly KeptReasoning[];
  /** Input for the benchmark of translation. */
  readonly measured: {
    /** The model for which a stream or call needs the most work. */
    readonly model: string;
    /** One event with this text, in the upstream's format. */
    readonly event: (words: string) => Buffer;
  };
}
