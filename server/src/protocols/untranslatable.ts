/**
 * A chat request that a protocol cannot express, or that makes no sense in
 * any: said by name, never by a crash.
 */
import { type Message, message, textOf } from "@plaza/contract/messages/message.ts";

export class Untranslatable extends Error {
  /**
   * `unsupported_parameter`: this protocol cannot say it, another may.
   * `invalid_request`: it is wrong everywhere.
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

/** The request is wrong: it would fail everywhere. */
export const invalid = (param: string, refusal: Message): Untranslatable =>
  new Untranslatable("invalid_request", param, refusal);

/** This protocol cannot say it. */
export const unsupported = (param: string, refusal?: Message): Untranslatable =>
  new Untranslatable("unsupported_parameter", param, refusal ?? message("wire.notExpressed", { param }));
