/**
 * Failed requests: sent in the error shape and recorded once or counted. Details of a bug go to the log only.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { Settlement } from "../../../store/requests/settlement-shapes.ts";
import type { RequestRow } from "../../../store/requests/shapes.ts";
import type { Phase } from "../phases.ts";
import { Reply } from "../reply.ts";
import { ScriptedCaller } from "../testing/scripted-caller.ts";
import { type RefuseContext, refuse } from "./refuse.ts";

const echo = { path: "/v1/echo", operation: "chat" } as const;
const embeddings = { path: "/v1/embeddings", operation: "embeddings" } as const;

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function scene({ isRow = true, isBroken = false } = {}) {
  const rows: [RequestRow, Settlement | undefined][] = [];
  const asked: unknown[][] = [];
  const counted: unknown[][] = [];
  const logged: [string, Readonly<Record<string, unknown>>][] = [];
  const ended: string[] = [];
  const context = {
    refusals: {
      isRow(...of: unknown[]) {
        asked.push(of);
        return isRow;
      },
    },
    observe: { refused: (...of: unknown[]) => counted.push(of), settled: () => {} },
    store: {
      async recordRequest(row: RequestRow, settlement: Settlement | undefined) {
        if (isBroken) throw new Error("no store");
        rows.push([row, settlement]);
      },
    },
    settings: {},
    clock: { wallMs: () => 0, elapsedMs: () => 40 },
    log: {
      error: (event: string, fields: Readonly<Record<string, unknown>>) => logged.push([event, fields]),
    },
    thinking: { learn() {}, estimate: () => undefined },
    tracer: undefined,
    requestLog: undefined,
  } as unknown as RefuseContext;
  const key = { id: "key_1", accountId: "acc_1" };
  const phaseAt = (name: string, changes: object = {}) =>
    ({
      name,
      call: { id: "req_1", createdAt: 5, startedMs: 10, caller: { key } },
      endpoint: echo,
      read: { fields: { model: "m" } },
      resolved: undefined,
      taken: {
        admissions: [{ end: (tokens: number) => ended.push(`limits ${tokens}`) }],
        claim: {
          settle: (answer: unknown) => {
            ended.push(`claim ${String(answer)}`);
            return { key: "k", answer };
          },
          free: () => ended.push("claim freed"),
        },
        hold: {
          settle: (charge: bigint) => {
            ended.push(`hold ${charge}`);
            return undefined;
          },
          drop: () => ended.push("hold dropped"),
          doubt: () => ended.push("hold doubted"),
        },
      },
      ...changes,
    }) as unknown as Phase;
  const caller = new ScriptedCaller("", {});
  caller.isReceived = true;
  const reply = new Reply(caller, "req_1", undefined);
  return { context, rows, asked, counted, logged, ended, phaseAt, caller, reply };
}

const codeOf = ({ text }: ScriptedCaller) => (JSON.parse(text) as { error: { code: string } }).error.code;

test("before the key is known there is no row: it is counted under its code and path", () => {
  for (const phase of [undefined, { name: "arrived" } as Phase]) {
    const { context, rows, counted, caller, reply } = scene();
    refuse(context, embeddings, phase, reply, new GatewayError("invalid_api_key"));
    assert.deepEqual([counted, rows], [[["invalid_api_key", 401, embeddings]], []]);
    assert.deepEqual([caller.status, codeOf(caller)], [401, "invalid_api_key"]);
  }
});

test("a refusal of ours is recorded with what was taken ended without a charge, and nobody waits for it", async () => {
  for (const name of ["identified", "received", "resolved", "admitted"]) {
    const { context, rows, asked, ended, phaseAt, caller, reply } = scene();
    refuse(context, echo, phaseAt(name), reply, new GatewayError("insufficient_balance"));
    assert.equal(caller.status, 402);
    await settled();
    const [row, settlement] = rows[0] ?? [];
    assert.deepEqual(
      [row?.status, row?.state, row?.errorCode, row?.charge, row?.usageSource, row?.durationMs],
      [402, "failed", "insufficient_balance", nanoUsd(0n), "none", 30],
    );
    assert.deepEqual(settlement?.idempotency, { key: "k", answer: undefined });
    assert.deepEqual(ended, ["limits 0", "hold 0", "claim undefined"]);
    assert.deepEqual(asked, [[{ id: "key_1", accountId: "acc_1" }, "insufficient_balance", false]]);
  }
});

test("a trouble of the server's is not held against the key", () => {
  const { context, asked, phaseAt, reply } = scene();
  refuse(context, echo, phaseAt("received"), reply, new GatewayError("ledger_unavailable"));
  assert.deepEqual(asked[0]?.[2], true);
});

test("what was settled already is told, and not recorded a second time", async () => {
  for (const name of ["answered", "repeated"]) {
    const { context, rows, counted, ended, phaseAt, caller, reply } = scene();
    refuse(context, echo, phaseAt(name), reply, new GatewayError("upstream_timeout"));
    await settled();
    assert.deepEqual([rows, counted, ended, caller.status], [[], [], [], 504]);
  }
});

test("beyond the rows a key may have, a refusal is counted, with its model and state", async () => {
  const { context, rows, counted, phaseAt, reply } = scene({ isRow: false });
  const resolved = { model: { model: { id: "m-1" } } };
  refuse(context, echo, phaseAt("resolved", { resolved }), reply, new GatewayError("rate_limit_exceeded"));
  await settled();
  assert.deepEqual(rows, []);
  assert.deepEqual(counted, [["rate_limit_exceeded", 429, echo, { state: "failed", model: "m-1" }]]);
});

test("a caller that left is written down as that, in a row or a count", async () => {
  for (const isRow of [true, false]) {
    const { context, rows, counted, phaseAt, caller, reply } = scene({ isRow });
    caller.leave();
    refuse(context, echo, phaseAt("received"), reply, new GatewayError("request_timeout"));
    await settled();
    if (isRow) assert.deepEqual([rows[0]?.[0].status, rows[0]?.[0].state], [499, "aborted"]);
    else assert.deepEqual(counted[0]?.slice(1), [499, echo, { state: "aborted", model: undefined }]);
    assert.equal(caller.text, "");
  }
});

test("a row that cannot be written gives back what was taken, and the caller's answer stands", async () => {
  const { context, ended, logged, phaseAt, caller, reply } = scene({ isBroken: true });
  refuse(context, echo, phaseAt("resolved"), reply, new GatewayError("insufficient_balance"));
  await settled();
  assert.equal(codeOf(caller), "insufficient_balance");
  assert.deepEqual(ended.slice(-3), ["claim freed", "hold dropped", "hold doubted"]);
  assert.deepEqual(
    logged.map(([event]) => event),
    ["request_not_recorded"],
  );
});

test("a mistake of ours is told in general words; its text and stack go to the log", () => {
  for (const thrown of [new TypeError("secret of a prompt"), "secret of a prompt", undefined]) {
    const { context, logged, phaseAt, caller, reply } = scene();
    refuse(context, echo, phaseAt("received"), reply, thrown);
    assert.deepEqual([caller.status, codeOf(caller)], [500, "internal_error"]);
    assert.doesNotMatch(caller.text, /secret/);
    assert.equal(logged[0]?.[0], "internal_error");
    if (thrown !== undefined) assert.match(String(logged[0]?.[1]["stack"]), /secret/);
  }
});

test("after a body that did not come in time the connection is closed; after any other refusal it is not", () => {
  const late = scene();
  refuse(late.context, echo, late.phaseAt("identified"), late.reply, new GatewayError("request_timeout"));
  assert.deepEqual([late.caller.isClosing, late.caller.status], [true, 408]);
  const other = scene();
  refuse(other.context, echo, other.phaseAt("identified"), other.reply, new GatewayError("invalid_request"));
  assert.equal(other.caller.isClosing, false);
});

test("once a stream has begun, an error is its last event", () => {
  const { context, phaseAt, caller, reply } = scene();
  reply.beginStream();
  refuse(context, echo, phaseAt("answered"), reply, new GatewayError("upstream_error"));
  assert.equal(caller.status, 200);
  assert.match(caller.text, /^data: \{"error":.*"upstream_error".*\}\n\n$/);
});

test("an error of the catalogue takes no stack, and leaves others theirs", () => {
  const made = new GatewayError("invalid_api_key");
  assert.doesNotMatch(made.stack ?? "", /\n\s+at /);
  assert.match(new Error("a mistake").stack ?? "", /\n\s+at /);
});
