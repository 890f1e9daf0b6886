/**
 * Test files that run a second time with `PLAZA_TRANSPORT=node`: every other run is on the default, `own`.
 * Those where a transport shows: bodies, streams, slow readers, early answers, broken upstreams, draining.
 */
export const nodeTransportFiles: readonly string[] = [
  "test/behaviour/process/deploys.test.ts",
  "test/behaviour/process/expect-continue.test.ts",
  "test/behaviour/process/lifecycle.test.ts",
  "test/behaviour/requests/bad-input.test.ts",
  "test/behaviour/requests/client-habits.test.ts",
  "test/behaviour/requests/dispatch.test.ts",
  "test/behaviour/requests/refusals.test.ts",
  "test/behaviour/requests/request-bodies.test.ts",
  "test/behaviour/requests/slow-readers.test.ts",
  "test/behaviour/requests/whole-answers.test.ts",
  "test/sdk/openai-broken.test.ts",
  "test/sdk/openai.test.ts",
];
