/**
 * A protocol-neutral answer, as calls on a sink: the decoder of an upstream's answer calls these methods in
 * order, and the writer of the caller's format implements them. Calls instead of event objects, because a
 * stream has one for every few tokens. Knows no wire format.
 */
import type { Usage } from "@plaza/contract/usage.ts";
import type { Citation } from "./blocks.ts";

/** Why an answer, or one of several choices, ended. */
export type EndReason = "stop" | "length" | "tool_calls" | "content_filter";

/** A token of the answer, its natural logarithm of probability, and the alternatives. */
export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  /** UTF-8. */
  readonly bytes: readonly number[];
  readonly alternatives: readonly Omit<TokenLogprob, "alternatives">[];
}

/** Reasoning in its vendor's opaque form, to be sent back unchanged. */
export interface OpaqueReasoning {
  /** The format, like `anthropic-claude-v1`; it says who can read it. */
  readonly format: string;
  /** The model that made it, if only that model accepts it back. */
  readonly model?: string | undefined;
  /** The text that `signature` signs. It was already reported as plain reasoning. */
  readonly text?: string | undefined;
  readonly signature?: string | undefined;
  /** Hidden thoughts, or the signature of the part with this `id`. */
  readonly data?: string | undefined;
  readonly id?: string | undefined;
  /** Number of the answer's tool calls before it. */
  readonly callsBefore?: number | undefined;
}

/** The start of a tool call. `signature`: opaque data that the vendor needs back with it. */
export interface CallHead {
  readonly id: string;
  readonly name: string;
  readonly signature?: string | undefined;
}

/** Events of any answer. `choice`: which of several choices, from 0. Empty texts have no effect. */
export interface AnswerSink {
  /** The model's name as the answer gives it. Called first, and only if the answer has one. */
  model(name: string): void;
  text(text: string, choice?: number): void;
  /** Token probabilities of the text reported next. */
  logprobs(tokens: readonly TokenLogprob[], choice?: number): void;
  refusal(text: string, choice?: number): void;
  /** Thoughts as text. */
  reasoning(text: string, choice?: number): void;
  opaqueReasoning(reasoning: OpaqueReasoning, choice?: number): void;
  /** Begins a tool call. `index`: its number among the calls of its choice, from 0. */
  toolCall(index: number, call: CallHead, choice?: number): void;
  /** A fragment of its arguments' JSON. */
  toolArguments(index: number, fragment: string, choice?: number): void;
  /** A complete call of a custom tool, whose input is plain text. */
  customCall(index: number, call: CallHead & { readonly input: string }, choice?: number): void;
  /** An image the model made. */
  image(mediaType: string, base64: string, choice?: number): void;
  citation(citation: Citation, choice?: number): void;
  /**
   * Ends the choice; the last call counts. `stopText`: the stop sequence that ended it, if the upstream
   * reports it.
   */
  finish(reason: EndReason, choice?: number, stopText?: string): void;
  /** Usage of the whole answer; the last call counts. */
  usage(usage: Usage): void;
}

/** Further events of an answer while it is streamed. */
export interface StreamSink extends AnswerSink {
  /**
   * A choice has begun but has no content yet. `known`: the prompt's usage as far as known; its output counts
   * mean nothing.
   */
  begin(choice?: number, known?: Usage): void;
  /** The upstream is alive but has nothing to report. */
  idle(): void;
  /** All content and usage are reported, but the protocol's own end is still to come. */
  conclude(): void;
  /** The usage so far of an answer without an end; at most an error follows. */
  reportUsage(): void;
  /** The upstream's own error as JSON. Nothing follows it. */
  error(json: string): void;
  /**
   * The body ended, or the protocol's own end arrived. Writes an end only if a choice has finished; repeated
   * calls have no effect.
   */
  close(): void;
}
