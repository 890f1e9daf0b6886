/** Filters of requests: from the URL to the API and back to links. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSearch } from "../../shell/search-text.ts";
import { requestFilterDefaults, requestQuery, requestsLink } from "./query.ts";

const range = {
  first: "2026-11-21",
  last: "2026-11-21",
  from: "2026-11-20T23:00:00.000Z",
  to: "2026-11-21T23:00:00.000Z",
};

test("what does not filter is not asked", () => {
  assert.deepEqual(requestQuery(requestFilterDefaults, undefined), {});
  assert.deepEqual(requestQuery({ ...requestFilterDefaults, error: "  ", id: " " }, range), {
    from: range.from,
    to: range.to,
  });
});

test("filters are passed on, an unknown result or operation is not", () => {
  const values = {
    ...requestFilterDefaults,
    model: ["a", ""],
    key: ["key_1"],
    state: ["failed", "odd"],
    operation: ["odd", "embeddings"],
    error: " x ",
    id: "req_",
  };
  assert.deepEqual(requestQuery(values, undefined), {
    model: ["a", ""],
    key: ["key_1"],
    state: ["failed"],
    operation: ["embeddings"],
    errorCode: "x",
    id: "req_",
  });
});

test("a figure's link reads back as its filters, requests without a model, too", () => {
  const link = requestsLink({
    period: "custom",
    from: "2026-11-21",
    to: "2026-11-21",
    zone: "",
    model: [""],
    state: ["failed"],
  });
  assert.ok(link.startsWith("/requests?"));
  assert.deepEqual(parseSearch(link.slice(link.indexOf("?"))), {
    period: "custom",
    from: "2026-11-21",
    to: "2026-11-21",
    model: "",
    state: "failed",
  });
  assert.equal(
    requestsLink({ period: "7d", account: ["acc_1"] }, "/operator/requests"),
    "/operator/requests?period=7d&account=acc_1",
  );
});
