/** P34's checks on made-up results: they accept correct ones and reject each kind of error. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { billOf, meaningOf } from "../money/p34-greedy.ts";
import { judgeAnswers, judgeLoss, type Outcome } from "../money/p34-held.ts";
import { judgeLeave } from "../money/p34-leaving.ts";

const outcome: Outcome = { name: "x", body: "{}", isOrdinary: true, statuses: [200], billed: 10n, paid: 10n };

test("a unit more billed than paid is a loss", () => {
  assert.equal(judgeLoss(outcome), undefined);
  assert.match(judgeLoss({ ...outcome, paid: 9n }) ?? "", /billed 10, paid 9/);
});

test("ordinary requests are served; attacks may be refused, and nothing else may become of them", () => {
  assert.equal(judgeAnswers(outcome), undefined);
  assert.match(judgeAnswers({ ...outcome, statuses: [400] }) ?? "", /status 400/);
  assert.equal(judgeAnswers({ ...outcome, isOrdinary: false, statuses: [400, 402, 200] }), undefined);
  assert.match(judgeAnswers({ ...outcome, isOrdinary: false, statuses: [400, 502] }) ?? "", /status 502/);
});

test("a row is right when prompt and output are estimated within 2 %", () => {
  const left = { name: "x", input: 1_000, output: 1_000 };
  assert.equal(judgeLeave(left, { source: "estimated", input: 1_020, output: 980 }), undefined);
  assert.match(judgeLeave(left, { source: "estimated", input: 979, output: 1_000 }) ?? "", /input 979/);
  assert.match(judgeLeave(left, { source: "estimated", input: 1_000, output: 1_021 }) ?? "", /output 1021/);
  assert.match(judgeLeave(left, { source: "none", input: 1_000, output: 1_000 }) ?? "", /none/);
  assert.match(judgeLeave(left, undefined) ?? "", /no row/);
});

test("the greedy upstream reads the most into every request", () => {
  const read = (more: string) => meaningOf(`{"model":"upstream-model","messages":[]${more}}`);
  assert.equal(read("").output, 128_000);
  assert.equal(read(',"max_tokens":1,"Max_Completion_Tokens":9').output, 9);
  assert.equal(read(',"max_tokens":7,"max_tokens":1').output, 7);
  assert.equal(read(',"max_tokens":1,"options":{"NUM_PREDICT":-1}').output, 400_000);
  assert.equal(read(',"max_tokens":2,"\\u006e":3').output, 6);
  assert.equal(read(',"MODEL":"dear"').model, "dear");
  assert.equal(read(',"modalities":["\\u0061udio"]').isAudio, true);
  assert.equal(read(',"tools":[{"type":"function"},{"googleSearch":{}}],"service_tier":"flex"').extras, 2);
  const plain = read(',"max_tokens":1');
  assert.ok(
    billOf({ ...plain, extras: 1 }) > billOf(plain) && billOf({ ...plain, model: "dear" }) > billOf(plain),
  );
});
