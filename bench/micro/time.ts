/** Times one synchronous function. It must not know what it measures. */

/** Best microseconds per call of `rounds` rounds (others share the machine), after a warm-up; each round lasts about `roundMs`. */
export function microsPerCall(run: () => unknown, rounds = 7, roundMs = 60): number {
  let calls = 1;
  for (;;) {
    const ms = roundOf(run, calls);
    if (ms >= roundMs) break;
    calls = Math.max(calls * 2, Math.ceil((calls * roundMs) / Math.max(ms, 0.1)));
  }
  const results: number[] = [];
  for (let round = 0; round < rounds; round++) results.push((roundOf(run, calls) * 1000) / calls);
  results.sort((a, b) => a - b);
  return results[0] ?? 0;
}

/** Where results go, so that the optimiser cannot drop the work. */
export const sink: { last: unknown } = { last: undefined };

function roundOf(run: () => unknown, calls: number): number {
  const start = performance.now();
  for (let call = 0; call < calls; call++) sink.last = run();
  return performance.now() - start;
}
