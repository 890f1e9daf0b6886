/**
 * How often a test with random cases runs: `count` times in CI (`npm run ready`), a quarter of it in
 * `npm test` and `npm run test:unit`, so that they stay quick. `TEST_RUNS` is the factor: 10 runs ten times
 * `count`.
 */
export function runsOf(count: number): number {
  return Math.ceil(count * Number(process.env["TEST_RUNS"] ?? 0.25));
}
