/** Usage figures, lists, details and downloads of requests, over real HTTP, limited to their owners. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { RequestRow } from "../../../server/src/store/requests/shapes.ts";
import { requestRow } from "../../../server/src/store/testing/behaviour/requests.ts";
import { type ConsoleRig, startConsole } from "../harness/console-rig.ts";

const dayMs = Date.parse("2026-03-29T00:00:00Z");
const hourMs = 3_600_000;
const range = "from=2026-03-29T00:00:00Z&to=2026-03-31T00:00:00Z";

const row = (number: number, changes: Partial<RequestRow>): RequestRow =>
  requestRow(number, { accountId: "acc_a", createdAt: dayMs + number * hourMs, ...changes });

const rows: RequestRow[] = [
  row(1, { charge: nanoUsd(1_500n), cost: nanoUsd(1_000n) }),
  row(2, { modelId: "maker/other", keyId: "key_2", firstTokenMs: 101, durationMs: 4_201 }),
  row(3, { state: "failed", status: 502, errorCode: "upstream_error", firstTokenMs: null }),
  row(23, { modelId: null, state: "aborted", status: 499 }),
  row(30, { accountId: "acc_b", modelId: "secret/model", keyId: "key_b" }),
];

async function start(context: Parameters<typeof startConsole>[0]): Promise<ConsoleRig> {
  const rig = await startConsole(context);
  for (const one of rows) await rig.store.recordRequest(one);
  return rig;
}

test("a member's numbers are the account's alone, in the zone asked for", async (context) => {
  const rig = await start(context);
  for (const role of ["member", "owner"] as const) {
    const { status, body } = await rig.as(role).call("GET", `/usage?${range}&by=day&timeZone=Europe/Berlin`);
    assert.equal(status, 200);
    assert.equal(body.total.requests, 4);
    // Clocks go forward that night: 23:00 UTC is one hour into the next day.
    const days = body.rows.map(({ day, requests }: { day: string; requests: number }) => [day, requests]);
    assert.deepEqual(days, [
      ["2026-03-29", 3],
      ["2026-03-30", 1],
    ]);
    assert.deepEqual([body.timeZone, body.from], ["Europe/Berlin", "2026-03-29T00:00:00.000Z"]);
  }
  // Data of another account is never returned, for any query.
  const { body } = await rig.as("member").call("GET", `/usage?${range}&by=model&account=acc_b&key=key_b`);
  assert.deepEqual(body.rows, []);
});

test("numbers have every class, means are of those that have one, and money is in dollars", async (context) => {
  const rig = await start(context);
  const { body } = await rig.as("owner").call("GET", `/usage?${range}&model=gpt-5-mini`);
  assert.deepEqual(body.total, {
    requests: 2,
    complete: 1,
    incomplete: 0,
    aborted: 0,
    failed: 1,
    inputTokens: 240,
    cachedInputTokens: 60,
    cacheWriteTokens: 14,
    outputTokens: 700,
    reasoningTokens: 100,
    charge: "0.0000015",
    loss: "0.00",
    firstTokenMs: 210,
    durationMs: 4_200,
  });
  const { body: nothing } = await rig.as("owner").call("GET", `/usage?${range}&model=absent`);
  assert.deepEqual([nothing.rows, nothing.total.firstTokenMs, nothing.total.charge], [[], null, "0.00"]);
  const { body: unnamed } = await rig.as("owner").call("GET", `/usage?${range}&model=&by=model`);
  assert.deepEqual(
    unnamed.rows.map(({ model, requests }: { model: string; requests: number }) => [model, requests]),
    [["", 1]],
  );
});

test("the operator sees all accounts with names and costs; a member does not", async (context) => {
  const rig = await start(context);
  const { body } = await rig.as("operator").call("GET", `/operator/usage?${range}&by=account`);
  const [first] = body.rows.filter(({ account }: { account: string }) => account === "acc_a");
  assert.deepEqual(
    [body.total.requests, first.accountName, first.cost, first.withoutCost],
    [5, "Account A", "0.000001", 3],
  );
  const two = await rig
    .as("operator")
    .call("GET", `/operator/usage?${range}&by=key&account=acc_a&account=acc_b`);
  assert.deepEqual(two.body.rows.map(({ key }: { key: string }) => key).toSorted(), [
    "key_1",
    "key_2",
    "key_b",
  ]);
  for (const path of [
    "/operator/usage",
    "/operator/requests",
    "/operator/requests.csv",
    "/operator/requests/x",
  ]) {
    const refused = await rig.as("owner").call("GET", `${path}?${range}`);
    assert.deepEqual([path, refused.status], [path, 403]);
  }
  const token = await rig.withToken("usage:read");
  assert.equal((await token.call("GET", `/operator/usage?${range}`)).body.total.requests, 5);
});

test("what cannot be asked is refused in words, beside its field", async (context) => {
  const rig = await start(context);
  const refusals: [string, string, RegExp][] = [
    ["from=2026-03-29T00:10:00Z&to=2026-03-30T00:00:00Z", "from", /half hour/],
    ["from=2026-03-29T00:00:00Z&to=2026-03-29T00:00:00Z", "to", /must be after the start/],
    ["from=2016-03-29T00:00:00Z&to=2026-03-29T00:00:00Z", "from", /Select at most 1830 days/],
    ["from=1969-03-29T00:00:00Z&to=1969-03-30T00:00:00Z", "from", /1970/],
    [`${range}&timeZone=Asia/Kathmandu`, "timeZone", /Use UTC/],
    [`${range}&timeZone=Nowhere`, "timeZone", /not a time zone/],
    [`${range}&by=upstream`, "by", /./],
    ["to=2026-03-30T00:00:00Z", "from", /./],
  ];
  for (const [query, param, words] of refusals) {
    const { status, body } = await rig.as("owner").call("GET", `/usage?${query}`);
    assert.deepEqual(
      [query, status, body.error.code, body.error.param],
      [query, 400, "invalid_request", param],
    );
    assert.match(body.error.message, words);
  }
});

test("refused calls without a row are told beside the first page, each account its own", async (context) => {
  const rig = await start(context);
  const minute = dayMs + 60_000;
  const refusals = (accountId: string, keyId: string, count: number) => ({
    accountId,
    keyId,
    errorCode: "rate_limit_exceeded",
    minute,
    count,
  });
  await rig.store.addRefusals([refusals("acc_a", "key_1", 4_000), refusals("acc_b", "key_b", 7)]);
  const told = async (role: "member" | "operator", query: string) => {
    const path = role === "member" ? "/requests" : "/operator/requests";
    const { body } = await rig.as(role).call("GET", `${path}?${query}`);
    return body.refused.map(({ keyId, count }: { keyId: string; count: number }) => [keyId, count]);
  };
  assert.deepEqual(await told("member", ""), [["key_1", 4_000]]);
  assert.deepEqual(await told("member", "account=acc_b"), [["key_1", 4_000]]);
  assert.deepEqual(await told("operator", ""), [
    ["key_1", 4_000],
    ["key_b", 7],
  ]);
  assert.deepEqual(await told("operator", "account=acc_b"), [["key_b", 7]]);
  assert.deepEqual(await told("operator", "from=2026-03-29T00:01:30Z"), [
    ["key_1", 4_000],
    ["key_b", 7],
  ]);
  for (const other of [
    "from=2026-03-29T00:02:00Z",
    "state=complete",
    "model=demo",
    "operation=chat",
    "id=req_",
    "errorCode=x",
  ])
    assert.deepEqual(await told("operator", other), [], other);
  const { body } = await rig.as("operator").call("GET", "/operator/requests?limit=1");
  const next = await rig.as("operator").call("GET", `/operator/requests?limit=1&cursor=${body.next}`);
  assert.deepEqual(next.body.refused, [], "not again on the second page");
});

test("pages of requests follow each other, and a made-up cursor is refused", async (context) => {
  const rig = await start(context);
  const ids: string[] = [];
  let query = "limit=3";
  for (let pages = 0; pages < 3 && query !== ""; pages++) {
    const { body } = await rig.as("member").call("GET", `/requests?${query}`);
    ids.push(...body.requests.map(({ id }: { id: string }) => id));
    query = body.next === null ? "" : `limit=3&cursor=${body.next}`;
  }
  assert.deepEqual(
    ids,
    [23, 3, 2, 1].map((number) => requestRow(number).id),
  );
  for (const cursor of ["x", "W10", "eyJhIjoxfQ"]) {
    const { status } = await rig.as("member").call("GET", `/requests?cursor=${cursor}`);
    assert.equal(status, 400);
  }
  const { body } = await rig
    .as("member")
    .call("GET", "/requests?state=failed&state=aborted&errorCode=upstream_error");
  assert.deepEqual(
    body.requests.map(({ errorCode }: { errorCode: string }) => errorCode),
    ["upstream_error"],
  );
  const { body: all } = await rig.as("operator").call("GET", `/operator/requests?model=secret/model`);
  assert.deepEqual(
    [all.requests.length, all.requests[0].accountName, all.requests[0].upstream],
    [1, "Account B", "main"],
  );
});

test("requests are listed, told and downloaded by operation; one that does not exist is refused", async (context) => {
  const rig = await start(context);
  await rig.store.recordRequest(row(31, { operation: "embeddings", modelId: "vectors" }));
  await rig.store.recordRequest(row(32, { operation: "completion", modelId: "vectors" }));
  await rig.store.rollUpUsage(900);
  await rig.store.recordRequest(row(33, { operation: "embeddings", modelId: "vectors" }));
  const listed = async (query: string) => {
    const { status, body } = await rig.as("member").call("GET", `/requests?${query}`);
    assert.equal(status, 200, query);
    return body.requests.map(({ id, operation }: { id: string; operation: string }) => [id, operation]);
  };
  const idOf = (number: number) => requestRow(number).id;
  assert.deepEqual(await listed("operation=embeddings"), [
    [idOf(33), "embeddings"],
    [idOf(31), "embeddings"],
  ]);
  assert.deepEqual(await listed("operation=embeddings&operation=completion&limit=2"), [
    [idOf(33), "embeddings"],
    [idOf(32), "completion"],
  ]);
  assert.equal((await listed("operation=chat")).length, 4);
  assert.deepEqual(await listed("operation=rerank"), []);
  assert.equal((await rig.as("member").call("GET", "/requests?operation=embedding")).status, 400);
  const { body: detail } = await rig.as("member").call("GET", `/requests/${idOf(31)}`);
  assert.equal(detail.operation, "embeddings");
  const { body: csv } = await rig.as("member").call("GET", "/requests.csv?operation=embeddings");
  const lines = (csv as string).split("\r\n").slice(0, -1);
  assert.deepEqual(
    lines.map((line) => line.split(",").at(-1)),
    ["operation", "embeddings", "embeddings"],
  );
});

test("numbers are grouped and filtered by operation, of members and of the operator", async (context) => {
  const rig = await start(context);
  await rig.store.recordRequest(row(31, { operation: "embeddings", modelId: "vectors" }));
  await rig.store.rollUpUsage(900);
  await rig.store.recordRequest(row(33, { operation: "embeddings", modelId: "vectors" }));
  await rig.store.recordRequest(row(34, { operation: "completion", modelId: "vectors" }));
  const told = async (path: string, query: string, role: "member" | "operator") => {
    const { status, body } = await rig.as(role).call("GET", `${path}?${range}&${query}`);
    assert.equal(status, 200, query);
    return body.rows.map((one: { day: string; operation: string; model: string; requests: number }) =>
      [one.day, one.operation, one.model, one.requests].filter((value) => value !== null),
    );
  };
  const mine = (query: string) => told("/usage", query, "member");
  assert.deepEqual((await mine("by=operation")).sort(), [
    ["chat", 4],
    ["completion", 1],
    ["embeddings", 2],
  ]);
  assert.deepEqual((await mine("by=day-operation&operation=chat&operation=embeddings")).sort(), [
    ["2026-03-29", "chat", 4],
    ["2026-03-30", "embeddings", 2],
  ]);
  assert.deepEqual(await mine("by=model&operation=embeddings"), [["vectors", 2]]);
  assert.deepEqual(await mine("by=operation&operation=rerank"), []);
  const all = await told("/operator/usage", "by=operation", "operator");
  assert.deepEqual(all.sort(), [
    ["chat", 5],
    ["completion", 1],
    ["embeddings", 2],
  ]);
  const { status } = await rig.as("member").call("GET", `/usage?${range}&operation=embedding`);
  assert.equal(status, 400);
});

test("a request's detail is its own account's, without the operator's business", async (context) => {
  const rig = await start(context);
  const attemptLog = [
    {
      upstreamId: "up_1",
      upstreamModel: "inner-1",
      fault: "upstream_auth",
      status: 401,
      startMs: 4,
      durationMs: 3.2,
      cost: "0.5",
    },
    { upstreamId: "up_2", upstreamModel: "inner-2", fault: null, status: 200, startMs: 9, durationMs: 90 },
  ];
  const usageParts = { audioInput: 3 };
  const one = row(40, { attempts: 2, attemptLog, queueMs: 4, usageParts, usageSource: "estimated" });
  await rig.store.recordRequest(one);
  const { body } = await rig.as("member").call("GET", `/requests/${one.id}`);
  assert.deepEqual(body.attemptList, [
    {
      ...{ number: 1, model: null, outcome: "failed", fault: null, status: null },
      ...{ startMs: 4, durationMs: 3, firstTokenMs: null },
    },
    {
      ...{ number: 2, model: null, outcome: "answered", fault: null, status: 200 },
      ...{ startMs: 9, durationMs: 90, firstTokenMs: 201 },
    },
  ]);
  assert.equal(body.queueMs, 4);
  assert.deepEqual(
    [body.usageSource, body.usageParts, body.price, body.loss],
    ["estimated", { audioInput: 3 }, null, "0.00"],
  );
  assert.doesNotMatch(JSON.stringify(body), /up_1|inner|upstream_auth|gpt-5-mini-2026/);
  for (const role of ["stranger", "operator"] as const) {
    const refused = await rig.as(role).call("GET", `/requests/${one.id}`);
    assert.ok([403, 404].includes(refused.status), `${role}: ${refused.status}`);
  }
  const { body: whole } = await rig.as("operator").call("GET", `/operator/requests/${one.id}`);
  assert.deepEqual(
    whole.attemptList.map(({ upstream, fault, cost }: { upstream: string; fault: string; cost: string }) => [
      upstream,
      fault,
      cost,
    ]),
    [
      ["up_1", "upstream_auth", "0.50"],
      ["up_2", null, null],
    ],
  );
  assert.equal((await rig.as("operator").call("GET", "/operator/requests/absent")).status, 404);
});

test("the download has every request once, and no cell is a formula", async (context) => {
  const rig = await start(context);
  const many = Array.from({ length: 2_100 }, (_, number) =>
    row(1_000 + number, {
      createdAt: dayMs + 48 * hourMs + (number >> 2),
      modelId: number % 2 ? "=cmd|'x'!A1" : 'a "b", c',
    }),
  );
  await Promise.all(many.map((one) => rig.store.recordRequest(one)));
  await rig.store.rollUpUsage(900);
  const { status, body, headers } = await rig
    .as("member")
    .call("GET", "/requests.csv?from=2026-03-31T00:00:00Z");
  assert.equal(status, 200);
  assert.match(headers.get("content-type") ?? "", /^text\/csv/);
  const lines = (body as string).split("\r\n");
  assert.deepEqual([lines[0]?.split(",").slice(0, 3), lines.at(-1)], [["id", "time", "model"], ""]);
  const ids = lines.slice(1, -1).map((line) => line.split(",")[0]);
  assert.deepEqual([ids.length, new Set(ids).size], [2_100, 2_100]);
  assert.doesNotMatch(body, /(^|,|\n)"?[=+@\t]/);
  assert.match(body, /,'=cmd\|'x'!A1,/);
  assert.match(body, /,"a ""b"", c",/);
  assert.doesNotMatch(lines[0] ?? "", /upstream|cost/);
  const all = await rig.as("operator").call("GET", "/operator/requests.csv?account=acc_b");
  assert.match(all.body, /acc_b,Account B,main,gpt-5-mini-2026,,chat\r\n$/);
});
