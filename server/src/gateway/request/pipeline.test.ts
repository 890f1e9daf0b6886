/**
 * Every exit of the pipeline: what the caller gets, what is recorded, and that everything taken is released
 * exactly once.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import { createPipelineRig, scriptOf, streamOf } from "./testing/pipeline-rig.ts";

type Rig = ReturnType<typeof createPipelineRig>;

const refuse = (code: ConstructorParameters<typeof GatewayError>[0]) => (): never => {
  throw new GatewayError(code);
};
const withKey = { "idempotency-key": "k1" };
const stream = '{"which":"m","live":true}';

interface Exit {
  readonly name: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  readonly arrange?: (rig: Rig) => void;
  readonly status: number;
  readonly code?: string;
  /** State of the row; undefined = no row is written. */
  readonly row?: string;
  /** Resources taken before the exit. */
  readonly taken: readonly string[];
  /** True when the call counts against request limits. Default: false. */
  readonly isStarted?: boolean;
  /** Remaining requests in the rate limit headers; undefined = no header. */
  readonly left?: string;
}

const exits: readonly Exit[] = [
  {
    name: "the gate is shut",
    arrange: ({ steps }) => (steps.admit = refuse("overloaded")),
    status: 503,
    code: "overloaded",
    taken: [],
  },
  {
    name: "the key is unknown",
    arrange: ({ steps }) => (steps.authenticate = refuse("invalid_api_key")),
    status: 401,
    code: "invalid_api_key",
    taken: ["place"],
  },
  {
    name: "too many calls of this key were refused",
    arrange: ({ steps }) => (steps.refuseEarly = () => new GatewayError("rate_limit_exceeded")),
    status: 429,
    code: "rate_limit_exceeded",
    taken: ["place"],
    left: "10",
  },
  {
    name: "a body of another type",
    headers: { "content-type": "text/plain" },
    status: 415,
    code: "unsupported_media_type",
    row: "failed",
    taken: ["place", "call"],
    left: "10",
  },
  {
    name: "an Idempotency-Key that is none",
    headers: { "idempotency-key": "two words" },
    status: 400,
    code: "invalid_request",
    row: "failed",
    taken: ["place", "call"],
    left: "10",
  },
  {
    name: "a body that is no JSON",
    body: '{"which"',
    status: 400,
    code: "invalid_request",
    row: "failed",
    taken: ["place", "call"],
    left: "10",
  },
  {
    name: "the caller leaves while its body comes",
    arrange: (rig) => {
      rig.exchange.onReceive = () => queueMicrotask(() => rig.exchange.leave());
    },
    body: '{"which":"m"}',
    status: 0,
    row: "aborted",
    taken: ["place", "call"],
  },
  {
    name: "the caller has left when its body is there",
    arrange: (rig) => {
      rig.exchange.afterBody = () => rig.exchange.leave();
    },
    status: 0,
    row: "aborted",
    taken: ["place", "call"],
  },
  {
    name: "the key is shut down while its body comes",
    arrange: (rig) => {
      rig.exchange.onReceive = () => (rig.caller.ended = new GatewayError("api_key_disabled"));
    },
    status: 401,
    code: "api_key_disabled",
    row: "failed",
    taken: ["place", "call"],
    left: "10",
  },
  {
    name: "a model that does not exist",
    body: '{"which":"nobody"}',
    status: 404,
    code: "model_not_found",
    row: "failed",
    taken: ["place", "call"],
    left: "10",
  },
  {
    name: "a further model that does not exist",
    body: '{"which":"m","others":["nobody"]}',
    status: 404,
    code: "model_not_found",
    row: "failed",
    taken: ["place", "call"],
    left: "10",
  },
  {
    name: "the key is in use",
    headers: withKey,
    arrange: ({ steps }) => (steps.claim = () => ({ kind: "in_flight" })),
    status: 409,
    code: "idempotency_in_flight",
    row: "failed",
    taken: ["place", "call"],
    left: "10",
  },
  {
    name: "the limits refuse",
    headers: withKey,
    arrange: ({ steps }) => (steps.limit = refuse("rate_limit_exceeded")),
    status: 429,
    code: "rate_limit_exceeded",
    row: "failed",
    taken: ["place", "call", "claim"],
    left: "10",
  },
  {
    name: "the balance is too low: the limits tell what they have again",
    headers: withKey,
    arrange: ({ steps }) => (steps.available = 5n),
    status: 402,
    code: "insufficient_balance",
    row: "failed",
    taken: ["place", "call", "limits", "claim"],
    left: "10",
  },
  {
    name: "the caller leaves while money is held",
    headers: withKey,
    arrange: (rig) => (rig.steps.onHold = () => rig.exchange.leave()),
    status: 0,
    row: "aborted",
    taken: ["place", "call", "limits", "hold", "claim"],
  },
  {
    name: "the key is shut down while money is held",
    arrange: (rig) => {
      rig.steps.onHold = () => (rig.caller.ended = new GatewayError("account_suspended"));
    },
    status: 403,
    code: "account_suspended",
    row: "failed",
    taken: ["place", "call", "limits", "hold"],
    isStarted: false,
    left: "9",
  },
  {
    name: "the upstream fails",
    headers: withKey,
    arrange: ({ steps }) => (steps.script = () => ({ ...scriptOf("{}"), status: 400 })),
    status: 502,
    code: "upstream_error",
    row: "failed",
    taken: ["place", "call", "limits", "hold", "claim"],
    left: "9",
  },
  {
    name: "dispatch itself fails",
    headers: withKey,
    arrange: (rig) => {
      rig.context.retryBudgets.of = () => {
        throw new Error("a mistake of ours");
      };
    },
    status: 500,
    code: "internal_error",
    row: "failed",
    taken: ["place", "call", "limits", "hold", "claim"],
    left: "9",
  },
  {
    name: "the caller leaves, and its answer is kept for the next try",
    headers: withKey,
    arrange: (rig) => {
      const { script } = rig.steps;
      rig.steps.script = () => {
        queueMicrotask(() => rig.exchange.leave());
        return script();
      };
    },
    status: 0,
    row: "aborted",
    taken: ["place", "call", "limits", "hold", "claim"],
    isStarted: true,
  },
  {
    name: "the caller leaves while the upstream works",
    arrange: (rig) => {
      const { script } = rig.steps;
      rig.steps.script = () => {
        queueMicrotask(() => rig.exchange.leave());
        return script();
      };
    },
    status: 0,
    row: "aborted",
    isStarted: true,
    taken: ["place", "call", "limits", "hold"],
  },
  {
    name: "the settlement cannot be written",
    arrange: ({ steps }) => {
      steps.record = () => {
        throw new Error("no store");
      };
    },
    status: 503,
    code: "ledger_unavailable",
    taken: ["place", "call", "limits", "hold"],
    left: "9",
  },
  { name: "an answer", status: 200, row: "complete", taken: ["place", "call", "limits", "hold"], left: "9" },
  {
    name: "an answer that is kept",
    headers: withKey,
    status: 200,
    row: "complete",
    taken: ["place", "call", "limits", "hold", "claim"],
    left: "9",
  },
  {
    name: "a stream",
    body: stream,
    arrange: ({ steps }) => (steps.script = () => streamOf("one", "two", "END")),
    status: 200,
    row: "complete",
    taken: ["place", "call", "limits", "hold"],
    left: "9",
  },
  {
    name: "a stream that breaks",
    body: stream,
    arrange: ({ steps }) => (steps.script = () => ({ ...streamOf("one"), ending: "cut" })),
    status: 200,
    row: "incomplete",
    taken: ["place", "call", "limits", "hold"],
    left: "9",
  },
];

for (const {
  name,
  body,
  headers,
  arrange,
  status,
  code,
  row,
  taken,
  left,
  isStarted = left === "9",
} of exits) {
  test(name, async () => {
    const rig = createPipelineRig(body, headers);
    arrange?.(rig);
    await rig.serve();
    assert.equal(rig.exchange.status, status);
    if (code !== undefined) assert.equal(rig.code(), code);
    assert.deepEqual(
      rig.rows.map(({ state }) => state),
      row === undefined ? [] : [row],
    );
    assert.deepEqual(rig.taken(), taken, "taken");
    assert.deepEqual(rig.left(), [], "left over");
    assert.equal(rig.started() > 0, isStarted, "counts as a request");
    assert.equal(rig.exchange.headerOf("x-ratelimit-remaining-requests"), left);
    assert.ok(rig.exchange.countOf("x-ratelimit-remaining-requests") <= 1, "headers told once");
  });
}
