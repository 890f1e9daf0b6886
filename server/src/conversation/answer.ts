/**
 * An answer between protocols, as events that are said to a sink: whoever reads an upstream's answer calls
 * these methods in order, whoever writes the caller's wire implements them. Calls instead of event objects,
 * because a stream says one for every few tokens. Knows no wire format.
 */
import type { Usage } from "@plaza/contract/usage.ts";
import type { Citation } from "./blocks.ts";

/** Why an answer, or one of several, is over. */
export type EndReason = "stop" | "length" | "tool_calls" | "content_filter";

/** A token of the answer, how likely it was (natural logarithm), and what else might have stood there. */
export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  /** UTF-8. */
  readonly bytes: readonly number[];
  readonly alternatives: readonly Omit<TokenLogprob, "alternatives">[];
}

/** Reasoning in its vendor's opaque form, to be sent back as it is. */
export interface OpaqueReasoning {
  /** Who can read it, like `anthropic-claude-v1`. */
  readonly format: string;
  /** The model that made it, where only that one takes it back. */
  readonly model?: string | undefined;
  /** Words that `signature` vouches for. They were said before as plain reasoning. */
  readonly text?: string | undefined;
  readonly signature?: string | undefined;
  /** Hidden thoughts, or the signature of the part called `id`. */
  readonly data?: string | undefined;
  readonly id?: string | undefined;
  /** How many tool calls of the answer came before it. */
  readonly callsBefore?: number | undefined;
}

/** A tool call that begins. `signature`: opaque, what the vendor wants to see again with it. */
export interface CallHead {
  readonly id: string;
  readonly name: string;
  readonly signature?: string | undefined;
}

/** What can be said of any answer. `choice`: which of several answers, from 0. Empty texts say nothing. */
export interface AnswerSink {
  /** The model that answers, as the answer itself says; before anything else, and only where it says so. */
  model(name: string): void;
  text(text: string, choice?: number): void;
  /** The tokens of what is said next. */
  logprobs(tokens: readonly TokenLogprob[], choice?: number): void;
  refusal(text: string, choice?: number): void;
  /** Thoughts in words. */
  reasoning(text: string, choice?: number): void;
  opaqueReasoning(reasoning: OpaqueReasoning, choice?: number): void;
  /** A tool call begins. `index`: its number among the calls of its choice, from 0. */
  toolCall(index: number, call: CallHead, choice?: number): void;
  /** A piece of its arguments' JSON. */
  toolArguments(index: number, fragment: string, choice?: number): void;
  /** A whole call of a custom tool, whose input is a plain text. */
  customCall(index: number, call: CallHead & { readonly input: string }, choice?: number): void;
  /** An image the model made. */
  image(mediaType: string, base64: string, choice?: number): void;
  citation(citation: Citation, choice?: number): void;
  /**
   * The choice is over. Only the last one said counts. `stopText`: the text of the caller's it stopped at,
   * where the upstream says which.
   */
  finish(reason: EndReason, choice?: number, stopText?: string): void;
  /** What the whole answer used. Only the last one said counts. */
  usage(usage: Usage): void;
}

/** What can be said of an answer besides, while it comes. */
export interface StreamSink extends AnswerSink {
  /**
   * A choice has begun, though nothing is said in it yet. `known`: what the prompt is known to have used by
   * then; of the output it says nothing that counts.
   */
  begin(choice?: number, known?: Usage): void;
  /** Something lives, but there is nothing to say. */
  idle(): void;
  /** All is said and counted, but the protocol's own end is still to come. */
  conclude(): void;
  /**
   * What was used so far, of an answer that comes to no end: nothing but an
   * error, or nothing at all, comes after it.
   */
  reportUsage(): void;
  /** The upstream's own error, as JSON in its words. Nothing comes after it. */
  error(json: string): void;
  /**
   * The body is over, or the protocol's own end was seen. An end only where a
   * choice is finished; once is enough.
   */
  close(): void;
}
