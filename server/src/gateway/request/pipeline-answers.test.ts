/**
 * What the pipeline sends and records: answers, streams, stored and replayed answers, and refusals that are
 * only counted.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import type { CallTarget, ReadyEndpoint } from "../endpoints/endpoint.ts";
import { readyEcho } from "./testing/fake-endpoint.ts";
import { createPipelineRig, streamOf } from "./testing/pipeline-rig.ts";

const withKey = { "idempotency-key": "k1" };
const stream = '{"which":"m","live":true}';
const refuse = (code: ConstructorParameters<typeof GatewayError>[0]) => (): never => {
  throw new GatewayError(code);
};

/** The fake endpoint with its own error format. */
const told: ReadyEndpoint = {
  ...readyEcho,
  protocol: {
    ...readyEcho.protocol,
    errors: {
      body: ({ code, status, requestId }) => Buffer.from(`${code} ${status} ${requestId}`),
      headers: (id) => ["echo-id", id],
    },
    readStream: () => {
      const reader = readyEcho.protocol.readStream();
      return Object.assign(reader, {
        failure: ({ code }: { code: string }) => Buffer.from(`${code} after ${reader.delivered.events}`),
      });
    },
  },
};

test("whichever step refuses, its caller is told in the endpoint's format", async () => {
  const rows: readonly [
    code: ConstructorParameters<typeof GatewayError>[0],
    (code: () => never) => object,
  ][] = [
    ["overloaded", (admit) => ({ admit })],
    ["invalid_api_key", (authenticate) => ({ authenticate })],
    ["rate_limit_exceeded", (limit) => ({ limit })],
  ];
  for (const [code, steps] of rows) {
    const rig = createPipelineRig();
    Object.assign(rig.steps, steps(refuse(code)));
    await rig.serve(told);
    assert.equal(rig.exchange.text, `${code} ${rig.exchange.status} req_1`);
    assert.equal(rig.exchange.headerOf("echo-id"), "req_1");
  }
});

test("once its body is read, a request may have a format of its own; what was refused unread has the endpoint's", async () => {
  const own: ReadyEndpoint["protocol"] = {
    ...told.protocol,
    errors: { body: ({ code }) => Buffer.from(`own ${code}`) },
  };
  const endpoint: ReadyEndpoint = { ...told, protocolOf: () => own };
  const limited = createPipelineRig();
  limited.steps.limit = refuse("rate_limit_exceeded");
  await limited.serve(endpoint);
  assert.equal(limited.exchange.text, "own rate_limit_exceeded");
  const unread = createPipelineRig("{}", { "idempotency-key": "not one key" });
  await unread.serve(endpoint);
  assert.equal(unread.exchange.text, "invalid_request 400 req_1");
});

test("a stream that breaks ends as the reader of what was sent says, kept or not", async () => {
  for (const headers of [{}, withKey]) {
    const rig = createPipelineRig(stream, headers);
    rig.steps.script = () => streamOf("one", "two", "OOPS");
    await rig.serve(told);
    assert.equal(rig.exchange.text, "data: one\n\ndata: two\n\nupstream_error after 2");
    const kept = rig.settlements[0]?.idempotency?.answer?.body;
    assert.equal(kept && String(kept), headers === withKey ? rig.exchange.text : undefined);
  }
});

test("an endpoint is told what its path's wildcard stood for, and the query", async () => {
  const targets: CallTarget[] = [];
  const rig = createPipelineRig();
  rig.exchange.query = "alt=sse";
  const endpoint: ReadyEndpoint = {
    ...readyEcho,
    read(scan, body, target) {
      targets.push(target);
      return readyEcho.read(scan, body, target);
    },
  };
  await rig.serve(endpoint, "m:generateContent");
  assert.equal(rig.exchange.headerOf("echo-id"), undefined);
  assert.deepEqual(targets, [{ tail: "m:generateContent", query: "alt=sse" }]);
});

test("an answer is charged, its row is durable before its last byte, and the charge is told", async () => {
  const rig = createPipelineRig();
  let sentBefore = "";
  rig.steps.record = () => {
    sentBefore = rig.exchange.text;
  };
  await rig.serve();
  assert.equal(sentBefore, "");
  assert.equal(rig.exchange.text, '{"said":"hi","used":{"in":10,"out":5}}');
  assert.equal(rig.exchange.headerOf("x-plaza-charge"), "0.00002");
  const [row] = rig.rows;
  assert.deepEqual(
    [row?.modelId, row?.isStream, row?.usageSource, row?.inputTokens, row?.outputTokens, row?.charge],
    ["m", false, "exact", 10, 5, 20_000n],
  );
});

test("the end of a stream waits for its row, and what its upstream does not say is estimated by the endpoint", async () => {
  const rig = createPipelineRig(stream);
  rig.steps.script = () => streamOf("one", "two", "END");
  let sentBefore = "";
  rig.steps.record = () => {
    sentBefore = rig.exchange.text;
  };
  await rig.serve();
  assert.equal(sentBefore, "data: one\n\ndata: two\n\n");
  assert.equal(rig.exchange.text, "data: one\n\ndata: two\n\ndata: END\n\n");
  const [row] = rig.rows;
  assert.deepEqual(
    [row?.isStream, row?.usageSource, row?.inputTokens, row?.outputTokens],
    [true, "estimated", 7, 2],
  );
});

test("a stream whose settlement cannot be written has no end, but an error in it", async () => {
  const rig = createPipelineRig(stream);
  rig.steps.script = () => streamOf("one", "END");
  rig.steps.record = () => {
    throw new Error("no store");
  };
  await rig.serve();
  assert.match(rig.exchange.text, /^data: one\n\n.*"ledger_unavailable"/s);
  assert.doesNotMatch(rig.exchange.text, /END/);
  assert.deepEqual([rig.left(), rig.recorded], [[], [false]]);
});

test("an answer is kept for its key, with what it cost; a refusal gives the key free", async () => {
  const rig = createPipelineRig(undefined, withKey);
  await rig.serve();
  const kept = rig.settlements[0]?.idempotency;
  assert.equal(kept?.answer?.body.toString(), rig.exchange.text);
  assert.ok(kept?.answer?.headers.includes("0.00002"));
  const poor = createPipelineRig(undefined, withKey);
  poor.steps.available = 5n;
  await poor.serve();
  assert.deepEqual(poor.settlements[0]?.idempotency, { key: "k1", answer: undefined });
});

const earlier = {
  kind: "done",
  requestId: "req_0",
  answer: { status: 200, headers: ["content-type", "application/json"], body: Buffer.from("before") },
} as const;

test("a repeated call gets the earlier answer, for nothing, and counts as a request", async () => {
  const rig = createPipelineRig(undefined, withKey);
  rig.steps.claim = () => earlier;
  await rig.serve();
  assert.equal(rig.exchange.text, "before");
  assert.equal(rig.exchange.headerOf("x-plaza-original-request"), "req_0");
  assert.equal(rig.exchange.headerOf("x-ratelimit-remaining-requests"), "9");
  assert.deepEqual([rig.taken(), rig.left()], [["place", "call", "limits"], []]);
  assert.deepEqual(
    rig.rows.map(({ state, charge }) => [state, charge]),
    [["complete", 0n]],
  );
});

test("a repeated call beyond its limits, and one whose row cannot be written, get no answer", async () => {
  const limited = createPipelineRig(undefined, withKey);
  limited.steps.claim = () => earlier;
  limited.steps.limit = refuse("rate_limit_exceeded");
  await limited.serve();
  assert.deepEqual([limited.code(), limited.left()], ["rate_limit_exceeded", []]);
  const lost = createPipelineRig(undefined, withKey);
  lost.steps.claim = () => earlier;
  lost.steps.record = () => {
    throw new Error("no store");
  };
  await lost.serve();
  assert.deepEqual([lost.code(), lost.left(), lost.recorded], ["ledger_unavailable", [], [false]]);
});

test("a key that cannot be asked for is given free, because it may have been taken", async () => {
  const rig = createPipelineRig(undefined, withKey);
  rig.steps.claim = () => Promise.reject(new Error("no store"));
  await rig.serve();
  assert.equal(rig.code(), "ledger_unavailable");
  assert.deepEqual(rig.counts.claim, [0, 1]);
});

test("refused calls beyond those with rows are counted, and give everything back all the same", async () => {
  const rig = createPipelineRig(undefined, withKey);
  rig.steps.available = 5n;
  rig.steps.isRow = () => false;
  await rig.serve();
  assert.deepEqual([rig.rows, rig.left()], [[], []]);
  assert.deepEqual(rig.refused, [["insufficient_balance", 402]]);
  assert.equal(rig.exchange.headerOf("x-ratelimit-remaining-requests"), "10");
  const ended = createPipelineRig();
  ended.steps.onHold = () => (ended.caller.ended = new GatewayError("api_key_disabled"));
  ended.steps.isRow = () => false;
  await ended.serve();
  assert.deepEqual([ended.rows, ended.counts.hold, ended.left()], [[], [1, 1], []]);
});

test("a body that did not come in time closes its connection; a mistake of ours is logged", async () => {
  const late = createPipelineRig();
  late.exchange.onReceive = refuse("request_timeout");
  await late.serve();
  assert.deepEqual([late.code(), late.exchange.isClosing], ["request_timeout", true]);
  const broken = createPipelineRig();
  broken.exchange.onReceive = () => {
    throw new Error("a mistake of ours");
  };
  await broken.serve();
  assert.deepEqual([broken.code(), broken.logged], ["internal_error", ["internal_error"]]);
});
