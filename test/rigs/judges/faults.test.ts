/**
 * P15's checks on made-up cells: they accept correct ones and reject each kind of error. And the table has a
 * row for every fault.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type CellCall, catalogOf, requestOf } from "../faults/p15-cells.ts";
import { isMachineLate } from "../faults/p15-faults.ts";
import { type Cell, onRoute, routes } from "../faults/p15-formats.ts";
import { type CellSeen, judgeCell, latenessMs } from "../faults/p15-judge.ts";
import { moreTable } from "../faults/p15-more-table.ts";
import { cellsOf, table } from "../faults/p15-table.ts";
import { type EndpointName, endpointNames, type Route } from "../harness/endpoints.ts";
import type { Seen } from "../harness/http-client.ts";
import { lostWithin } from "../harness/measure/stall-watch.ts";
import { nanosOf, type RequestRow } from "../harness/money/request-row.ts";
import { soundScript } from "../upstream/answer.ts";
import { callerFaults, faults } from "../upstream/faults.ts";
import type { CallRecord } from "../upstream/journal.ts";
import { moreFaults } from "../upstream/more-faults.ts";
import { defaultPlan, planInText } from "../upstream/plan.ts";

const cells = [...cellsOf(table), ...cellsOf(moreTable)];

const chatRoute: Route = { endpoint: "chat", spoken: "chat" };

function cellOf(fault: string, isStream: boolean, hasFallback: boolean, route = chatRoute): Cell {
  const found = cells.find(
    (cell) => cell.fault === fault && cell.isStream === isStream && cell.hasFallback === hasFallback,
  );
  return onRoute(found ?? assert.fail(`no cell of ${fault}`), route);
}

function callOf(cell: Cell): CellCall {
  return { cell, id: "p15-1", prompt: 1_000, cached: 100, tokens: 2 };
}

const book: CallRecord = {
  id: "p15-1",
  path: "/v1/chat/completions",
  headers: [],
  bodySha256: "",
  bodyLength: 1,
  isStream: true,
  fault: "",
  acceptedAt: 1_000,
  end: "finished",
  endedAt: 1_100,
};

function seenOf(status: number, body: string, headers: Record<string, string> = {}): Seen {
  return {
    status,
    headers,
    rawHeaders: [],
    body: Buffer.from(body),
    arrivals: [],
    sentAt: 1_000,
    headAt: 1_100,
    endedAt: 1_120,
    isWhole: true,
    problem: "",
  };
}

const errorText = (code: string): string =>
  JSON.stringify({ error: { message: "m", type: "server_error", param: null, code } });
const token = `data: {"choices":[{"delta":{"content":"x"}}]}\n\n`;
const done = "data: [DONE]\n\n";

function rowOf({ row }: CellSeen): RequestRow {
  assert.notEqual(typeof row, "string");
  return row as RequestRow;
}

/** A 500 without a fallback: two attempts, no charge. */
const failing: CellSeen = {
  call: callOf(cellOf("status_500_body", true, false)),
  seen: seenOf(502, errorText("upstream_error"), { "x-should-retry": "false" }),
  row: {
    status: 502,
    state: "failed",
    error_code: "upstream_error",
    usage: null,
    charge: "0",
    attempts: [{ outcome: "failed" }, { outcome: "failed" }],
  },
  calls: [book, book],
};

/** 900 fresh, 100 cached, 2 out. */
const exactCharge = "0.0002315";

/** A valid stream. */
const whole: CellSeen = {
  call: callOf(cellOf("done_twice", true, false)),
  seen: seenOf(200, token + token + done),
  row: {
    status: 200,
    state: "complete",
    error_code: null,
    usage: { source: "exact" },
    charge: exactCharge,
    attempts: [{ outcome: "answered" }],
  },
  calls: [book],
};

/** A stream that broke after content and usage. */
const broken: CellSeen = {
  ...whole,
  call: callOf(cellOf("done_never", true, false)),
  seen: seenOf(200, `${token}${token}data: ${errorText("upstream_error")}\n\n`),
  row: { ...rowOf(whole), state: "incomplete", error_code: "upstream_error" },
};

test("right cells are right", () => {
  for (const one of [failing, whole, broken]) assert.equal(judgeCell(one), undefined);
});

const oneAttempt = [{ outcome: "failed" }];

function withRow(one: CellSeen, more: object): CellSeen {
  return { ...one, row: { ...rowOf(one), ...more } };
}

test("a failed cell is wrong in every other way", () => {
  const { seen } = failing;
  const headers = { "x-should-retry": "false" };
  const wrong: Record<string, CellSeen> = {
    "another status": { ...failing, seen: { ...seen, status: 500 } },
    "another code": { ...failing, seen: seenOf(502, errorText("internal_error"), headers) },
    "no error shape": { ...failing, seen: seenOf(502, "Bad Gateway", headers) },
    "more in the error": {
      ...failing,
      seen: seenOf(502, errorText("upstream_error").replace('"param"', '"raw":1,"param"'), headers),
    },
    "another type": {
      ...failing,
      seen: seenOf(502, errorText("upstream_error").replace("server_error", "api_error"), headers),
    },
    "an error without a text": {
      ...failing,
      seen: seenOf(502, errorText("upstream_error").replace('"m"', '""'), headers),
    },
    "a text that is none": {
      ...failing,
      seen: seenOf(502, errorText("upstream_error").replace('"m"', "7"), headers),
    },
    "another status in the row": withRow(failing, { status: 500 }),
    "another error in the row": withRow(failing, { error_code: "upstream_timeout" }),
    "no error in the row": withRow(failing, { error_code: null }),
    "retry said": {
      ...failing,
      seen: seenOf(502, errorText("upstream_error"), { "x-should-retry": "true" }),
    },
    "a wait made up": { ...failing, seen: { ...seen, headers: { ...headers, "retry-after": "1" } } },
    "cut by us": { ...failing, seen: { ...seen, isWhole: false } },
    charged: withRow(failing, { charge: "0.000000001" }),
    "usage in the row": withRow(failing, { usage: { source: "estimated" } }),
    "one attempt in the row": withRow(failing, { attempts: [{ outcome: "failed" }] }),
    "one call in the book": { ...failing, calls: [book] },
    "three calls in the book": { ...failing, calls: [book, book, book] },
    "another state": withRow(failing, { state: "incomplete" }),
    "no row": { ...failing, row: "404" },
  };
  for (const [name, one] of Object.entries(wrong)) assert.notEqual(judgeCell(one), undefined, name);
});

test("a complete or broken stream is wrong in every other way", () => {
  const wrong: Record<string, CellSeen> = {
    "no end": { ...whole, seen: seenOf(200, token + token) },
    "a token short": { ...whole, seen: seenOf(200, token + done) },
    "an error in it": { ...whole, seen: seenOf(200, `${token}${token}data: ${errorText("x")}\n\n${done}`) },
    "not charged": withRow(whole, { charge: "0" }),
    "charged too much": withRow(whole, { charge: "0.000231501" }),
    "only estimated": withRow(whole, { usage: { source: "estimated" } }),
    "an end after the error": {
      ...broken,
      seen: seenOf(200, `${token}data: ${errorText("upstream_error")}\n\n${done}`),
    },
    "an end before the error": {
      ...broken,
      seen: seenOf(200, `${token}${token}${done}data: ${errorText("upstream_error")}\n\n`),
    },
    "no error": { ...broken, seen: seenOf(200, token + token) },
    "nothing before the error": { ...broken, seen: seenOf(200, `data: ${errorText("upstream_error")}\n\n`) },
    "said to be complete": withRow(broken, { state: "complete" }),
  };
  for (const [name, one] of Object.entries(wrong)) assert.notEqual(judgeCell(one), undefined, name);
});

/** A valid whole answer. */
const answered: CellSeen = {
  ...whole,
  call: callOf(cellOf("done_twice", false, false)),
  seen: seenOf(200, '{"choices":[{"message":{"content":"xx"}}]}', { "x-plaza-charge": exactCharge }),
};

test("a whole answer is wrong without its content or its charge, and with a charge other than recorded", () => {
  assert.equal(judgeCell(answered), undefined);
  const { seen } = answered;
  const wrong: Record<string, CellSeen> = {
    "no content": {
      ...answered,
      seen: { ...seen, body: Buffer.from('{"choices":[{"message":{"content":""}}]}') },
    },
    "no charge told": { ...answered, seen: { ...seen, headers: {} } },
    "another charge told": { ...answered, seen: { ...seen, headers: { "x-plaza-charge": "0.0002316" } } },
  };
  for (const [name, one] of Object.entries(wrong)) assert.notEqual(judgeCell(one), undefined, name);
});

test("bytes that are no UTF-8 have to come as they went", () => {
  // The fault replaces all content, including the empty content of the first event.
  const bad = Buffer.from([0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80]);
  const event = (content: Buffer) =>
    Buffer.concat([
      Buffer.from(`data: {"choices":[{"delta":{"content":"`),
      content,
      Buffer.from(`"}}]}\n\n`),
    ]);
  const streamOf = (content: Buffer): CellSeen => ({
    ...whole,
    call: callOf(cellOf("invalid_utf8", true, false)),
    seen: {
      ...seenOf(200, ""),
      body: Buffer.concat([event(content), event(content), event(content), Buffer.from(done)]),
    },
  });
  assert.equal(judgeCell(streamOf(bad)), undefined);
  assert.notEqual(judgeCell(streamOf(Buffer.from(bad.toString("utf8")))), undefined, "replaced by U+FFFD");
});

/** What the counting upstream writes in this format: a stream of two tokens. */
function streamIn(format: EndpointName): string[] {
  const { steps } = soundScript(
    { ...defaultPlan, tokens: 2 },
    {
      format,
      callId: "p15-1",
      model: "m",
      isStream: true,
      isUsageAsked: true,
      authorization: "",
      address: "",
      leaks: [],
    },
  );
  return steps.map(({ bytes }) => bytes.toString("utf8"));
}

const error = { message: "m", type: "server_error", code: "upstream_error" };
const asEvents = (...values: readonly object[]): string =>
  values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join("");
/** Errors as docs/call/errors.md shows them: a body, and the end of a stream. */
const errorsIn: Readonly<Record<EndpointName, readonly [body: object, ending: string]>> = {
  chat: [{ error: { ...error, param: null } }, asEvents({ error: { ...error, param: null } })],
  responses: [
    { error: { ...error, param: null, request_id: "r" } },
    asEvents(
      {
        type: "error",
        code: "server_error",
        error: { ...error, code: "server_error", param: null, request_id: "r" },
      },
      {
        type: "response.failed",
        response: { status: "failed", error: { code: "server_error", message: "m" } },
      },
    ),
  ],
  messages: [
    { type: "error", error: { ...error, type: "api_error" }, request_id: "r" },
    asEvents({ type: "error", error: { ...error, type: "api_error" }, request_id: "r" }),
  ],
  gemini: [geminiErrorOf(502), asEvents(geminiErrorOf(502))],
};

function geminiErrorOf(code: number): object {
  const metadata = { code: error.code, type: error.type };
  return { error: { code, status: "INTERNAL", message: "m", details: [{ metadata }] } };
}

for (const endpoint of endpointNames) {
  const route: Route = { endpoint, spoken: endpoint };
  const [body, ending] = errorsIn[endpoint];
  const [otherBody, otherEnding] = errorsIn[endpoint === "chat" ? "gemini" : "chat"];

  test(`${endpoint}: an error and an ending have to be in the endpoint's own shape`, () => {
    const fails = (value: object): CellSeen => ({
      ...failing,
      call: callOf(cellOf("status_500_body", true, false, route)),
      seen: seenOf(502, JSON.stringify(value), { "x-should-retry": "false" }),
    });
    assert.equal(judgeCell(fails(body)), undefined);
    assert.notEqual(judgeCell(fails(otherBody)), undefined, "another endpoint's error");
    const events = streamIn(endpoint);
    const ends = (text: string): CellSeen => ({
      ...whole,
      call: callOf(cellOf("split_utf8", true, false, route)),
      seen: seenOf(200, text),
    });
    assert.equal(judgeCell(ends(events.join(""))), undefined);
    assert.notEqual(judgeCell(ends(events.slice(0, -1).join(""))), undefined, "no end");
    assert.notEqual(judgeCell(ends(events.join("") + events.at(-1))), undefined, "its end twice");
    assert.notEqual(judgeCell(ends(events.join("") + ending)), undefined, "an error after its end");
  });

  test(`${endpoint}: a stream that breaks has to end with the endpoint's own error`, () => {
    const events = streamIn(endpoint).slice(0, -1);
    const cell = cellOf("error_in_band", true, false, route);
    const breaks = (text: string): string | undefined =>
      judgeCell({
        ...broken,
        call: callOf(cell),
        seen: seenOf(200, text),
        row: withRow(broken, { usage: { source: "estimated" }, charge: "0" }).row,
      });
    // The charge is another test's.
    const isRight = (why: string | undefined): boolean => /^[^;]*: charge: 0, wanted \d+$/.test(why ?? "");
    assert.ok(isRight(breaks(events.join("") + ending)), breaks(events.join("") + ending));
    for (const text of [events.join(""), events.join("") + otherEnding, streamIn(endpoint).join("") + ending])
      assert.ok(!isRight(breaks(text)));
  });
}

test("Retry-After has to be the upstream's", () => {
  const call = callOf(cellOf("status_429_seconds", false, false));
  const one = (told: string, toldMs: string): CellSeen => ({
    call,
    seen: seenOf(429, errorText("rate_limit_exceeded").replace("server_error", "rate_limit_error"), {
      "x-should-retry": "true",
      "retry-after": told,
      "retry-after-ms": toldMs,
    }),
    row: withRow(failing, { status: 429, error_code: "rate_limit_exceeded", attempts: oneAttempt }).row,
    calls: [book],
  });
  assert.equal(judgeCell(one("7", "7000")), undefined);
  assert.notEqual(judgeCell(one("1", "1000")), undefined);
  assert.notEqual(judgeCell(one("7", "2000")), undefined);
});

test("a timer that runs out too soon is wrong, and lateness is what is left of the time", () => {
  const call = callOf(cellOf("hang_accept", true, false));
  const late: CellSeen = {
    call,
    seen: { ...seenOf(504, errorText("upstream_timeout"), { "x-should-retry": "true" }), endedAt: 1_650 },
    row: withRow(failing, { status: 504, error_code: "upstream_timeout", attempts: oneAttempt }).row,
    calls: [{ ...book, end: "cancelled" }],
  };
  assert.equal(judgeCell(late), undefined);
  assert.equal(latenessMs(late), 50);
  assert.notEqual(judgeCell({ ...late, seen: { ...late.seen, endedAt: 1_599 } }), undefined);
  // The upstream's own time is not the gateway's.
  assert.equal(latenessMs(whole), 20);
});

test("there is an expectation for every fault, and a fault for every expectation", () => {
  assert.deepEqual(
    Object.keys(table),
    faults.map(({ name }) => name),
  );
  assert.equal(cellsOf(table).length, 152);
  const elsewhere = ["sound", "black_hole", "plain_for_tls"];
  const others = [...callerFaults, ...moreFaults].map(({ name }) => name);
  assert.deepEqual(Object.keys(moreTable).sort(), [...others, ...elsewhere].sort());
});

test("each cell has a model and an upstream of its own in each format, and a body that asks for its fault", () => {
  const routed = cells.flatMap((cell) => routes.map((route) => onRoute(cell, route)));
  const catalog = catalogOf(routed, () => "http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1");
  assert.equal(new Set(catalog.upstreams.map(({ id }) => id)).size, 4 * (cells.length + 1));
  for (const endpoint of endpointNames) {
    const cell = cellOf("html_200", true, true, { endpoint, spoken: "messages" });
    const { path, body } = requestOf(callOf(cell));
    assert.match(path + body, /html_200\.stream\.fallback-messages/);
    assert.equal((planInText(Buffer.from(body)) as { fault: string }).fault, "html_200");
    const one = catalogOf([cell], () => "http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1");
    assert.deepEqual(
      one.models.map(({ deployments }) => deployments.map(({ upstream }) => upstream)),
      [["html_200.stream.fallback-messages", "sound-messages"]],
    );
  }
  assert.equal(nanosOf(exactCharge), 231_500n);
});

test("a cell is late by the machine only where the machine lost the time while it was under way", () => {
  const marginMs = 250;
  const onTime = latenessMs(whole);
  const by = (ms: number): CellSeen => ({
    ...whole,
    seen: { ...whole.seen, endedAt: whole.seen.endedAt + ms - onTime + marginMs },
  });
  const late = by(100);
  const { sentAt, endedAt } = late.seen;
  const stall = (fromMs: number, toMs: number, lostMs = toMs - fromMs) => ({ fromMs, toMs, lostMs });
  assert.ok(isMachineLate(late, marginMs, [stall(sentAt, sentAt + 100)]));
  assert.ok(isMachineLate(late, marginMs, [stall(sentAt, sentAt + 60), stall(endedAt - 60, endedAt)]));
  const others: Record<string, Parameters<typeof isMachineLate>> = {
    "no stall": [late, marginMs, []],
    "one too short": [late, marginMs, [stall(sentAt, sentAt + 99)]],
    "one of a long turn that lost little": [late, marginMs, [stall(sentAt, endedAt, 99)]],
    "one before it": [late, marginMs, [stall(sentAt - 500, sentAt)]],
    "one after it": [late, marginMs, [stall(endedAt, endedAt + 500)]],
    "one that reaches a little into it": [late, marginMs, [stall(sentAt - 500, sentAt + 50)]],
    "a cell in time": [by(0), marginMs, [stall(sentAt, sentAt + 500)]],
  };
  for (const [name, seen] of Object.entries(others)) assert.ok(!isMachineLate(...seen), name);
  assert.equal(lostWithin([stall(0, 100, 40), stall(200, 300)], 50, 250), 90);
});
