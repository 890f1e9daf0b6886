/**
 * The rigs' clock. It reads the machine's monotonic clock, so times from different processes can be compared.
 */

/** Milliseconds (with fractions) of CLOCK_MONOTONIC; the same clock in every process of this machine. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Resolves after `milliseconds`. Not a substitute for an event that can be awaited. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Polls until `done` returns true or `withinMs` has passed; returns which. */
export async function eventually(
  done: () => boolean | Promise<boolean>,
  withinMs: number,
  everyMs = 20,
): Promise<boolean> {
  const until = monotonicMs() + withinMs;
  while (monotonicMs() < until) {
    if (await done()) return true;
    await pause(everyMs);
  }
  return await done();
}
