import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultTimeouts, type Upstream } from "@plaza/contract/catalog.ts";
import fc from "fast-check";
import { createJsonScannerFactory, findField } from "../../lib/json/scan.ts";
import { plainNamed, plainText } from "../../lib/json/testing/samples.ts";
import type { ProviderRequest, Span } from "../../protocols/protocol.ts";
import { asksForUsage, encodeChat } from "./encode.ts";

const upstream: Upstream = {
  id: "main",
  provider: "openai",
  baseUrl: "http://127.0.0.1:9000/v1",
  credentials: ["key"],
  timeouts: defaultTimeouts,
};

const read = ["model", "models", "stream_options", "max_tokens"];
const scan = createJsonScannerFactory(read, { depthMax: 64, valuesMax: 200_000 });

function requestOf(text: string, isStream: boolean): ProviderRequest {
  const body = Buffer.from(text);
  const scanner = scan();
  scanner.push(body);
  const result = scanner.end();
  assert(result.reason === undefined, "the test's body is JSON");
  const spans = Object.fromEntries(read.map((name) => [name, findField(result, name) as Span | undefined]));
  return { body, isStream, spans };
}

const sent = (text: string, isStream: boolean, model = "m"): string =>
  encodeChat(requestOf(text, isStream), upstream, "key", model).body.toString();

test("an unchanged body is the caller's own buffer", () => {
  const whole = requestOf('{"model":"m","messages":[]}', false);
  assert.equal(encodeChat(whole, upstream, "key", "m").body, whole.body);
  const stream = requestOf('{"model":"\\u006d","stream":true,"stream_options":{"include_usage":true}}', true);
  assert.equal(encodeChat(stream, upstream, "key", "m").body, stream.body);
});

test("only the model's value is replaced, and escaped", () => {
  assert.equal(
    sent('{ "seed":9007199254740993,"model" : "m", "x":1e400}', false, 'a"b\\é'),
    '{ "seed":9007199254740993,"model" : "a\\"b\\\\é", "x":1e400}',
  );
});

test("usage is asked for in every way stream_options can be written", () => {
  const cases: [string, string][] = [
    ['\n {"model":"m"}', '\n {"stream_options":{"include_usage":true},"model":"m"}'],
    ['{"model":"m","stream_options":null}', '{"model":"m","stream_options":{"include_usage":true}}'],
    ['{"model":"m","stream_options":{ }}', '{"model":"m","stream_options":{"include_usage":true }}'],
    [
      '{"stream_options":{ "a" : 1e2 },"model":"m"}',
      '{"stream_options":{"include_usage":true, "a" : 1e2 },"model":"m"}',
    ],
    [
      '{"stream_options":{"a":1, "include_usage" : false ,"b":{}},"model":"m"}',
      '{"stream_options":{"a":1, "include_usage" : true ,"b":{}},"model":"m"}',
    ],
    [
      '{"stream_options":{"include_usage":null},"model":"m"}',
      '{"stream_options":{"include_usage":true},"model":"m"}',
    ],
    [
      '{"stream_options":{"include\\u005fusage":false,"a":1},"model":"m"}',
      '{"stream_options":{"include_usage":true,"a":1},"model":"m"}',
    ],
    [
      '{"stream_options":{"include_usage":true,"include_usage":false},"model":"m"}',
      '{"stream_options":{"include_usage":true},"model":"m"}',
    ],
  ];
  for (const [text, expected] of cases) assert.equal(sent(text, true), expected);
});

test("a whole answer's stream_options are left alone", () => {
  const text = '{"model":"m","stream_options":null}';
  assert.equal(sent(text, false), text);
});

test("both edits at once, in either order", () => {
  assert.equal(
    sent('{"stream_options":null,"model":"m"}', true, "long name"),
    '{"stream_options":{"include_usage":true},"model":"long name"}',
  );
  assert.equal(
    sent('{"model":"m","stream_options":{"include_usage":false}}', true, "x"),
    '{"model":"x","stream_options":{"include_usage":true}}',
  );
});

test("headers are ours alone, path and query come from the base URL", () => {
  const request = requestOf('{"model":"m"}', true);
  const call = encodeChat(
    request,
    { ...upstream, baseUrl: "https://h.test/a/v1?api-version=2" },
    "secret",
    "m",
  );
  assert.equal(call.path, "/a/v1/chat/completions?api-version=2");
  assert.deepEqual(call.headers, [
    ...["content-type", "application/json", "accept", "text/event-stream", "accept-encoding", "identity"],
    ...["user-agent", "plaza/0.1", "authorization", "Bearer secret"],
  ]);
  const root = encodeChat(
    requestOf('{"model":"m"}', false),
    { ...upstream, baseUrl: "https://h.test" },
    "",
    "m",
  );
  assert.equal(root.path, "/chat/completions");
  assert.equal(root.headers.includes("authorization"), false);
  assert.equal(root.headers[3], "application/json");
});

test("asksForUsage is true for exactly true", () => {
  const asks = (options: string): boolean => {
    const request = requestOf(`{"model":"m","stream_options":${options}}`, true);
    return asksForUsage(request.body, request.spans);
  };
  assert.equal(asks('{"include_usage":true}'), true);
  for (const no of ["null", "{}", '{"include_usage":"true"}', '{"include_usage":1}', "[true]"]) {
    assert.equal(asks(no), false);
  }
  assert.equal(asksForUsage(Buffer.from("{}"), { model: { start: 0, end: 0 } }), false);
});

test("generated bodies: everything but the named edits survives", () => {
  const values = plainNamed(3);
  const bodies = fc.tuple(
    fc.dictionary(plainText, values),
    fc.option(fc.dictionary(plainText, values)),
    fc.nat(4),
  );
  fc.assert(
    fc.property(bodies, ([extra, options, spaces]) => {
      const { stream_options: _, model: __, ...rest } = extra;
      const before = { ...rest, model: "m", ...(options === null ? {} : { stream_options: options }) };
      const after = JSON.parse(sent(JSON.stringify(before, null, spaces), true, "other")) as unknown;
      const expected = { ...before, model: "other", stream_options: { ...options, include_usage: true } };
      assert.deepEqual(after, JSON.parse(JSON.stringify(expected)));
    }),
  );
});

test("the caller's list of models is cut out wherever it stands, whatever else is edited", () => {
  const members: Readonly<Record<string, unknown>> = {
    messages: [{ role: "user", content: '"models":["x"],' }],
    model: "a",
    models: ["a", 'b"],{'],
    max_tokens: 900,
    stream_options: { include_usage: false },
    seed: 1,
  };
  const names = Object.keys(members);
  const optional = names.filter((name) => name !== "messages" && name !== "models");
  fc.assert(
    fc.property(
      fc.shuffledSubarray(names, { minLength: names.length }),
      fc.subarray(optional),
      fc.constantFrom("", " ", "\n\t"),
      fc.boolean(),
      fc.option(fc.integer({ min: 1, max: 99 }), { nil: undefined }),
      (order, left, space, isStream, outputTokensMax) => {
        const kept = order.filter((name) => !left.includes(name));
        const pairs = kept.map(
          (name) => `${space}"${name}"${space}:${space}${JSON.stringify(members[name])}${space}`,
        );
        const asked = { ...requestOf(`${space}{${pairs.join(",")}}`, isStream), outputTokensMax };
        const got = JSON.parse(encodeChat(asked, upstream, "key", "m").body.toString()) as object;
        const { models: _, ...wanted } = Object.fromEntries(kept.map((name) => [name, members[name]]));
        assert.deepEqual(got, {
          ...wanted,
          model: "m",
          ...(isStream ? { stream_options: { include_usage: true } } : {}),
          ...(outputTokensMax === undefined ? {} : { max_tokens: outputTokensMax }),
        });
      },
    ),
  );
});

test("every bound beyond what is paid for is cut down to it, under whatever name; smaller ones stay", () => {
  const cases: [string, string][] = [
    ['{"max_tokens":9,"n_predict":900}', '{"max_tokens":9,"n_predict":50}'],
    ['{"max_tokens":900,"options":{"num_predict":-1}}', '{"max_tokens":50,"options":{"num_predict":50}}'],
    ['{"n_predict":900}', '{"max_tokens":50,"n_predict":50}'],
    ['{"n_predict":9}', '{"max_tokens":50,"n_predict":9}'],
    ['{"max_tokens":null,"n_predict":900}', '{"max_tokens":50,"n_predict":50}'],
    ['{"max_tokens":0}', '{"max_tokens":50}'],
  ];
  for (const [text, wanted] of cases) {
    const body = Buffer.from(text);
    const spans = [...text.matchAll(/"(max_tokens|n_predict|num_predict)":(-?\d+|null)/g)].map(
      ([whole, name = "", value = ""], index) => {
        const start = text.indexOf(whole) + whole.length - value.length;
        return { name, value, index, span: { start, end: start + value.length } };
      },
    );
    const request: ProviderRequest = {
      body,
      isStream: false,
      outputTokensMax: 50,
      spans: {
        max_tokens: spans.find(({ name }) => name === "max_tokens")?.span,
        outputs: spans.filter(({ value }) => value !== "null").map(({ span }) => span),
      },
    };
    const call = encodeChat(request, upstream, "key", "m");
    assert.equal(call.body.toString(), wanted.replace("{", '{"model":"m",'), text);
  }
});
