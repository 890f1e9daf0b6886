/**
 * P09's checks on made-up answers of every format: they accept an honest end and reject every other, and what
 * a record must not say.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type EndpointName, endpointNames, type Route } from "../harness/endpoints.ts";
import type { RequestRow } from "../harness/money/request-row.ts";
import { findStream } from "../harness/streams/streams.ts";
import { type CutCase, cutCases, stepsOf, wholeEvents } from "../streams/p09-cases.ts";
import { judgeCut, judgeRow, mayBeComplete } from "../streams/p09-judge.ts";

/** A case that is not in the run: two words on this route. */
function stream(route: Route): CutCase {
  const plan = { usage: "always", tokens: 2 };
  const written = { route, plan, isStream: true };
  const how = "truncate";
  return { ...written, id: "p09-1", steps: stepsOf(written, "p09-1"), bytes: 0, how, isUsageAsked: true };
}

/** The same, cut before its last event. */
function caseOf(endpoint: EndpointName, spoken: EndpointName): CutCase {
  const found = stream({ endpoint, spoken });
  const steps = found.steps.slice(0, -1);
  const bytes = steps.reduce((sum, one) => sum + one.bytes.length, 0);
  return { ...found, bytes };
}

const named = (value: { readonly type: string }): string =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const code = "upstream_error";
const type = "server_error";
const message = "m";
const error = { message, type, param: null, code };
const google = {
  code: 502,
  message,
  status: "UNAVAILABLE",
  details: [{ "@type": "…", metadata: { code, type } }],
};
const anthropic = { type: "error", error: { type: "api_error", message, code }, request_id: "r" };

/** An honest end, and a body, of each format. */
const failures: Readonly<Record<EndpointName, string>> = {
  chat: data({ error }),
  responses:
    named({ type: "error", code, message, error: { ...error, request_id: "r" } } as { type: string }) +
    named({ type: "response.failed", response: { status: "failed", error: { code, message } } } as {
      type: string;
    }),
  messages: named(anthropic),
  gemini: data({ error: google }),
};
const bodies: Readonly<Record<EndpointName, object>> = {
  chat: { error },
  responses: { error: { ...error, request_id: "r" } },
  messages: anthropic,
  gemini: { error: google },
};

const seen = (...pieces: readonly (Buffer | string)[]) => ({
  status: 200,
  isWhole: true,
  body: Buffer.concat(pieces.map((piece) => Buffer.from(piece))),
});

for (const endpoint of endpointNames) {
  const one = caseOf(endpoint, endpoint);
  // Messages' reason to stop is kept back.
  const events = one.steps.slice(0, -1).map(({ bytes }) => bytes);
  const sent = endpoint === "messages" ? events.slice(0, -1) : events;
  const last = one.steps.at(-1)?.bytes ?? "";
  const failure = failures[endpoint];

  test(`${endpoint}: a cut stream is right with its whole events and an error of its format`, () => {
    assert.equal(judgeCut(one, seen(...sent, failure)), undefined);
    const fault = { status: 502, isWhole: true, body: Buffer.from(JSON.stringify(bodies[endpoint])) };
    const early = { ...one, bytes: 0 };
    assert.equal(judgeCut(early, fault), undefined);
    assert.equal(judgeCut({ ...early, isStream: false }, fault), undefined);
  });

  test(`${endpoint}: a cut stream is wrong with anything else`, () => {
    const [other = "chat"] = endpointNames.filter((name) => name !== endpoint);
    const wrong = {
      "no error": seen(...sent),
      "an invented end": seen(...sent, last),
      "an end before the error": seen(...sent, last, failure),
      "an end after the error": seen(...sent, failure, last),
      "two errors": seen(...sent, failure, failure),
      "another format's error": seen(...sent, failures[other]),
      "an error without a code": seen(...sent, failure.replaceAll('"code":"upstream_error"', '"x":1')),
      "a missing event": seen(...sent.slice(0, -1), failure),
      "an event twice": seen(...sent, sent.at(-1) ?? "", failure),
      "half an event": seen(...sent, 'data: {"id"', failure),
      "a cut of our own": { ...seen(...sent, failure), isWhole: false },
      "a plain 502": { status: 502, isWhole: true, body: Buffer.from("Bad Gateway") },
      "another format's body": {
        status: 502,
        isWhole: true,
        body: Buffer.from(JSON.stringify(bodies[other === "responses" ? "chat" : other])),
      },
      "an error after content": {
        status: 502,
        isWhole: true,
        body: Buffer.from(JSON.stringify(bodies[endpoint])),
      },
      "a 404": { status: 404, isWhole: true, body: Buffer.from(JSON.stringify(bodies[endpoint])) },
    };
    for (const [name, answer] of Object.entries(wrong))
      assert.notEqual(judgeCut(one, answer), undefined, name);
    assert.notEqual(judgeCut({ ...one, isStream: false }, seen("{}")), undefined, "half a body");
  });
}

test("a translated stream has the upstream's text up to the cut", () => {
  const one = caseOf("messages", "gemini");
  const delta = (text: string): string =>
    named({ type: "content_block_delta", delta: { type: "text_delta", text } } as { type: string });
  const { messages: failure } = failures;
  assert.equal(judgeCut(one, seen(delta("The"), delta(" quick"), failure)), undefined);
  assert.notEqual(judgeCut(one, seen(delta("The"), failure)), undefined);
  assert.notEqual(judgeCut(one, seen(delta("The"), delta(" slow"), failure)), undefined);
});

test("only a translated chat answer whose finish reason came may be complete without its marker", () => {
  const one = { ...caseOf("messages", "chat"), how: "end" as const };
  assert.ok(mayBeComplete(one));
  const finish = one.steps.findIndex(({ isFinish }) => isFinish);
  const bytes = one.steps.slice(0, finish).reduce((sum, step) => sum + step.bytes.length, 0);
  for (const other of [
    { ...one, how: "truncate" as const },
    { ...one, bytes },
    { ...caseOf("chat", "chat"), how: "end" as const },
    { ...caseOf("chat", "gemini"), how: "end" as const },
  ])
    assert.ok(!mayBeComplete(other));
});

test("an event that lacks only its blank line is whole", () => {
  const one = caseOf("chat", "chat");
  assert.deepEqual(wholeEvents(one), [one.steps.length - 1, one.steps.length - 1]);
  assert.deepEqual(wholeEvents({ ...one, bytes: one.bytes - 2 }), [
    one.steps.length - 2,
    one.steps.length - 1,
  ]);
  const almost = { ...one, bytes: one.bytes - 2 };
  const sent = one.steps.slice(0, -1).map(({ bytes }) => bytes);
  const { chat: failure } = failures;
  assert.equal(judgeCut(almost, seen(...sent, failure)), undefined, "closed by Plaza");
  assert.equal(judgeCut(almost, seen(...sent.slice(0, -1), failure)), undefined, "left out");
  assert.notEqual(judgeCut(almost, seen(...sent.slice(0, -2), failure)), undefined);
});

test("the row says how its usage is known, and is charged what its tokens cost", () => {
  const one = caseOf("messages", "messages");
  const [, , , first] = one.steps;
  const upTo = one.steps.indexOf(first ?? assert.fail()) + 1;
  const text = one.steps.slice(0, upTo).map(({ bytes }) => bytes);
  const cut = { ...one, bytes: Buffer.concat(text).length };
  const answer = seen(...text, failures.messages);
  const row: RequestRow = {
    status: 200,
    state: "incomplete",
    error_code: code,
    usage: { source: "estimated", input: 21, cached_input: 0, output: 1 },
    charge: "0.00000725",
    attempts: [],
  };
  assert.equal(judgeRow(cut, answer, row), undefined);
  const exact = { source: "exact", input: 21, cached_input: 0, output: 2 };
  assert.equal(judgeRow(one, answer, { ...row, usage: exact, charge: "0.00000925" }), undefined);
  const failed = { ...row, status: 502, state: "failed", usage: null, charge: "0" };
  const fault = { ...answer, status: 502 };
  assert.equal(judgeRow(cut, fault, failed), undefined);
  const usage = { source: "estimated", input: 21, cached_input: 0, output: 1 };
  const wrong: Readonly<Record<string, [CutCase, typeof answer, RequestRow | string]>> = {
    "no row": [cut, answer, "404"],
    complete: [cut, answer, { ...row, state: "complete" }],
    "without usage": [cut, answer, { ...row, usage: null }],
    "exact without a report": [cut, answer, { ...row, usage: { ...usage, source: "exact" } }],
    "estimated with one": [one, answer, row],
    "another charge": [cut, answer, { ...row, charge: "0.000007251" }],
    "a token more": [cut, answer, { ...row, usage: { ...usage, output: 2 }, charge: "0.00000925" }],
    "another prompt than was told": [
      cut,
      answer,
      { ...row, usage: { ...usage, input: 8 }, charge: "0.000004" },
    ],
    "another status": [cut, answer, { ...row, status: 502 }],
    "charged for a fault": [cut, fault, { ...failed, charge: "0.00000725" }],
    "usage of a fault": [cut, fault, { ...failed, usage }],
    "an incomplete fault": [cut, fault, { ...failed, state: "incomplete" }],
  };
  for (const [name, [at, got, recorded]] of Object.entries(wrong))
    assert.notEqual(judgeRow(at, got, recorded), undefined, name);
});

test("every route is cut, streamed and whole, and every recorded stream", () => {
  for (const size of ["short", "long"] as const) {
    // Of the long form's, every hundredth.
    const all = cutCases(size, 7);
    const cases = all.filter((_, index) => size === "short" || index % 101 === 0).map((make) => make());
    const routes = new Set(cases.map(({ route, isStream }) => JSON.stringify([route, isStream])));
    assert.equal(routes.size, 32);
    const recorded = new Set(cases.flatMap(({ plan }) => plan.replay ?? []));
    if (size === "short") assert.equal(recorded.size, 22);
    for (const one of cases) {
      const whole = one.steps.reduce((sum, { bytes }) => sum + bytes.length, 0);
      assert.ok(one.bytes >= 0 && one.bytes < whole);
      if (one.plan.replay !== undefined) assert.ok(findStream(one.plan.replay));
    }
  }
});
