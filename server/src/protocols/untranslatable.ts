/**
 * The error for a request that a protocol cannot express, or that is invalid in every protocol. It names the
 * field. And the event for an answer that its translator could not read.
 */
import { type Message, message, textOf } from "@plaza/contract/messages/message.ts";

export class Untranslatable extends Error {
  /**
   * `unsupported_parameter`: this protocol cannot express it, another might. `invalid_request`: it is invalid
   * everywhere.
   */
  readonly code: "unsupported_parameter" | "invalid_request";
  /** Path of the field, like `messages[0].content[1].image_url.url`. */
  readonly param: string;
  readonly messageRef: Message;

  constructor(code: Untranslatable["code"], param: string, refusal: Message) {
    super(textOf(refusal));
    this.code = code;
    this.param = param;
    this.messageRef = refusal;
  }
}

/** For a request that is invalid everywhere. */
export const invalid = (param: string, refusal: Message): Untranslatable =>
  new Untranslatable("invalid_request", param, refusal);

/** For what this protocol cannot express. */
export const unsupported = (param: string, refusal?: Message): Untranslatable =>
  new Untranslatable("unsupported_parameter", param, refusal ?? message("wire.notExpressed", { param }));

/** In a stream instead of the translator's events. Every provider's `fault` reads it as a broken upstream. */
export const untranslatedEvent = Buffer.from(
  'event: error\ndata: {"error":{"type":"server_error","code":"untranslatable_answer","message":""}}\n\n',
);
