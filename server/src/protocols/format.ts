/**
 * The wire formats in which conversations are told, as callers speak them: what a request of theirs asks, and
 * how anyone's answer is written for them. Types only.
 */
import type { FormatId } from "@plaza/contract/formats.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { AnswerDecoder, AnswerTranslation, ProviderRequest } from "./protocol.ts";

/** A wire format that callers speak about conversations. */
export interface CallerFormat {
  readonly id: FormatId;
  /** The request as a conversation; the same body is parsed once. Throws `Untranslatable`. */
  decode(request: ProviderRequest): Conversation;
  /** Answers that `decoder` reads, in this format. */
  translation(decoder: AnswerDecoder): AnswerTranslation;
}
