/**
 * Calls that the server is to end because their key is shut down: bounded in time themselves, and held to the
 * second that is promised (docs/call/streaming.md).
 */
import assert from "node:assert/strict";
import { type Ask, post, type Seen } from "../../rigs/harness/http-client.ts";
import { lostWithin, type StallWatch } from "../../rigs/harness/measure/stall-watch.ts";

/** What is promised of every call under way, at whichever process. */
const endsWithinMs = 1_000;
/** A call that has not ended by then fails its test. */
const givenUpMs = 20_000;

export interface EndingCall {
  /** The word has arrived. Rejects when the call ends without it. */
  readonly flowing: Promise<void>;
  readonly seen: Promise<Seen>;
}

/** Makes a call that streams up to `word`, and then waits for its end. */
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
  // A caller without a stream does not wait for its first word.
  flowing.catch(() => {});
  return { flowing, seen };
}

/**
 * Fails unless the call was ended within a second of `shutMs`, times in
 * which the machine stood still left out.
 */
export async function assertEndedInTime(watch: StallWatch, shutMs: number, { endedAt }: Seen): Promise<void> {
  const tookMs = endedAt - shutMs;
  if (tookMs <= endsWithinMs) return;
  const lostMs = lostWithin(await watch.stalls(), shutMs, endedAt);
  assert.ok(tookMs - lostMs <= endsWithinMs, `${tookMs} ms, of which the machine lost ${lostMs}`);
}
