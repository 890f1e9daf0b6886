/**
 * Collects what an upstream's protocol cannot express. It is refused by name, or dropped and reported if the
 * caller allowed that. Nothing is dropped silently.
 */
import type { Message } from "@plaza/contract/messages/message.ts";
import { unsupported } from "./untranslatable.ts";

/** True for values that ask for nothing: `presence_penalty: 0`, `logprobs: false`, `logit_bias: {}` … */
export function isNothing(value: unknown): boolean {
  if (value === 0 || value === false || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** Collects the dropped parts of one request. */
export class Leftovers {
  readonly #mayDrop: boolean;
  readonly #dropped = new Set<string>();

  constructor(mayDrop: boolean) {
    this.#mayDrop = mayDrop;
  }

  /**
   * For what cannot be expressed: throws `Untranslatable`, or records it as dropped if the caller allowed
   * that. `param`: its path.
   */
  leaveOut(param: string, refusal?: Message): void {
    if (!this.#mayDrop) throw unsupported(param, refusal);
    this.#dropped.add(param);
  }

  /** Records a dropped setting that affects only style, whether or not the caller allowed it. */
  note(param: string): void {
    this.#dropped.add(param);
  }

  /** This cannot be expressed. `isOptional`: the caller's format asks for it without insisting. */
  leaveOutOr(isOptional: boolean | undefined, param: string, refusal?: Message): void {
    if (isOptional === true) this.note(param);
    else this.leaveOut(param, refusal);
  }

  /** undefined when there is none. */
  get dropped(): readonly string[] | undefined {
    return this.#dropped.size === 0 ? undefined : [...this.#dropped];
  }
}
