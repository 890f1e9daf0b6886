/** The fields read from a legacy completion, and its worst case. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultTimeouts, type Model, type Price } from "@plaza/contract/catalog.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { Provider } from "../../../providers/provider.ts";
import type { WorstCase } from "../../money/worst-case.ts";
import { createBodyScanners } from "../../request/body/body-scan.ts";
import type { LiveModel } from "../../snapshot.ts";
import { endpointOf, prepareEndpoint } from "../endpoint.ts";
import { plainTarget } from "../testing/targets.ts";
import type { CompletionFields } from "./completion-fields.ts";
import { completions } from "./completions.ts";

const limits = { jsonDepthMax: 8, jsonValuesMax: 50_000, eventBytesMax: 1_000_000 };
const scanners = createBodyScanners(completions.scanned, limits);
const price: Price = { input: nanoUsd(250_000_000n), output: nanoUsd(2_000_000_000n) };

/** A model at an upstream with this preset; `null` = an unknown upstream. */
function modelAt(preset: string | null, known: Partial<Model> = {}): LiveModel {
  const upstream = { id: "u", provider: "openai", baseUrl: "", credentials: [], timeouts: defaultTimeouts };
  const live = {
    upstream: preset === null ? upstream : { ...upstream, preset },
    provider: {} as Provider,
    client: undefined,
  };
  const deployment = { upstream: "u", model: "m", priority: 1, weight: 1 };
  return { model: { id: "m", name: "m", deployments: [], ...known }, deployments: [{ deployment, live }] };
}

function read(members: object): { body: Buffer; fields: CompletionFields } {
  const body = Buffer.from(JSON.stringify({ model: "m", ...members }));
  const scanner = scanners.create();
  const refused = scanner.push(body);
  if (refused !== undefined) throw refused;
  return { body, fields: completions.read(scanner.end(body), body, plainTarget) };
}

function worst(members: object, model = modelAt("vllm")): WorstCase {
  const { body, fields } = read(members);
  return completions.worstCase(model, price, fields, body);
}

const refusal = (members: object): [string, string | undefined] => {
  try {
    read(members);
  } catch (error) {
    assert.ok(error instanceof GatewayError, String(error));
    return [error.code, error.detail.param];
  }
  return assert.fail(`accepted: ${JSON.stringify(members)}`);
};

test("the fields every endpoint has", () => {
  const { fields } = read({ prompt: "a", stream: true, stream_options: { include_usage: true }, user: "u" });
  assert.deepEqual([fields.model, fields.isStream, fields.showsUsage], ["m", true, true]);
  assert.deepEqual([fields.otherModels, fields.apart], [undefined, []]);
  assert.ok(fields.spans.model !== undefined && fields.spans.user !== undefined);
  assert.deepEqual(read({ models: ["a", "b"], prompt: "x" }).fields.otherModels, ["a", "b"]);
});

test("what is wrong is refused by name", () => {
  const rows: [members: object, param: string][] = [
    [{ prompt: { text: "a" } }, "prompt"],
    [{ prompt: ["a", 1] }, "prompt[1]"],
    [{ prompt: "a", echo: 1 }, "echo"],
    [{ prompt: "a", suffix: [] }, "suffix"],
    [{ prompt: "a", stream: "yes" }, "stream"],
    [{ prompt: "a", max_tokens: "5" }, "max_tokens"],
    [{ prompt: "a", n: "2" }, "n"],
    [{ prompt: "a", best_of: [2] }, "best_of"],
    [{ prompt: "a", n: 129 }, "n"],
    [{ prompt: "a", stream_options: { include_usage: true } }, "stream_options"],
    [{ prompt: "a", model: 7 }, "model"],
  ];
  for (const [members, param] of rows) {
    assert.deepEqual(refusal(members), ["invalid_request", param], JSON.stringify(members));
  }
});

test("every prompt is written to as often as the larger of n and best_of says", () => {
  const rows: [members: object, answers: number, input: number][] = [
    [{ prompt: "12345678" }, 1, 2],
    [{ prompt: ["1234", "1234", ""], n: 2 }, 6, 3],
    [{ prompt: [1, 2, 3], n: 2, best_of: 5 }, 5, 3],
    [{ prompt: [[1, 2], [3]], best_of: 0 }, 2, 3],
    [{}, 1, 1],
    [{ prompt: "1234", suffix: "12345678" }, 1, 3],
  ];
  for (const [members, answers, inputTokens] of rows) {
    const { answers: most, inputTokens: input, sentTokens } = worst(members);
    assert.deepEqual([most, input, sentTokens], [answers, inputTokens, inputTokens], JSON.stringify(members));
  }
});

test("of one prompt no more counts than a context; much that nobody knows counts as prompt", () => {
  const model = modelAt("vllm", { context: 10 });
  const long = "x".repeat(400);
  assert.equal(worst({ prompt: [long, long] }, model).inputTokens, 20);
  assert.equal(worst({ prompt: "a", logit_bias: { long: long.repeat(10) } }).inputTokens, 1);
  assert.ok(worst({ prompt: "a", prompt_embeds: long.repeat(10) }).inputTokens > 1_000);
  const { body, fields } = read({ prompt: [long, long] });
  assert.equal(completions.promptTokens(fields, body, "openai", undefined), 200);
  assert.equal(completions.promptTokens(fields, body, "openai", 10), 20);
});

test("without a bound sixteen tokens are held and told, whatever the price", () => {
  const rows: [
    members: object,
    known: Partial<Model>,
    outputTokens: number,
    outputLimit: number | undefined,
  ][] = [
    [{}, {}, 16, 16],
    [{ max_tokens: null }, {}, 16, 16],
    [{}, { maxOutput: 8 }, 8, 8],
    [{ max_tokens: 100 }, {}, 100, undefined],
    [{ max_tokens: 100 }, { maxOutput: 50 }, 50, 50],
    [{ max_tokens: -1 }, {}, 16_384, 16_384],
    [{ max_tokens: -1 }, { maxOutput: 900 }, 900, 900],
    [{ max_tokens: 5_000 }, { context: 4_096 }, 4_096, 4_096],
    [{ max_completion_tokens: 3, max_tokens: 40 }, {}, 40, undefined],
    // Not every upstream reads chat's newer name, so the limit is sent under the common one.
    [{ max_completion_tokens: 40 }, {}, 40, 40],
  ];
  for (const [members, known, outputTokens, outputLimit] of rows) {
    const most = worst({ prompt: "a", ...members }, modelAt("vllm", known));
    assert.deepEqual(
      [most.outputTokens, most.outputLimit],
      [outputTokens, outputLimit],
      JSON.stringify([members, known]),
    );
  }
});

test("a name that only some servers read bounds the output there, and OpenAI's own name is told", () => {
  const llama = worst({ prompt: "a", n_predict: 500 }, modelAt("llamacpp"));
  assert.deepEqual([llama.outputTokens, llama.outputLimit], [500, 500]);
  const vllm = worst({ prompt: "a", n_predict: 500 });
  assert.deepEqual([vllm.outputTokens, vllm.outputLimit], [16, 16]);
  assert.equal(worst({ prompt: "a", n_predict: 500 }, modelAt(null)).outputTokens, 500);
});

test("no output at all is told as it stands, and held for as if it were no bound", () => {
  const scored = worst({ prompt: "a", echo: true, logprobs: 1, max_tokens: 0 });
  assert.deepEqual([scored.outputTokens, scored.outputLimit], [16_384, undefined]);
  assert.equal(worst({ prompt: "a", max_tokens: 0 }, modelAt("vllm", { maxOutput: 64 })).outputTokens, 64);
  assert.equal(worst({ prompt: "a", max_tokens: 0, n_predict: 7 }).outputLimit, 16_384);
});

test("text that is repeated of the prompt is not counted as written", () => {
  const ready = prepareEndpoint(completions, limits);
  const plain = read({ prompt: "Once" }).fields;
  assert.equal(endpointOf(ready, plain), ready);
  const echoing = endpointOf(ready, read({ prompt: ["Once", "upon"], n: 2, best_of: 4, echo: true }).fields);
  const choices = ["Once a", "Once b", "upon c", "upon d"].map((text, index) => ({ text, index }));
  const body = Buffer.from(JSON.stringify({ choices }));
  const whole = echoing.protocol.readWhole(body);
  assert.ok(whole !== undefined);
  assert.equal(echoing.protocol.contentSize(body, whole.content).contentBytes, 8);
  assert.equal(ready.protocol.contentSize(body, whole.content).contentBytes, 24);
  assert.equal(echoing.streamReaders, ready.streamReaders);
});
