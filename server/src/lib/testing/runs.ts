/**
 * How often a test with random cases runs. `count` is the number of CI (`npm run ready`); elsewhere a quarter
 * of it runs, so that tests stay quick. `TEST_RUNS` is the factor: 10 runs ten times `count`.
 */
export function runsOf(count: number): number {
  return Math.ceil(count * Number(process.env["TEST_RUNS"] ?? 0.25));
}
