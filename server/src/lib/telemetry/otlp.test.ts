/** The queue of spans, its limit, and the bytes a collector receives. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSpanExporter, type Sent, type Span } from "./otlp.ts";
import { sendOverHttp, tracesUrl } from "./otlp-http.ts";
import { encodeSpansAsJson } from "./otlp-json.ts";
import { encodeSpansAsProtobuf } from "./otlp-protobuf.ts";
import { decodeTraces } from "./testing/otlp-messages.ts";

const source = { resource: { "service.name": "x" }, scope: { name: "x", version: "1" } };

const span = (more: Partial<Span> = {}): Span => ({
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  parentId: undefined,
  name: "work",
  kind: "server",
  startMs: 1_763_000_000_000.25,
  endMs: 1_763_000_000_001,
  attributes: {},
  hasFailed: false,
  ...more,
});

/** An exporter whose sends the test answers. */
function play(options: { queueMax?: number; batchMax?: number } = {}) {
  const calls: { names: string[]; answer: (sent: Sent) => void }[] = [];
  const states: boolean[] = [];
  let onCall: (() => void) | undefined;
  const exporter = createSpanExporter({
    ...options,
    waitMs: 1,
    onState: (isFailing) => void states.push(isFailing),
    send(spans) {
      const { promise, resolve } = Promise.withResolvers<Sent>();
      calls.push({ names: spans.map(({ name }) => name), answer: resolve });
      onCall?.();
      return promise;
    },
  });
  async function called(count: number): Promise<void> {
    // The exporter's own timers do not keep a process alive.
    const alive = setInterval(() => {}, 1_000);
    while (calls.length < count) {
      await new Promise<void>((resolve) => {
        onCall = resolve;
      });
    }
    clearInterval(alive);
  }
  return { exporter, calls, states, called };
}

test("the wire: ids, times in nanoseconds, typed attributes, what is undefined left out", () => {
  const body = encodeSpansAsJson(
    [
      span({
        parentId: "00f067aa0ba902b7",
        kind: "client",
        hasFailed: true,
        attributes: { text: "t", whole: 3, part: 0.5, flag: true, none: undefined },
      }),
    ],
    source,
  );
  assert.deepEqual(JSON.parse(body.toString()), {
    resourceSpans: [
      {
        resource: { attributes: [{ key: "service.name", value: { stringValue: "x" } }] },
        scopeSpans: [
          {
            scope: { name: "x", version: "1" },
            spans: [
              {
                traceId: "0af7651916cd43dd8448eb211c80319c",
                spanId: "b7ad6b7169203331",
                parentSpanId: "00f067aa0ba902b7",
                name: "work",
                kind: 3,
                startTimeUnixNano: "1763000000000250000",
                endTimeUnixNano: "1763000000001000000",
                attributes: [
                  { key: "text", value: { stringValue: "t" } },
                  { key: "whole", value: { intValue: "3" } },
                  { key: "part", value: { doubleValue: 0.5 } },
                  { key: "flag", value: { boolValue: true } },
                ],
                status: { code: 2 },
              },
            ],
          },
        ],
      },
    ],
  });
});

test("protobuf says what JSON says", () => {
  const spans = [
    span({
      parentId: "00f067aa0ba902b7",
      kind: "client",
      hasFailed: true,
      attributes: {
        text: "t".repeat(600),
        whole: 3,
        large: 2 ** 40,
        less: -7,
        part: 0.5,
        flag: true,
        none: undefined,
      },
    }),
    span({ name: "n".repeat(600), startMs: 1_763_000_000_999.75 }),
  ];
  const json = JSON.parse(encodeSpansAsJson(spans, source).toString());
  const decoded = decodeTraces(encodeSpansAsProtobuf(spans, source));
  assert.deepEqual(decoded, json);
});

test("spans go in batches; what a collector cannot take now is sent again, what it refuses is lost", async () => {
  const { exporter, calls, states, called } = play({ batchMax: 2 });
  for (const name of ["a", "b", "c"]) exporter.add(span({ name }));
  await called(1);
  assert.deepEqual(calls[0]?.names, ["a", "b"]);
  calls[0]?.answer("later");
  await called(2);
  assert.deepEqual(calls[1]?.names, ["a", "b"]);
  assert.equal(exporter.dropped, 0);
  calls[1]?.answer("never");
  await called(3);
  assert.deepEqual(calls[2]?.names, ["c"]);
  assert.equal(exporter.dropped, 2);
  calls[2]?.answer("taken");
  await exporter.close();
  assert.deepEqual(states, [true, false]);
  assert.equal(exporter.dropped, 2);
});

test("a queue that is full drops and counts, and never waits", async () => {
  const { exporter, calls, called } = play({ queueMax: 5, batchMax: 2 });
  for (let index = 0; index < 100; index += 1) exporter.add(span({ name: String(index) }));
  assert.equal(exporter.dropped, 95);
  await called(1);
  const closing = exporter.close();
  calls[0]?.answer("taken");
  await called(2);
  calls[1]?.answer("later");
  await closing;
  assert.equal(exporter.dropped, 98);
  exporter.add(span());
  assert.equal(exporter.dropped, 99);
});

test("where traces go", () => {
  assert.equal(tracesUrl("http://127.0.0.1:4318").href, "http://127.0.0.1:4318/v1/traces");
  assert.equal(tracesUrl("https://c.example/otlp/").href, "https://c.example/otlp/v1/traces");
  assert.equal(tracesUrl("https://c.example/v1/traces?k=1").href, "https://c.example/v1/traces?k=1");
});

test("a collector's status decides; a broken connection and silence mean later", async (t) => {
  const controller = { pause() {}, resume() {}, abort() {} };
  const answer = (status: number | "broken" | "silent"): Promise<Sent> =>
    sendOverHttp(
      {
        path: "/v1/traces",
        headers: [],
        contentType: "application/json",
        timeoutMs: 5,
        client: {
          post(_call, handler) {
            handler.onRequestStart(controller);
            if (status === "silent") return;
            if (status === "broken") handler.onResponseError(controller, new Error("reset"));
            else {
              handler.onResponseStart(controller, status, {});
              handler.onResponseEnd(controller);
            }
          },
        },
      },
      Buffer.from("{}"),
    );
  // The call's own timer does not keep a process alive.
  const alive = setInterval(() => {}, 1_000);
  t.after(() => clearInterval(alive));
  const cases = [200, 202, 400, 401, 404, 429, 500, 503, "broken", "silent"] as const;
  assert.deepEqual(await Promise.all(cases.map(answer)), [
    "taken",
    "taken",
    "never",
    "never",
    "never",
    "later",
    "never",
    "later",
    "later",
    "later",
  ]);
});
