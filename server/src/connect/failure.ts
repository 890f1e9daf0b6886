/** Why something cannot be connected: a code for programs and one sentence for people. */
import { type Message, textOf } from "@plaza/contract/messages/message.ts";

/** The input that is wrong, if it is a single one. */
export type ConnectField = "service" | "baseUrl" | "credential" | "options" | "models";

/**
 * The sentence starts in lower case and contains no secret and no upstream text. `messageRef` is the same
 * sentence for the console, which may show another language.
 */
export class ConnectFailure extends Error {
  readonly code: string;
  readonly messageRef: Message;
  readonly field: ConnectField | undefined;

  constructor(code: string, made: Message, field?: ConnectField) {
    super(textOf(made));
    this.name = "ConnectFailure";
    this.code = code;
    this.messageRef = made;
    this.field = field;
  }
}
