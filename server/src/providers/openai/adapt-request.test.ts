/**
 * Requests to services with deviations beyond what the fixtures show: refusals by name, dropped fields,
 * unchanged bytes.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultTimeouts, type Upstream } from "@plaza/contract/catalog.ts";
import fc from "fast-check";
import { chatCodecOf } from "../../gateway/dispatch/testing/fixture-rig.ts";
import { createJsonScannerFactory, findField } from "../../lib/json/scan.ts";
import { plainNamed } from "../../lib/json/testing/samples.ts";
import type { ProviderRequest, Span } from "../../protocols/protocol.ts";
import { Untranslatable } from "../../protocols/untranslatable.ts";
import { findPreset, presets } from "../presets/presets.ts";
import type { HttpCodec, HttpProvider } from "../provider.ts";
import { shortId } from "./adapt-messages.ts";
import { deviations } from "./deviations.ts";
import { encodeChat } from "./encode.ts";
import { openai } from "./openai.ts";

const read = ["model", "models", "stream", "stream_options", "max_tokens", "max_completion_tokens"];
const scan = createJsonScannerFactory(read, { depthMax: 64, valuesMax: 200_000 });

function requestOf(text: string, more: Partial<ProviderRequest> = {}): ProviderRequest {
  const body = Buffer.from(text);
  const scanner = scan();
  scanner.push(body);
  const result = scanner.end();
  assert(result.reason === undefined, "the test's body is JSON");
  const spans = Object.fromEntries(read.map((name) => [name, findField(result, name) as Span | undefined]));
  return { body, isStream: findField(result, "stream")?.kind === "true", spans, ...more };
}

const upstreamOf = (preset: string): Upstream => ({
  id: "main",
  provider: "openai",
  preset,
  baseUrl: findPreset(preset)?.baseUrl ?? "http://127.0.0.1:9000/v1",
  credentials: ["key"],
  timeouts: defaultTimeouts,
});

const variants = new Map<string, HttpProvider>(
  presets.map(({ id }) => [id, openai.forUpstream?.(upstreamOf(id)) as HttpProvider]),
);

const codecOf = (preset: string): HttpCodec => chatCodecOf(variants.get(preset) as HttpProvider);

function call(preset: string, text: string, more: Partial<ProviderRequest> = {}) {
  return codecOf(preset).encode(requestOf(text, more), upstreamOf(preset), "key", "m");
}

const sent = (preset: string, text: string, more: Partial<ProviderRequest> = {}): string =>
  call(preset, text, more).body.toString();

test("every row of deviations is of a preset that is known", () => {
  for (const id of Object.keys(deviations)) assert.notEqual(findPreset(id), undefined, id);
});

test("without a preset, or with one of another service, chat is the plain one", () => {
  for (const preset of [undefined, "openai", "nobody", "constructor", "__proto__"]) {
    const at = openai.forUpstream?.({ ...upstreamOf("openai"), preset }) as HttpProvider;
    assert.equal(chatCodecOf(at).encode, encodeChat);
    assert.equal(chatCodecOf(at).translation, undefined);
  }
  assert.equal(chatCodecOf(openai).encode, encodeChat);
});

const messages = '"messages":[{"role":"user","content":"Hi"}]';

test("what a service has not is refused by its name, or left out and told where that is allowed", () => {
  const cases: [string, string, string, string][] = [
    ["groq", '"n":2', "n", ""],
    ["groq", '"logprobs":true', "logprobs", ""],
    ["groq", '"logit_bias":{"5":-100}', "logit_bias", ""],
    ["deepseek", '"seed":9007199254740993', "seed", ""],
    ["zhipu", '"tool_choice":"required"', "tool_choice", ""],
    ["zhipu", '"frequency_penalty":0.1', "frequency_penalty", ""],
    ["ollama", '"tool_choice":{"type":"function","function":{"name":"f"}}', "tool_choice", ""],
    ["ollama", '"parallel_tool_calls":false', "parallel_tool_calls", ""],
    ["cohere", '"n":2', "n", ""],
    ["cerebras", '"presence_penalty":1', "presence_penalty", ""],
    ["perplexity", '"tools":[{"type":"function","function":{"name":"f"}}]', "tools", ""],
    ["mistral", '"modalities":["text","audio"]', "modalities", ""],
    [
      "deepseek",
      '"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":{}}}',
      "response_format",
      ',"response_format":{"type":"json_object"}',
    ],
  ];
  for (const [preset, member, param, left] of cases) {
    const text = `{"model":"m",${messages},${member}}`;
    assert.throws(
      () => call(preset, text),
      (error) =>
        error instanceof Untranslatable &&
        error.code === "unsupported_parameter" &&
        error.param === param &&
        error.message.includes(`'${param}'`),
      `${preset} ${member}`,
    );
    const { body, dropped } = call(preset, text, { dropsParams: true });
    assert.equal(body.toString(), `{"model":"m",${messages}${left}}`, preset);
    assert.deepEqual(dropped, [param]);
  }
});

test("what asks for a manner is left out and told, unless the value asks for nothing or is taken", () => {
  const cases: [string, string, string, string[] | undefined][] = [
    ["mistral", "mistral-small-latest", '"user":"u"', ["user"]],
    ["mistral", "mistral-small-latest", '"metadata":{"a":"b"}', ["metadata"]],
    ["mistral", "mistral-small-latest", '"metadata":{}', undefined],
    ["mistral", "mistral-small-latest", '"store":true', ["store"]],
    ["mistral", "mistral-small-latest", '"store":false', undefined],
    ["mistral", "mistral-small-latest", '"verbosity":"low"', ["verbosity"]],
    ["mistral", "mistral-small-latest", '"verbosity":"medium"', undefined],
    ["cohere", "command-a", '"service_tier":"priority"', ["service_tier"]],
    ["cohere", "command-a", '"service_tier":"auto"', undefined],
    ["moonshot", "kimi-k3", '"temperature":0', ["temperature"]],
    ["moonshot", "kimi-k3", '"temperature":null', undefined],
    ["moonshot", "kimi-k2.6", '"temperature":0.6', undefined],
    ["moonshot", "kimi-k2.7-code", '"reasoning_effort":"none"', ["reasoning_effort"]],
    ["qwen", "qwen3-235b-a22b-thinking-2507", '"reasoning_effort":"none"', ["reasoning_effort"]],
    ["ollama", "llama3.1:8b", '"user":"u"', ["user"]],
  ];
  for (const [preset, model, member, told] of cases) {
    const text = `{"model":"m",${messages},${member}}`;
    const { body, dropped } = codecOf(preset).encode(requestOf(text), upstreamOf(preset), "key", model);
    assert.equal(body.toString(), `{"model":"${model}",${messages}}`, `${preset} ${member}`);
    assert.deepEqual(dropped, told, `${preset} ${member}`);
  }
});

test("a name in a message is refused by its path, except in a tool's message, where it says nothing", () => {
  const text =
    '{"model":"m","messages":[{"role":"tool","name":"f","content":"1"},{"role":"user","name":"Bo","content":"Hi"}]}';
  assert.throws(() => call("groq", text), { param: "messages[1].name" });
  const { body, dropped } = call("groq", text, { dropsParams: true });
  assert.equal(
    body.toString(),
    '{"model":"m","messages":[{"role":"tool","content":"1"},{"role":"user","content":"Hi"}]}',
  );
  assert.deepEqual(dropped, ["messages[1].name"]);
});

test("a body that holds nothing of what deviates is the caller's own buffer, though its texts may look like it", () => {
  const text = `{"model":"m","messages":[{"role":"user","content":"the \\"seed\\" and the \\"developer\\""}],"x":9007199254740993}`;
  for (const preset of ["groq", "zhipu", "ollama", "vllm", "mistral"]) {
    const request = requestOf(text);
    const { body, dropped } = codecOf(preset).encode(request, upstreamOf(preset), "key", "m");
    assert.equal(body, request.body, preset);
    assert.equal(dropped, undefined);
  }
});

test("what is not named stays as it was written, next to what is edited", () => {
  assert.equal(
    sent(
      "mistral",
      '{ "max_completion_tokens" : 7, "seed": 12345678901234567890 ,"x":1e400,"model":"a","user":"u","y" : {"seed":9007199254740993}, "max_tokens":9 }',
    ),
    '{ "max_tokens" : 7, "random_seed": 12345678901234567890 ,"x":1e400,"model":"m","y" : {"seed":9007199254740993} }',
  );
  assert.equal(
    sent("vllm", '{"model":"m","messages":[{"content":"a\\u00e9","role" : "developer","z":0.10}]}'),
    '{"model":"m","messages":[{"content":"a\\u00e9","role" : "system","z":0.10}]}',
  );
});

test("nulls ask for nothing and are left out where a rule might mind them", () => {
  assert.equal(
    sent("deepseek", '{"seed":null,"model":"m","n":null,"max_completion_tokens":null}'),
    '{"model":"m"}',
  );
});

test("the gateway's own edits go together with the service's", () => {
  const paid = { outputTokensMax: 5 };
  const both = '{"models":["a"],"max_completion_tokens":90,"user":"u","max_tokens":80,"model":"a"}';
  assert.equal(sent("mistral", both, paid), '{"max_tokens":5,"model":"m"}');
  assert.equal(
    sent("mistral", `{"user":"u","max_completion_tokens":null,${messages}}`, paid),
    `{"model":"m","max_tokens":5,${messages}}`,
  );
  assert.equal(
    sent("mistral", '{"stream":true,"stream_options":{"include_usage":true},"model":"a"}'),
    '{"stream":true,"model":"m"}',
  );
  assert.equal(sent("mistral", '{"stream":true,"model":"m"}'), '{"stream":true,"model":"m"}');
  assert.equal(
    sent("groq", '{"n":1,"stream":true,"model":"m"}'),
    '{"stream_options":{"include_usage":true},"stream":true,"model":"m"}',
  );
});

test("more output than the model can make is cut down where it would be refused", () => {
  const body = '{"model":"m","max_tokens":900}';
  assert.equal(sent("deepseek", body, { outputCap: 8 }), '{"model":"m","max_tokens":8}');
  assert.equal(sent("deepseek", body, { outputCap: 8, outputTokensMax: 4 }), '{"model":"m","max_tokens":4}');
  assert.equal(sent("deepseek", body, { outputCap: 1_000 }), body);
  assert.equal(sent("deepseek", '{"model":"m"}', { outputCap: 8 }), '{"model":"m"}');
  assert.equal(sent("groq", body, { outputCap: 8 }), body);
});

test("thoughts that a client dropped come back from memory, where the service wants them", () => {
  const kept = new Map([
    ["call_1", '"Hm \\u00fc"'],
    ["call_3", "broken"],
  ]);
  const memory = { recall: (id: string) => kept.get(id), remember: assert.fail };
  const turn = (id: string, more = "") =>
    `{"role":"assistant"${more},"tool_calls":[{"id":"${id}"},{"id":"x"}]}`;
  const text = `{"model":"m","messages":[${turn("call_1")},${turn("call_2")},${turn("call_3")},${turn("call_1", ',"reasoning_content":"own"')}]}`;
  const thoughts = (preset: string) =>
    (JSON.parse(sent(preset, text, { memory })) as { messages: Record<string, unknown>[] }).messages.map(
      (message) => message["reasoning_content"],
    );
  assert.deepEqual(thoughts("deepseek"), ["Hm ü", "", "", "own"]);
  assert.deepEqual(thoughts("moonshot"), ["Hm ü", undefined, undefined, "own"]);
  assert.deepEqual(thoughts("qwen"), [undefined, undefined, undefined, "own"]);
});

test("short ids are of the wanted form, always the same, and different for different ids", () => {
  const ids = Array.from({ length: 20_000 }, (_, index) => shortId(`call_${index}`, 9));
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^[A-Za-z0-9]{9}$/);
  assert.equal(shortId("call_7", 9), ids[7]);
  assert.equal(shortId("abcDEF123", 9), "abcDEF123");
  assert.match(shortId("ä 🙂", 9), /^[A-Za-z0-9]{9}$/);
});

const anyNames = fc.constantFrom(
  "n",
  "seed",
  "random_seed",
  "user",
  "logit_bias",
  "logprobs",
  "temperature",
  "top_p",
  "tool_choice",
  "tools",
  "response_format",
  "reasoning_effort",
  "thinking",
  "max_tokens",
  "max_completion_tokens",
  "stream_options",
  "parallel_tool_calls",
  "frequency_penalty",
  "x_own",
  "modalities",
);
const anyValues = fc.oneof(
  plainNamed(2),
  fc.constantFrom(
    1,
    null,
    "auto",
    "none",
    "required",
    "high",
    { type: "json_schema" },
    { type: "json_object" },
  ),
);
const anyMessage = fc.dictionary(
  fc.constantFrom(
    "role",
    "content",
    "name",
    "tool_calls",
    "tool_call_id",
    "reasoning_content",
    "refusal",
    "own",
  ),
  fc.oneof(fc.constantFrom("developer", "user", "assistant", "tool", [{ id: "a" }, 7]), plainNamed(2)),
  { noNullPrototype: true },
);

test("any body is either made into JSON with everything else in it, or refused by name", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...presets.map(({ id }) => id)),
      fc.array(fc.tuple(anyNames, anyValues), { maxLength: 8 }),
      fc.array(anyMessage, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      fc.boolean(),
      (preset, members, list, isStream, dropsParams) => {
        const fields = Object.fromEntries(members);
        if (Array.isArray(fields["stream_options"]) || typeof fields["stream_options"] !== "object")
          delete fields["stream_options"];
        const body = { ...fields, model: "a", messages: list, stream: isStream, big: 0 };
        const text = JSON.stringify(body).replace('"big":0', '"big":9007199254740993');
        let encoded: string;
        try {
          encoded = sent(preset, text, { dropsParams });
        } catch (error) {
          assert.ok(error instanceof Untranslatable, String(error));
          assert.equal(dropsParams, false, "nothing is refused where it may be left out");
          return;
        }
        assert.ok(encoded.includes('"big":9007199254740993'));
        const got = JSON.parse(encoded) as Record<string, unknown>;
        assert.equal(got["model"], "m");
        assert.deepEqual(got["x_own"], JSON.parse(text)["x_own"]);
        assert.equal((got["messages"] as unknown[]).length, list.length);
        (got["messages"] as Record<string, unknown>[]).forEach((message, index) => {
          assert.deepEqual(message["own"], JSON.parse(text)["messages"][index]["own"]);
          assert.deepEqual(message["content"], JSON.parse(text)["messages"][index]["content"]);
        });
      },
    ),
    { numRuns: 600 },
  );
});
