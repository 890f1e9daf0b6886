/**
 * Compares the list of columns of `requests` with SQLite's table, the values it produces, and the order in
 * journals.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import { openStoreInProcess } from "../open.ts";
import { requestRow } from "../testing/behaviour/requests.ts";
import { columnList, columnTypes, ownColumns } from "./columns.ts";
import { toRequest } from "./requests.ts";
import { at, columnsPerRequest, pushRequestValues, type RequestValue, valuesPerRequest } from "./row.ts";
import type { Settlement } from "./settlement-shapes.ts";
import type { RequestRow } from "./shapes.ts";

test("SQLite's table has these columns, with these types, and no other", async (context) => {
  const directory = mkdtempSync(join(tmpdir(), "columns-"));
  context.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "plaza.db");
  const store = await openStoreInProcess({ database: { kind: "sqlite", file }, secretKey: randomBytes(32) });
  await store.migrate();
  await store.close();
  const database = new DatabaseSync(file);
  context.after(() => database.close());
  const found = database
    .prepare(
      "select name, type, \"notnull\" as required, dflt_value as initial from pragma_table_info('requests')",
    )
    .all();
  const expected = columnList.map(({ name, kind, isNullable, initial }) => ({
    name,
    type: columnTypes[kind].sqlite,
    required: isNullable ? 0 : 1,
    initial: initial ?? null,
  }));
  const byName = (one: { name?: unknown }, other: { name?: unknown }) =>
    String(one.name) < String(other.name) ? -1 : 1;
  assert.deepEqual(
    found.map((column) => ({ ...column })).toSorted(byName),
    [...expected, ...ownColumns.sqlite].toSorted(byName),
  );
});

/** A row with a different value in every property. */
const row: RequestRow = requestRow(1, {
  id: "req_a",
  createdAt: 1,
  accountId: "acc_a",
  keyId: "key_a",
  modelId: "model_a",
  upstreamId: "upstream_a",
  upstreamModel: "upstream_model_a",
  isStream: true,
  status: 202,
  state: "aborted",
  errorCode: "error_a",
  attempts: 3,
  inputTokens: 4,
  cachedInputTokens: 5,
  cacheWriteTokens: 6,
  outputTokens: 7,
  reasoningTokens: 8,
  usageSource: "estimated",
  firstTokenMs: 9.4,
  durationMs: 10.5,
  usageParts: { audioInput: 11 },
  attemptLog: [
    { upstreamId: "u", upstreamModel: "m", fault: null, status: 200, startMs: 2, durationMs: 12.5 },
  ],
  queueMs: 2,
  priceId: 13,
  cost: nanoUsd(14n),
  charge: nanoUsd(15n),
  operation: "embeddings",
});

const body = new Uint8Array([1, 2]);
const settlement: Settlement = {
  holderId: "hld_a",
  account: { fromLease: nanoUsd(16n), release: nanoUsd(17n) },
  budget: { id: "bud_a", fromLease: nanoUsd(18n), release: nanoUsd(19n) },
  idempotency: { key: "idem_a", answer: { status: 200, headers: ["a", "b"], body } },
};

/**
 * The order of a journal's line, which a newer Plaza must read. If it changes, old lines need a way to be
 * read.
 */
const journalled: readonly (readonly [string, RequestValue])[] = [
  ["id", "req_a"],
  ["createdAt", 1],
  ["accountId", "acc_a"],
  ["keyId", "key_a"],
  ["modelId", "model_a"],
  ["upstreamId", "upstream_a"],
  ["upstreamModel", "upstream_model_a"],
  ["isStream", 1],
  ["status", 202],
  ["state", "aborted"],
  ["errorCode", "error_a"],
  ["attempts", 3],
  ["inputTokens", 4],
  ["cachedInputTokens", 5],
  ["cacheWriteTokens", 6],
  ["outputTokens", 7],
  ["reasoningTokens", 8],
  ["usageSource", "estimated"],
  ["firstTokenMs", 9],
  ["durationMs", 11],
  ["usageParts", '{"audioInput":11,"queueMs":2}'],
  [
    "attemptLog",
    '[{"upstreamId":"u","upstreamModel":"m","fault":null,"status":200,"startMs":2,"durationMs":12.5}]',
  ],
  ["priceId", 13],
  ["cost", 14n],
  ["charge", 15n],
  ["loss", 0n],
  ["operation", "embeddings"],
  ["holderId", "hld_a"],
  ["accountFromLease", 16n],
  ["accountRelease", 17n],
  ["budgetId", "bud_a"],
  ["budgetFromLease", 18n],
  ["budgetRelease", 19n],
  ["idempotencyKey", "idem_a"],
  ["answerStatus", 200],
  ["answerHeaders", '["a","b"]'],
  ["answerBody", body],
];

test("a request's values are in the order of journals, and every name knows where its value lies", () => {
  const values: RequestValue[] = ["before"];
  pushRequestValues(row, settlement, values);
  assert.deepEqual(
    values.slice(1),
    journalled.map(([, value]) => value),
  );
  assert.deepEqual(at, Object.fromEntries(journalled.map(([name], index) => [name, index])));
  assert.equal(valuesPerRequest, 37);
  assert.equal(columnsPerRequest, 27);
});

test("a request without a settlement, and with nothing in it, has as many values", () => {
  const bare: RequestRow = {
    ...row,
    modelId: null,
    upstreamId: null,
    upstreamModel: null,
    isStream: false,
    errorCode: null,
    firstTokenMs: null,
    usageParts: null,
    attemptLog: null,
    queueMs: null,
    priceId: null,
    cost: null,
  };
  const values: RequestValue[] = [];
  pushRequestValues(bare, undefined, values);
  assert.equal(values.length, valuesPerRequest);
  const absent = [
    "modelId",
    "upstreamId",
    "upstreamModel",
    "errorCode",
    "firstTokenMs",
    "usageParts",
    "attemptLog",
    "priceId",
    "cost",
  ] as const;
  assert.deepEqual(
    absent.map((name) => values[at[name]]),
    absent.map(() => null),
  );
  assert.deepEqual(values.slice(at.loss), [
    ...[0n, "embeddings"],
    ...[null, 0n, 0n, null, 0n, 0n, null, null, null, null],
  ]);
  assert.equal(values[at.isStream], 0);
});

test("a column's value is made of its own property, and read back into it", () => {
  const read: string[] = [];
  const watched = new Proxy(row, {
    get(target, name) {
      read.push(String(name));
      return Reflect.get(target, name) as unknown;
    },
  });
  const stored: Record<string, unknown> = {};
  for (const { property, name, write } of columnList) {
    read.length = 0;
    stored[name] = write(watched);
    const own = property === "usageParts" ? ["usageParts", "queueMs"] : [property];
    assert.deepEqual([...new Set(read)], property === "loss" ? [] : own);
  }
  const expected = { ...row, firstTokenMs: 9, durationMs: 11, loss: nanoUsd(0n) };
  assert.deepEqual(toRequest(stored as never), expected);
});
