/** Times one synchronous function. */

/**
 * Best microseconds per call over many short rounds, after a warm-up. On a shared machine an interrupted
 * round says nothing about the code, so rounds are short and the best one counts.
 */
export function microsPerCall(run: () => unknown, rounds = 150, roundMs = 2): number {
  roundOf(run, 1);
  const warmUntil = performance.now() + 150;
  let calls = 1;
  while (performance.now() < warmUntil) {
    const ms = roundOf(run, calls);
    calls = Math.max(1, Math.min(calls * 2, Math.round((calls * roundMs) / Math.max(ms, 0.001))));
  }
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) best = Math.min(best, (roundOf(run, calls) * 1000) / calls);
  return best;
}

/** Receives results, so that the optimiser cannot remove the work. */
export const sink: { last: unknown } = { last: undefined };

function roundOf(run: () => unknown, calls: number): number {
  const start = performance.now();
  for (let call = 0; call < calls; call++) sink.last = run();
  return performance.now() - start;
}
