/**
 * What of a request an upstream's protocol cannot express: refused by name, or left out and told where the
 * caller allowed that. Nothing is left out without a word.
 */
import type { Message } from "@plaza/contract/messages/message.ts";
import { unsupported } from "./untranslatable.ts";

/** True for the values that ask for nothing: `presence_penalty: 0`, `logprobs: false`, `logit_bias: {}` … */
export function isNothing(value: unknown): boolean {
  if (value === 0 || value === false || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** Gathers what is left out of one request. */
export class Leftovers {
  readonly #mayDrop: boolean;
  readonly #dropped = new Set<string>();

  constructor(mayDrop: boolean) {
    this.#mayDrop = mayDrop;
  }

  /** This cannot be expressed: throws `Untranslatable`, or notes that it was left out. `param`: its path. */
  leaveOut(param: string, refusal?: Message): void {
    if (!this.#mayDrop) throw unsupported(param, refusal);
    this.#dropped.add(param);
  }

  /**
   * This is left out whether the caller allowed it or not, as it asks for a manner and not
   * for a result; it is told all the same.
   */
  note(param: string): void {
    this.#dropped.add(param);
  }

  /** This cannot be expressed. `isWish`: the caller's format asks for it without insisting. */
  leaveOutOr(isWish: boolean | undefined, param: string, refusal?: Message): void {
    if (isWish === true) this.note(param);
    else this.leaveOut(param, refusal);
  }

  /** undefined when there is none. */
  get dropped(): readonly string[] | undefined {
    return this.#dropped.size === 0 ? undefined : [...this.#dropped];
  }
}
