/**
 * Callers that have calls under way and are not in the authenticator's memory any more, because something
 * about their key or account changed, or never were: they are looked at again at every change, so that a key
 * that is shut down ends what it began.
 */
import { setTimeout } from "node:timers/promises";
import type { GatewayError } from "@plaza/contract/errors.ts";

/** What there is to know of a caller for this. */
export interface CallerUnderWay {
  readonly key: { readonly id: string; readonly accountId: string };
  /** Calls under way. */
  running: number;
  /** Why they have to end. */
  ended: GatewayError | undefined;
}

/** Kept before those without calls under way are swept out. */
const sweptMin = 1_000;
/** Looked at again at a time, and the pause before the next try where the store does not answer. */
const atOnceMax = 32;
const pauseMs = 500;

export interface CallersUnderWay<C extends CallerUnderWay> {
  add(caller: C): void;
  /** Looks at a caller again until the store has answered, or nothing of it is under way. Never rejects. */
  lookAgain(caller: C): Promise<void>;
  /** Does so with those a change is about; `kind` and `subject` as in the store's feed. */
  lookAgainAtAll(kind: "key" | "account", subject: string): Promise<void>;
}

/**
 * `endOf` asks the store why a caller's calls have to end, undefined where they may go on,
 * and rejects where it does not answer.
 */
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
      // As often as the list doubles.
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
