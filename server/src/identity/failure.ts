/** Why the machine's identity gives no credentials. Names places, settings and statuses, never a secret. */
import { type Message, message, textOf } from "@plaza/contract/messages/message.ts";

/**
 * `network`: a place does not answer. `server`: it answers that it cannot now. `refused`: nothing changes
 * until the operator does something.
 */
export type FailureKind = "network" | "server" | "refused";

export class IdentityFailure extends Error {
  override readonly name = "IdentityFailure";
  readonly kind: FailureKind;
  readonly messageRef: Message;
  readonly status: number | undefined;

  constructor(kind: FailureKind, made: Message, status?: number) {
    super(textOf(made));
    this.kind = kind;
    this.messageRef = made;
    this.status = status;
  }
}

/** A setting in the environment that is missing or not usable. Its value is not shown. */
export const badSetting = (name: string): IdentityFailure =>
  new IdentityFailure("refused", message("identity.setting", { name }));

/** `name`: the variable that names the file. `field`: what is missing or not usable in it. */
export const badFile = (name: string, field: string): IdentityFailure =>
  new IdentityFailure("refused", message("identity.fileContent", { name, field }));

/** An answer of status 200 that has no credentials in it. */
export const unreadable = (place: string): IdentityFailure =>
  new IdentityFailure("server", message("identity.unreadable", { place }));

const errorWord = /^[A-Za-z][A-Za-z_.]{0,63}$/;

/** `word`: the error's code in the answer; shown if it is a single word. */
export function refusedBy(place: string, status: number, word?: unknown): IdentityFailure {
  const isTheirs = status >= 500 || status === 429;
  const reason = typeof word === "string" && errorWord.test(word) ? `, ${word}` : "";
  const made = message("identity.refused", { place, status, reason });
  return new IdentityFailure(isTheirs ? "server" : "refused", made, status);
}
