/**
 * Slows guessing down: attempts are counted per thing guessed at and per network they come from, in the store, so that all processes
 * count together. An attempt counts as failed from its beginning until it is known to be none.
 */
import { GatewayError } from "@plaza/contract/errors.ts";
import { innermostAddress, parseAddress } from "../../lib/address.ts";
import type { AttemptSubject } from "../../store/console/people.ts";
import type { ControlContext } from "../context.ts";
import { digestOf } from "./secret-text.ts";

/** Something attempts are counted by: `kind` keeps different guesses apart; at most `free` failures cost no waiting. */
export function attemptSubject(kind: string, text: string, free: number): AttemptSubject {
  return { subject: `${kind}:${digestOf(text)}`, free };
}

/** The network somebody owns: an IPv4 address, or the first half of an IPv6 one. */
export function networkOf(ip: string): string {
  const bytes = parseAddress(ip);
  if (bytes === undefined) return ip;
  const inner = innermostAddress(bytes);
  return Buffer.from(inner.length === 4 ? inner : inner.subarray(0, 8)).toString("hex");
}

export interface Attempt {
  /** It was none: everything is as before. */
  undo(): Promise<void>;
  /** It succeeded: failures of these subjects are forgotten, the others' are as before. */
  succeed(forgotten: readonly AttemptSubject[]): Promise<void>;
}

/** Throws `too_many_attempts` with the time to wait. Whoever does neither `undo` nor `succeed` has failed. */
export async function beginAttempt(
  { store, clock }: Pick<ControlContext, "store" | "clock">,
  subjects: readonly AttemptSubject[],
): Promise<Attempt> {
  const start = await store.beginAttempt(subjects, clock.wallMs());
  if (!start.isAllowed) throw new GatewayError("too_many_attempts", { retryAfterMs: start.waitMs });
  const { counted } = start;
  return {
    undo: () => store.undoAttempt(counted),
    async succeed(forgotten) {
      const names = forgotten.map(({ subject }) => subject);
      await store.clearAttempts(names);
      await store.undoAttempt(counted.filter(({ subject }) => !names.includes(subject)));
    },
  };
}
