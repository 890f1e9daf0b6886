import assert from "node:assert/strict";
import { test } from "node:test";
import type { DeploymentState, UpstreamState } from "@plaza/contract/upstream-states.ts";
import { catalogFile, commandLine } from "./testing/test-command-line.ts";

const deployment = (changes: Partial<DeploymentState>): DeploymentState => ({
  model: "gpt-5-mini",
  upstreamModel: "gpt-5-mini",
  priority: 1,
  weight: 2,
  weightNow: 2,
  state: "healthy",
  untilAt: null,
  lastFault: null,
  inFlight: 3,
  firstTokenMs: 180,
  p95FirstTokenMs: 420,
  ...changes,
});

const at = "2026-11-21T10:00:00.000Z";

const upstream = (deployments: DeploymentState[]): UpstreamState => ({
  id: "main",
  provider: "openai",
  inFlight: 3,
  concurrency: null,
  credentials: [
    { number: 1, state: "active", untilAt: null, lastFault: null },
    { number: 2, state: "out", untilAt: at, lastFault: { kind: "upstream_auth", status: 401, at } },
  ],
  deployments,
});

test("upstreams: says when nobody serves; one row per deployment and credential, over all processes; JSON as it is", async () => {
  const { run, json, store: open } = commandLine({ UPSTREAM_KEY: "sk-upstream-secret" });
  assert.equal((await run("apply", catalogFile())).status, 0);
  assert.equal(
    (await run("upstreams")).out,
    "No Plaza process is running on this database, so the state of the upstreams is unknown.\n",
  );
  assert.deepEqual((await json("upstreams")).value, { processes: [] });

  const store = await open();
  const healthy = upstream([deployment({})]);
  const fault = { kind: "server", status: 500, at };
  const ejected = upstream([
    deployment({ state: "ejected", untilAt: at, weightNow: 0, lastFault: fault, p95FirstTokenMs: null }),
  ]);
  await store.openHolder("hld_1");
  await store.openHolder("hld_2");
  await store.publishUpstreamStates("hld_1", [healthy]);
  await store.publishUpstreamStates("hld_2", [ejected]);
  await store.close();

  const { out } = await run("upstreams");
  const lines = out.split("\n").map((line) => line.replaceAll(/ {2,}/g, " | "));
  assert.deepEqual(lines.slice(0, 4), [
    "upstream | model | state | why | until (UTC) | last fault (UTC) | weight now | in flight | p95 first token ms",
    "main | gpt-5-mini | ejected (1 of 2) | server (500) | 2026-11-21 10:00:00 | 2026-11-21 10:00:00 | 1 of 2 | 6 | 420",
    "main | #1 | active | -",
    "main | #2 | out | upstream_auth (401) | 2026-11-21 10:00:00 | 2026-11-21 10:00:00",
  ]);
  assert.match(lines[4] ?? "", /^2 processes; last change written at [\d :-]{19} UTC\.$/);

  const { value } = await json("upstreams");
  assert.deepEqual(
    value.processes.map(({ process, upstreams }: { process: string; upstreams: unknown }) => [
      process,
      upstreams,
    ]),
    [
      ["hld_1", [healthy]],
      ["hld_2", [ejected]],
    ],
  );
});
