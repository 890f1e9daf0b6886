/**
 * Calls that the server must end because their key is shut down, within the documented second
 * (docs/call/streaming.md).
 */
import assert from "node:assert/strict";
import { type Ask, post, type Seen } from "../../rigs/harness/http-client.ts";
import { lostWithin, type StallWatch } from "../../rigs/harness/measure/stall-watch.ts";

/** The documented limit for every running call, in every process. */
const endsWithinMs = 1_000;
/** A call that has not ended by then fails its test. */
const givenUpMs = 20_000;

export interface EndingCall {
  /** Resolves when the word has arrived. Rejects when the call ends without it. */
  readonly flowing: Promise<void>;
  readonly seen: Promise<Seen>;
}

/** Makes a call that streams up to `word`, then waits for its end. */
export function startEndingCall(word: string, ask: Omit<Ask, "withinMs" | "onArrival">): EndingCall {
  const arrived = Promise.withResolvers<void>();
  let text = "";
  const seen = post({
    ...ask,
    withinMs: givenUpMs,
    onArrival: ({ bytes }) => {
      text += bytes.toString("utf8");
      if (text.includes(word)) arrived.resolve();
    },
  });
  const flowing = Promise.race([
    arrived.promise,
    seen.then(({ status, problem }) => assert.fail(`ended before "${word}": ${status} ${problem} ${text}`)),
  ]);
  // A caller without a stream does not wait for `flowing`.
  flowing.catch(() => {});
  return { flowing, seen };
}

/** Fails unless the call ended within a second of `shutMs`, not counting stalls of the machine. */
export async function assertEndedInTime(watch: StallWatch, shutMs: number, { endedAt }: Seen): Promise<void> {
  const tookMs = endedAt - shutMs;
  if (tookMs <= endsWithinMs) return;
  const lostMs = lostWithin(await watch.stalls(), shutMs, endedAt);
  assert.ok(tookMs - lostMs <= endsWithinMs, `${tookMs} ms, of which the machine lost ${lostMs}`);
}
