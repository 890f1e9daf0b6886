/** The most a request can use, given what its upstreams read. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultTimeouts, type Model, type Price } from "@plaza/contract/catalog.ts";
import type { FormatId } from "@plaza/contract/formats.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import { providers } from "../../../providers/index.ts";
import { openai } from "../../../providers/openai/openai.ts";
import { outputNamesOf, undocumentedPresets } from "../../../providers/output-names.ts";
import { presets } from "../../../providers/presets/presets.ts";
import type { Provider } from "../../../providers/provider.ts";
import type { WorstCase } from "../../money/worst-case.ts";
import { createBodyScanners } from "../../request/body/body-scan.ts";
import type { LiveModel } from "../../snapshot.ts";
import { worstCaseOf } from "../generation/worst-case.ts";
import { plainTarget } from "../testing/targets.ts";
import { chat } from "./chat.ts";

const scanners = createBodyScanners(chat.scanned, { jsonDepthMax: 64, jsonValuesMax: 10_000 });

const price: Price = { input: nanoUsd(250_000_000n), output: nanoUsd(2_000_000_000n) };
const free: Price = { input: nanoUsd(0n), output: nanoUsd(0n) };
const facts = { context: 400_000, maxOutput: 128_000 };

/** A model with one deployment for each preset; `null` = an upstream without one. */
function modelAt(used: readonly (string | null)[], known: Partial<Model> = facts): LiveModel {
  const model: Model = { id: "m", name: "m", deployments: [], ...known };
  const deployments = used.map((preset) => ({
    deployment: { upstream: "u", model: "m", priority: 1, weight: 1 },
    live: {
      upstream: {
        id: "u",
        provider: "openai",
        baseUrl: "",
        credentials: [],
        timeouts: defaultTimeouts,
        ...(preset === null ? {} : { preset }),
      },
      provider: { transport: "local" } as Provider,
      client: undefined,
    },
  }));
  return { model, deployments };
}

function bounds(members: string, model = modelAt([null]), at = price): WorstCase {
  const body = Buffer.from(`{"model":"m","messages":[{"role":"user","content":"hi"}]${members}}`);
  const scanner = scanners.create();
  scanner.push(body);
  return worstCaseOf(model, at, chat.read(scanner.end(body), body, plainTarget), body);
}

test("the largest bound counts, times the most answers", () => {
  const cases: [string, number, number][] = [
    [',"max_completion_tokens":1,"max_tokens":100000', 100_000, 1],
    [',"max_completion_tokens":100000,"max_tokens":1', 100_000, 1],
    [',"max_tokens":1,"n":2,"best_of":20', 1, 20],
    [',"max_tokens":1,"extra_body":{"n":20}', 1, 20],
    [',"max_tokens":1,"n_predict":5000', 5_000, 1],
    [',"max_tokens":1,"options":{"num_predict":5000}', 5_000, 1],
    [',"max_tokens":1,"generationConfig":{"maxOutputTokens":5000}', 5_000, 1],
  ];
  for (const [members, tokens, choices] of cases) {
    const { outputTokens, answers: most, outputLimit } = bounds(members);
    assert.deepEqual([outputTokens, most, outputLimit], [tokens, choices, undefined], members);
  }
});

test("a limit below what an upstream takes is set aside for as it may be raised", () => {
  const leastFor = (formats?: readonly FormatId[], bound = 1): number => {
    const model = modelAt([null]);
    const [place] = model.deployments;
    assert.ok(place);
    const deployment = {
      ...place.deployment,
      model: "gpt-5.6",
      ...(formats === undefined ? {} : { formats }),
    };
    const upstream = { ...place.live.upstream, baseUrl: "https://api.openai.com/v1" };
    const provider = openai.forUpstream?.(upstream) ?? openai;
    const live = { ...place.live, upstream, provider };
    return bounds(`,"max_tokens":${bound}`, { ...model, deployments: [{ deployment, live }] }).outputTokens;
  };
  assert.equal(leastFor(), 16);
  assert.equal(leastFor(["openai-chat"]), 1);
  assert.equal(leastFor(undefined, 17), 17);
});

test("a name that the model's upstreams do not read does not count; one that one of them reads does", () => {
  const asked = ',"max_tokens":1,"n_predict":5000,"max_new_tokens":9000';
  assert.equal(bounds(asked, modelAt(["openai"])).outputTokens, 1);
  assert.equal(bounds(asked, modelAt(["llamacpp"])).outputTokens, 5_000);
  assert.equal(bounds(asked, modelAt(["openai", "sglang"])).outputTokens, 9_000);
  assert.equal(bounds(asked, modelAt(["openai", null])).outputTokens, 9_000);
});

test("a bound under another name alone bounds nothing for sure", () => {
  const { outputTokens, isAsked, outputLimit } = bounds(',"n_predict":5');
  assert.deepEqual([outputTokens, isAsked, outputLimit], [128_000, false, undefined]);
});

test("what may be read as more than is set aside is told to the upstream", () => {
  const outputLimit = (members: string, model?: LiveModel, at?: Price): number | undefined =>
    bounds(members, model, at).outputLimit;
  assert.equal(outputLimit(""), undefined);
  assert.equal(outputLimit(',"max_tokens":128000'), undefined);
  assert.equal(outputLimit(',"max_tokens":200000'), 128_000);
  assert.equal(outputLimit(',"max_tokens":-1'), 128_000);
  assert.equal(outputLimit(',"max_tokens":5,"n_predict":-1'), 128_000);
  assert.equal(outputLimit(',"n_predict":999999'), 128_000);
  const unknown = modelAt([null], {});
  assert.equal(outputLimit("", unknown), 16_384);
  assert.equal(outputLimit(',"max_tokens":0', unknown), 16_384);
  assert.equal(outputLimit(',"max_tokens":50000', unknown), undefined);
  assert.equal(outputLimit(',"max_tokens":50000', modelAt([null], { context: 8_000 })), 8_000);
  assert.equal(outputLimit(',"max_tokens":-1', unknown, free), undefined, "free of charge");
});

test("thinking with a bound of its own, and a prediction, come on top where they are read", () => {
  const thinking = ',"max_tokens":10,"thinking_budget":3000';
  assert.equal(bounds(thinking, modelAt(["qwen"])).furtherTokens, 3_000);
  assert.equal(bounds(thinking, modelAt(["openai"])).furtherTokens, 0);
  assert.equal(bounds(',"max_tokens":10,"thinking_budget":-1', modelAt(["qwen"])).furtherTokens, 81_920);
  const prediction = JSON.stringify({ type: "content", content: "x".repeat(4_000) });
  const { furtherTokens } = bounds(`,"max_tokens":10,"prediction":${prediction}`);
  assert.equal(furtherTokens, Math.ceil(prediction.length / 4));
});

test("where a bound is one of the answer alone, thinking that nobody bounded is set aside as well", () => {
  const further = (preset: string, members: string, known: Partial<Model> = facts): number =>
    bounds(`,"max_tokens":1${members}`, modelAt([preset], known)).furtherTokens;
  assert.equal(further("qwen", ""), 81_920);
  assert.equal(further("siliconflow", ',"enable_thinking":true'), 40_000);
  assert.equal(further("qwen", ',"enable_thinking": false'), 0);
  assert.equal(further("qwen", ',"enable_thinking":false', { ...facts, context: 8_000 }), 0);
  assert.equal(further("qwen", "", { ...facts, context: 8_000 }), 8_000);
  assert.equal(further("qwen", ',"extra_body":{"enable_thinking":false}'), 81_920);
  assert.equal(further("ark", ""), 65_536);
  assert.equal(further("ark", ',"max_completion_tokens":100'), 0);
  assert.equal(further("ark", ',"thinking":{"type":"disabled"}'), 0);
  assert.equal(further("ark", ',"thinking":{"type":"disabled","type":"enabled"}'), 65_536);
  assert.equal(further("deepseek", ""), 0);
  assert.equal(further("qwen", "", { ...facts, capabilities: ["tools"] }), 0, "known not to think");
  assert.equal(further("qwen", "", { ...facts, capabilities: ["reasoning"] }), 81_920);
  const always = modelAt(["qwen"]);
  const [place] = always.deployments;
  assert.ok(place);
  const model = "qwen3-next-80b-a3b-thinking";
  const deployments = [{ ...place, deployment: { ...place.deployment, model } }];
  assert.equal(
    bounds(',"max_tokens":1,"enable_thinking":false', { ...always, deployments }).furtherTokens,
    81_920,
  );
});

test("every preset of OpenAI's protocol says which names its service reads; all others get OpenAI's", () => {
  for (const { id, provider } of presets) {
    const isKnown = outputNamesOf(provider, id) !== undefined;
    assert.notEqual(isKnown, undocumentedPresets.has(id), `${id} needs one row in output-names.ts`);
  }
  for (const { id } of providers) {
    const names = outputNamesOf(id, undefined);
    assert.equal(names === undefined, id === "openai", id);
  }
});

test("audio and images are found however their names are written, where they have rates of their own", () => {
  const rate = nanoUsd(40_000_000_000n);
  const dear: Price = { ...price, audioInput: rate, imageInput: rate };
  const has = (members: string, at = dear): [boolean, boolean] => {
    const { hasAudio, hasImages } = bounds(members, undefined, at);
    return [hasAudio, hasImages];
  };
  const cases: [string, boolean, boolean][] = [
    ["", false, false],
    [',"modalities":["text","audio"]', true, false],
    [',"modalities":["text","\\u0061udio"]', true, false],
    [',"modalities":["text","\\u0061\\u0055\\u0064\\u0069\\u006f"]', true, false],
    [',"modalities":["AUDIO"]', true, false],
    [',"x":{"type":"i\\u006dage_url"}', false, true],
    [',"x":{"type":"Image_URL"}', false, true],
    [',"x":{"type":"fil\\u0065","file":{"file_id":"f"}}', true, true],
    [',"x":"a \\u0066ile of \\u4e61 and \\n nothing"', false, false],
    [`,"x":"\\u0061${" ".repeat(300_000)}"`, true, true],
  ];
  for (const [members, audio, images] of cases)
    assert.deepEqual(has(members), [audio, images], members.slice(0, 80));
  assert.deepEqual(has(',"modalities":["audio","image"]', price), [false, false], "no rates of their own");
});

test("a model that makes images is thought to make them", () => {
  const dear: Price = { ...price, imageOutput: nanoUsd(60_000_000_000n) };
  const making = modelAt([null], { ...facts, modalities: { input: ["text"], output: ["text", "image"] } });
  const reading = modelAt([null], { ...facts, modalities: { input: ["image"], output: ["text"] } });
  assert.equal(bounds("", making, dear).hasImages, true);
  assert.equal(bounds("", reading, dear).hasImages, false);
});

test("files that only have an address are set aside for by their kind, at most a context", () => {
  const part = '{"type":"image_url","image_url":{"url":"http://a.b/c"}}';
  const plain = bounds(',"x":[{"type":"image_ur1","image_ur1":{"url":"http://a.b/c"}}]').inputTokens;
  assert.equal(bounds(`,"x":[${part}]`).inputTokens, plain + 1_600);
  assert.equal(
    bounds(`,"x":[${part.replace('"image_url":', '"im\\u0061ge_url":')}]`).inputTokens,
    plain + 1_601,
  );
  assert.ok(bounds(',"x":[{"file":{"file_id":"f"}}]').inputTokens > 65_536);
  assert.equal(
    bounds(`,"x":[${Array(900).fill(part).join(",")}]`, modelAt([null], { ...facts, context: 9_000 }))
      .inputTokens,
    9_000,
  );
});
