/**
 * How often a test with random cases runs. `count` is the number where all tests run (`npm test`, CI); the
 * unit tests alone run a quarter of it, so that they stay quick. `TEST_RUNS` is the factor: 10 runs
 * ten times `count`.
 */
export function runsOf(count: number): number {
  return Math.ceil(count * Number(process.env["TEST_RUNS"] ?? 0.25));
}
