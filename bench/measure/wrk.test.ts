/** Reading wrk's result: answers with errors are no answers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { completedRequests } from "./wrk.ts";

test("requests are counted only when none failed", () => {
  assert.equal(completedRequests("x", "Running 600s test\nRESULT 1200 0 0 0 0 0\n"), 1200);
  assert.throws(
    () => completedRequests("x", "RESULT 1200 0 0 0 1200 0\n"),
    /x: 1200 answers, .* status >= 400 1200/,
  );
  assert.throws(() => completedRequests("x", "RESULT 1200 0 3 0 0 0\n"), /errors: connect 0, read 3/);
  assert.throws(() => completedRequests("x", "RESULT 1200 0 0 0 0 1\n"), /timeout 1/);
  assert.throws(() => completedRequests("x", "RESULT 0 0 0 0 0 0\n"), /x completed no request/);
  assert.equal(completedRequests("x", "RESULT 1200 0 0 0 1200 0\n", true), 1200);
  assert.throws(() => completedRequests("x", "RESULT 1200 0 0 0 1199 0\n", true), /status >= 400 1199/);
  assert.throws(() => completedRequests("x", "RESULT 1200 0 0 1 1200 0\n", true), /write 1/);
  assert.throws(() => completedRequests("x", "unable to connect"), /wrk printed no result/);
});
