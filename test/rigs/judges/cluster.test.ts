/**
 * The checks of the rig over hosts, on made-up results: correct ones pass, and each kind of error is found.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  judgeComplete,
  judgePurse,
  type Made,
  madeTwice,
  outcomeOf,
  recoveredAfterMs,
} from "../cluster/judges.ts";
import type { CallRecord } from "../upstream/journal.ts";

interface Told {
  readonly id?: string;
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly sentAt?: number;
  readonly endedAt?: number;
  readonly isWhole?: boolean;
}

const answer = (tokens: number): string =>
  JSON.stringify({
    object: "chat.completion",
    choices: [],
    usage: { prompt_tokens: 3, completion_tokens: tokens },
  });

const error = (code: string): string => JSON.stringify({ error: { message: "no", type: "x", code } });

function made({ id = "a", status = 200, body = answer(5), headers = {}, ...times }: Told = {}): Made {
  return {
    call: { id, isStream: false, maxTokens: 10, plan: { tokens: 5 } },
    seen: {
      status,
      headers,
      rawHeaders: [],
      body: Buffer.from(body),
      arrivals: [],
      sentAt: times.sentAt ?? 0,
      headAt: 0,
      endedAt: times.endedAt ?? 10,
      isWhole: times.isWhole ?? true,
      problem: "",
    },
  };
}

const record = (id: string, end: CallRecord["end"] = "finished"): CallRecord => ({
  id,
  path: "",
  headers: [],
  bodySha256: "",
  bodyLength: 0,
  isStream: false,
  fault: "",
  acceptedAt: 0,
  end,
});

test("what a caller met is told apart", () => {
  const soon = { "retry-after": "1" };
  assert.equal(outcomeOf(made()), "whole");
  assert.equal(outcomeOf(made({ status: 503, body: error("ledger_unavailable"), headers: soon })), "refused");
  assert.equal(
    outcomeOf(made({ status: 429, body: error("rate_limit_exceeded"), headers: soon })),
    "refused",
  );
  assert.equal(outcomeOf(made({ status: 502, body: "<html>" })), "balancer");
  assert.equal(outcomeOf(made({ isWhole: false })), "cut");
  assert.equal(outcomeOf(made({ status: 0, body: "" })), "cut");
  assert.equal(outcomeOf(made({ status: 401, body: error("invalid_api_key") })), "wrong");
  assert.equal(
    outcomeOf(made({ status: 503, body: error("ledger_unavailable") })),
    "wrong",
    "without a time",
  );
  assert.equal(outcomeOf(made({ status: 500, body: "<html>" })), "wrong");
});

test("an answer that looks complete has all that the upstream sent", () => {
  assert.ok(judgeComplete([made()], [record("a")]).ok);
  assert.ok(!judgeComplete([made()], [record("a", "cut")]).ok, "the upstream broke off");
  assert.ok(!judgeComplete([made()], []).ok, "the upstream was never called");
  assert.ok(!judgeComplete([made({ body: answer(4) })], [record("a")]).ok, "a token is missing");
  assert.ok(!judgeComplete([made({ isWhole: false })], [record("a")]).ok, "nothing was tested");
});

test("a purse pays for so many answers, and for no call beside those that a crash cut off", () => {
  const two = [made({ id: "a" }), made({ id: "b" })];
  const calls = [record("a"), record("b")];
  assert.deepEqual(judgePurse(two, calls, 2), []);
  assert.equal(judgePurse(two, calls, 1).length, 2);
  assert.deepEqual(
    judgePurse([made({ id: "a" }), made({ id: "b", isWhole: false })], calls, 1),
    [],
    "the second was cut off",
  );
  assert.equal(judgePurse([], [], 1).length, 1, "nothing was tested");
});

test("a call made twice is found", () => {
  assert.deepEqual(madeTwice([made()], [record("a")]), []);
  assert.equal(madeTwice([made()], [record("a"), record("a")]).length, 1);
});

test("the recovery lasts until the end of the last call that fails, of those sent since", () => {
  const before = made({ status: 0, sentAt: 90, endedAt: 900 });
  const failed = made({ status: 0, sentAt: 120, endedAt: 250 });
  assert.equal(recoveredAfterMs([before, made({ sentAt: 110 })], 100), 0);
  assert.equal(recoveredAfterMs([before, failed, made({ sentAt: 300 })], 100), 150);
});
