/**
 * Callers with running calls that are no longer (or never were) in the authenticator's memory, for example
 * because their key changed. They are checked again at every change, so that shutting down a key also stops
 * its running calls.
 */
import { setTimeout } from "node:timers/promises";
import type { GatewayError } from "@plaza/contract/errors.ts";

/** The part of a caller needed here. */
export interface CallerUnderWay {
  readonly key: { readonly id: string; readonly accountId: string };
  /** Number of running calls. */
  running: number;
  /** Why its calls must stop; undefined = they may go on. */
  ended: GatewayError | undefined;
}

/** List size at which callers without running calls are removed. */
const sweptMin = 1_000;
/** Callers checked in parallel, and the pause before a retry when the store fails, in milliseconds. */
const atOnceMax = 32;
const pauseMs = 500;

export interface CallersUnderWay<C extends CallerUnderWay> {
  add(caller: C): void;
  /** Checks a caller until the store has answered or no call is left. Never rejects. */
  lookAgain(caller: C): Promise<void>;
  /** Checks the callers a change is about. `kind` and `subject` come from the store's change feed. */
  lookAgainAtAll(kind: "key" | "account", subject: string): Promise<void>;
}

/** `endOf` returns why the caller's calls must stop, or undefined. It rejects when the store fails. */
export function createCallersUnderWay<C extends CallerUnderWay>(
  endOf: (caller: C) => Promise<GatewayError | undefined>,
): CallersUnderWay<C> {
  let callers: C[] = [];
  let sweepAt = sweptMin;

  async function lookAgain(caller: C): Promise<void> {
    while (caller.running > 0 && caller.ended === undefined) {
      try {
        caller.ended = await endOf(caller);
        return;
      } catch {
        await setTimeout(pauseMs, undefined, { ref: false });
      }
    }
  }

  return {
    add(caller) {
      callers.push(caller);
      if (callers.length < sweepAt) return;
      callers = callers.filter(({ running }) => running > 0);
      // Doubling keeps the cost of sweeps low.
      sweepAt = Math.max(sweptMin, 2 * callers.length);
    },
    lookAgain,
    async lookAgainAtAll(kind, subject) {
      callers = callers.filter(({ running }) => running > 0);
      const meant = callers.filter(({ key }) => (kind === "key" ? key.id : key.accountId) === subject);
      for (let next = 0; next < meant.length; next += atOnceMax)
        await Promise.all(meant.slice(next, next + atOnceMax).map(lookAgain));
    },
  };
}
