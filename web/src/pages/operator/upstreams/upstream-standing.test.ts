import assert from "node:assert/strict";
import { test } from "node:test";
import { standingOf, type UpstreamState } from "./upstream-standing.ts";

type Credential = UpstreamState["credentials"][number];
type Deployment = UpstreamState["deployments"][number];

const credential = (number: number, state: Credential["state"]): Credential => ({
  number,
  state,
  untilAt: null,
  lastFault: null,
});

const deployment = (upstreamModel: string, state: Deployment["state"]): Deployment => ({
  model: `public-${upstreamModel}`,
  upstreamModel,
  priority: 1,
  weight: 1,
  weightNow: 1,
  state,
  untilAt: null,
  lastFault: null,
  inFlight: 0,
  firstTokenMs: null,
  p95FirstTokenMs: null,
});

const state = (credentials: Credential[], deployments: Deployment[] = []): UpstreamState => ({
  id: "main",
  provider: "openai",
  inFlight: 2,
  concurrency: null,
  credentials,
  deployments,
});

test("the worst of it stands for the whole, and calls of all processes are added", () => {
  assert.deepEqual(standingOf([]), { kind: "unused", count: 0, inFlight: 0 });
  assert.deepEqual(standingOf([state([]), state([])]), { kind: "well", count: 0, inFlight: 4 });
  assert.equal(standingOf([state([credential(1, "out")])]).kind, "down");
});

test("what several processes see counts once", () => {
  const seen = state([credential(1, "out"), credential(2, "active")]);
  assert.deepEqual(standingOf([seen, seen]), { kind: "out", count: 1, inFlight: 4 });
  const troubled = state(
    [],
    [deployment("a", "ejected"), deployment("b", "resting"), deployment("c", "healthy")],
  );
  assert.deepEqual(standingOf([troubled, troubled]), { kind: "troubled", count: 2, inFlight: 4 });
});
