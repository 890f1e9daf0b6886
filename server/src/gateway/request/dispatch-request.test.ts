/** What dispatch gets of a request: what the endpoint read, and what the caller asked of Plaza. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Exchange } from "../../lib/net/exchange.ts";
import type { RequestFields } from "../endpoints/endpoint.ts";
import { dispatchRequestOf } from "./dispatch-request.ts";
import type { Admitted } from "./phases.ts";
import type { Reply } from "./reply.ts";
import { readyEcho } from "./testing/fake-endpoint.ts";

const body = Buffer.from("as it came");
const spans = { user: { start: 1, end: 2 } };
const fields: RequestFields = {
  model: "m",
  otherModels: undefined,
  isStream: true,
  showsUsage: true,
  spans,
  apart: ["paid_apart"],
};

function made(
  { fields: more = {}, read = {}, state }: { fields?: object; read?: object; state?: object } = {},
  headers: Exchange["headers"] = {},
) {
  const phase = {
    call: { caller: { key: { id: "key_1" }, responsesKeptMs: undefined } },
    endpoint: { ...readyEcho, state },
    read: { body, fields: { ...fields, ...more }, idempotencyKey: undefined, completed: "all", ...read },
    candidates: ["first"],
    worstCase: { outputTokens: 3 },
  } as unknown as Admitted;
  const context = { settings: { responsesKeptMs: 8 } } as Parameters<typeof dispatchRequestOf>[0];
  return dispatchRequestOf(context, phase, { headers } as Exchange, {} as Reply);
}

test("the caller's own bytes go on, with what was read of them", () => {
  const request = made();
  assert.equal(request.body, body);
  assert.equal(request.isRewritten, false);
  const { isStream, showsUsage, apart, most, candidates, echo } = request;
  assert.deepEqual(
    [request.spans, isStream, showsUsage, apart, most, candidates, echo],
    [spans, true, true, ["paid_apart"], { outputTokens: 3 }, ["first"], undefined],
  );
});

test("a call that was written anew goes on as written, and says so", () => {
  const written = Buffer.from("anew");
  const request = made({ fields: { body: written } });
  assert.deepEqual([request.body, request.isRewritten], [written, true]);
});

test("an answer is kept for a repeat only under a key; parameters are dropped only on the exact word", () => {
  assert.equal(made().isKept, false);
  assert.equal(made({ read: { idempotencyKey: "k" } }).isKept, true);
  for (const [header, drops] of [
    ["true", true],
    ["TRUE", false],
    ["1", false],
    ["true, true", false],
    [["true"], false],
    [undefined, false],
  ] as const)
    assert.equal(made({}, { "x-plaza-drop-params": header } as Exchange["headers"]).dropsParams, drops);
});

test("what an answer repeats of its request comes from the endpoint's state", () => {
  const echo = (...given: unknown[]) => ({ given });
  assert.deepEqual(made({ state: { echo } }).echo, { given: [fields, "all", 8] });
});
