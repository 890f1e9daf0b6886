/** Gemini's calls for vectors, as they are read and priced, and answered. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import { atOnce } from "../../../lib/time/slices.ts";
import type { AnswerError } from "../../../protocols/wire-protocol.ts";
import { createBodyScanners } from "../../request/body/body-scan.ts";
import { liveModel } from "../../upstreams/testing/test-upstream-health.ts";
import { plainTarget } from "../testing/targets.ts";
import { geminiEmbed } from "./embed.ts";
import { geminiVectors, writeVectors } from "./embed-answer.ts";

const endpointOf = (method: string) =>
  geminiEmbed.find(({ path }) => path === `/v1beta/models/*:${method}`) ?? assert.fail(method);
const single = endpointOf("embedContent");
const batch = endpointOf("batchEmbedContents");

const content = (...texts: string[]): object => ({ parts: texts.map((text) => ({ text })) });

/** Reads a call for model `m`. */
function read(endpoint: typeof single, asked: unknown, tail = "m") {
  const body = Buffer.from(JSON.stringify(asked));
  const scanner = createBodyScanners(endpoint.scanned, { jsonDepthMax: 20, jsonValuesMax: 5_000 }).create();
  const refused = scanner.push(body);
  if (refused !== undefined) throw refused;
  return endpoint.read(scanner.end(body), body, { ...plainTarget, tail });
}

function refusal(run: () => unknown): [code: string, param: string | undefined] {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof GatewayError, String(error));
    return [error.code, error.detail.param];
  }
  return assert.fail("accepted");
}

describe("a call", () => {
  test("is written in the format that providers serve, with its model from the path", () => {
    const call = read(single, { content: content("a", "b"), outputDimensionality: 8 }, "models/m");
    assert.equal(call.model, "m");
    assert.equal(call.body?.toString(), '{"model":"m","input":["ab"],"dimensions":8}');
    const { model } = call.spans;
    assert.equal(call.body?.toString("utf8", model?.start, model?.end), '"m"');
    const many = read(batch, { requests: [{ content: content("a") }, { content: content('"b"') }] });
    assert.equal(many.body?.toString(), '{"model":"m","input":["a","\\"b\\""]}');
  });

  test("names its own fields, and has none of the format that it is written in", () => {
    assert.deepEqual([single.promptField, batch.promptField], ["content", "requests"]);
    for (const { sessionFields, droppable, madeGood } of [single, batch])
      assert.deepEqual([sessionFields.length, droppable.size, madeGood?.size], [0, 0, 0]);
  });

  test("says what its texts are for, where all of them are for the same", () => {
    const asked = { content: content("a"), taskType: "RETRIEVAL_QUERY" };
    assert.match(JSON.stringify(read(single, asked).hints), /RETRIEVAL_QUERY|query/);
    assert.equal(read(single, { content: content("a") }).hints, undefined);
    const mixed = { requests: [asked, { content: content("b"), taskType: "CLUSTERING" }] };
    assert.equal(refusal(() => read(batch, mixed))[0], "invalid_request");
  });

  test("is priced by its own bytes: what is billed apart is found where the caller wrote it", () => {
    const { apart } = read(single, { content: content("a"), serviceTier: "priority" });
    assert.deepEqual(apart, ["serviceTier"]);
    assert.deepEqual(read(single, { content: content("serviceTier") }).apart, []);
  });

  test("holds its texts, each at most one context", () => {
    const live = liveModel("m", []);
    const small = { ...live, model: { ...live.model, context: 10 } };
    const call = read(batch, {
      requests: Array.from({ length: 3 }, () => ({ content: content("x".repeat(500)) })),
    });
    const price = {} as Parameters<typeof batch.worstCase>[1];
    const worst = batch.worstCase(small, price, call, call.body ?? assert.fail());
    assert.deepEqual([worst.inputTokens, worst.outputTokens, worst.answers], [30, 0, 3]);
  });

  test("that cannot be read is refused with the caller's name of the field", () => {
    for (const [endpoint, asked, code, param] of [
      [single, {}, "invalid_request", "content.parts"],
      [single, { content: { parts: [] } }, "invalid_request", "content.parts"],
      [
        single,
        { content: { parts: [{ inlineData: {} }] } },
        "unsupported_parameter",
        "content.parts[0].inlineData",
      ],
      [single, { content: content("a"), model: "models/other" }, "invalid_request", "model"],
      [
        single,
        { content: content("a"), outputDimensionality: -1 },
        "invalid_request",
        "outputDimensionality",
      ],
      [
        single,
        { content: content("a"), outputDimensionality: 1e9 },
        "invalid_request",
        "outputDimensionality",
      ],
      [single, { content: content("a"), __proto__x: 1 }, "unsupported_parameter", "__proto__x"],
      [batch, { requests: [{ content: content("") }] }, "invalid_request", "requests[0].content"],
    ] as const)
      assert.deepEqual(
        refusal(() => read(endpoint, asked)),
        [code, param],
        JSON.stringify(asked),
      );
    assert.equal(refusal(() => read(batch, { requests: [] }))[0], "invalid_request");
    const beyond = { requests: Array.from({ length: 2_049 }, () => ({ content: content("a") })) };
    assert.throws(() => read(batch, beyond), GatewayError);
  });
});

const answerOf = (vectors: string, more = ""): Buffer =>
  Buffer.from(`{"object":"list","data":[${vectors}]${more}}`);
const vector = (digits: string, index = 0): string =>
  `{"object":"embedding","index":${index},"embedding":[${digits}]}`;
const usage = (more = ""): string => `,"usage":{"prompt_tokens":5,"total_tokens":5${more}}`;

describe("an answer", () => {
  const call = read(single, { content: content("a") });
  const twice = read(batch, { requests: [{ content: content("a") }, { content: content("b") }] });

  function reading(endpoint: typeof single, fields: typeof call, body: Buffer) {
    const reader = endpoint.protocolOf?.(fields)?.answerReader?.() ?? assert.fail();
    for (let at = 0; at < body.length; at += 7) reader.push(body.subarray(at, at + 7));
    return atOnce(reader.finish(body));
  }

  test("is Gemini's, its digits as they came", () => {
    const read = reading(single, call, answerOf(vector("1.50,-2e-3"), usage()));
    assert.ok(read !== undefined && "body" in read);
    const said = '{"embedding":{"values":[1.50,-2e-3]},"usageMetadata":{"promptTokenCount":5}}';
    assert.equal(read.body.toString(), said);
    assert.deepEqual(read.usage, { prompt_tokens: 5, total_tokens: 5 });
  });

  test("of a batch has a vector for each text, in order", () => {
    const body = answerOf(`${vector("1,2")},${vector("3,4", 1)}`, usage());
    const read = reading(batch, twice, body);
    assert.ok(read !== undefined && "body" in read);
    const told = '"usageMetadata":{"promptTokenCount":5}';
    assert.equal(read.body.toString(), `{"embeddings":[{"values":[1,2]},{"values":[3,4]}],${told}}`);
    const joined = batch.protocolOf?.(twice)?.joined?.(body) ?? assert.fail();
    assert.equal(atOnce(joined).toString(), read.body.toString());
  });

  test("tells no usage that was not reported, nor one that Plaza guessed", () => {
    for (const more of ["", usage(',"is_estimated":true'), ',"usage":{"prompt_tokens":-1}'])
      assert.equal(
        atOnce(writeVectors(answerOf(vector("1"), more), false)).toString(),
        '{"embedding":{"values":[1]}}',
      );
  });

  test("with too few vectors, or none that can be read, is a note for the operator or no answer", () => {
    const few = reading(batch, twice, answerOf(vector("1"), usage()));
    assert.ok(few !== undefined && "note" in few);
    const none = reading(single, call, Buffer.from('{"error":{"message":"no"}}'));
    assert.equal(none, undefined);
    assert.equal(reading(single, call, Buffer.from("<html>")), undefined);
    const base64 = answerOf('{"object":"embedding","index":0,"embedding":"AACAPw=="}');
    for (const body of [Buffer.from("{}"), base64])
      assert.throws(() => atOnce(writeVectors(body, false)), /no vectors/);
  });

  test("that is an error names the caller's fields", () => {
    const errorOf = (param: string | null): string =>
      geminiVectors.errors
        ?.body({ code: "invalid_request", type: "t", message: "no", status: 400, param } as AnswerError)
        .toString() ?? "";
    assert.match(errorOf("input"), /"param":"content"/);
    assert.match(errorOf("dimensions"), /"param":"outputDimensionality"/);
    assert.match(errorOf("model"), /"param":"model"/);
    assert.ok(!errorOf(null).includes("param"));
  });
});
