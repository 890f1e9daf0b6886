/**
 * Why something cannot be connected: a code for programs, one sentence for people. Knows
 * neither the command nor the console.
 */
import { type Message, textOf } from "@plaza/contract/messages/message.ts";

/** What of what was given is at fault, where one thing is. */
export type ConnectField = "service" | "baseUrl" | "credential" | "options" | "models";

/**
 * The sentence begins small, names no secret, and is nothing an upstream wrote. `said` is it for the console.
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
