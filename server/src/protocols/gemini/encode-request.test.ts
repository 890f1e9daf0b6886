import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestMemory } from "../../gateway/dispatch/testing/fixture-rig.ts";
import { google } from "../../providers/google/google.ts";
import { rememberSignature } from "./signatures.ts";
import {
  callOf,
  configOf,
  type Fields,
  hello,
  type Options,
  refusal,
  sent,
  upstreamWith,
  userSays,
} from "./testing/encode-rig.ts";

function headerOf(headers: readonly string[], name: string): string | undefined {
  const at = headers.findIndex((value, index) => index % 2 === 0 && value === name);
  return at < 0 ? undefined : headers[at + 1];
}

const vertexUrl =
  "https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4/publishers/google";

describe("where a call goes", () => {
  test("the Gemini API: path, key in a header and never in the address", () => {
    const upstream = {
      baseUrl: "https://generativelanguage.googleapis.com/v1beta",
      credentials: ["AIzaKey"],
    };
    const whole = callOf(hello, { upstream });
    assert.equal(whole.path, "/v1beta/models/gemini-2.5-flash:generateContent");
    assert.equal(headerOf(whole.headers, "x-goog-api-key"), "AIzaKey");
    assert.equal(headerOf(whole.headers, "authorization"), undefined);
    assert.equal(headerOf(whole.headers, "accept-encoding"), "identity");
    const stream = callOf({ ...hello, stream: true }, { upstream });
    assert.equal(stream.path, "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse");
    assert.equal(headerOf(stream.headers, "accept"), "text/event-stream");
  });

  test("Vertex AI: by its address or by option; a token is a bearer's, a key is a key", () => {
    const byAddress = callOf(hello, { upstream: { baseUrl: vertexUrl, credentials: ["ya29.t"] } });
    assert.match(byAddress.path, /^\/v1\/projects\/p\/locations\/europe-west4\/publishers\/google\/models\//);
    assert.equal(headerOf(byAddress.headers, "authorization"), "Bearer ya29.t");
    const options = { api: "vertex" };
    const byOption = callOf(hello, { upstream: { baseUrl: "https://proxy.test/x", options } });
    assert.equal(headerOf(byOption.headers, "authorization"), "Bearer secret-credential");
    const express = callOf(hello, { upstream: { baseUrl: vertexUrl, credentials: ["AIzaExpress"] } });
    assert.equal(headerOf(express.headers, "x-goog-api-key"), "AIzaExpress");
    const gemini = callOf(hello, { upstream: { baseUrl: vertexUrl, options: { api: "gemini" } } });
    assert.equal(headerOf(gemini.headers, "x-goog-api-key"), "secret-credential");
  });

  test("names of models are whole segments of the path; a query of the base URL stays", () => {
    const paths = [
      ["models/gemini-2.5-pro", "/v1/models/gemini-2.5-pro:generateContent"],
      ["tunedModels/my-1", "/v1/tunedModels/my-1:generateContent"],
      ["a b?c#d", "/v1/models/a%20b%3Fc%23d:generateContent"],
    ] as const;
    for (const [model, path] of paths) assert.equal(callOf(hello, { model }).path, path);
    const upstream = { baseUrl: "https://proxy.test/v1/?tenant=a" };
    assert.equal(
      callOf({ ...hello, stream: true }, { upstream }).path,
      "/v1/models/gemini-2.5-flash:streamGenerateContent?tenant=a&alt=sse",
    );
  });

  test("a probe lists models with a key, and shows no service account's", () => {
    const gemini = google.probe(upstreamWith(), "AIzaKey");
    assert.equal(gemini.path, "/v1/models?pageSize=1");
    assert.equal(headerOf(gemini.headers, "x-goog-api-key"), "AIzaKey");
    for (const [baseUrl, credential] of [
      ["https://x.test/v1", '{"private_key":"SECRET"}'],
      [vertexUrl, '{"private_key":"SECRET"}'],
      [vertexUrl, "ya29.t"],
    ] as const) {
      const probe = google.probe(upstreamWith({ baseUrl }), credential);
      assert.equal(probe.path, "/");
      assert.doesNotMatch(JSON.stringify(probe), /SECRET|ya29/);
    }
  });
});

describe("what is asked for", () => {
  test("output: what is paid for and what the model has", () => {
    const max = (body: Fields, options: Options) =>
      configOf({ ...hello, ...body }, options)?.["maxOutputTokens"];
    assert.equal(max({}, {}), undefined);
    assert.equal(max({ max_tokens: 500 }, { outputTokensMax: 100 }), 100);
    assert.equal(max({}, { outputTokensMax: 100 }), 100);
    assert.equal(max({ max_completion_tokens: 900_000 }, { outputCap: 65_536 }), 65_536);
  });

  test("a seed becomes one of 32 bits, and the same one stays the same", () => {
    for (const [seed, made] of [
      [7, 7],
      [-7, -7],
      [2 ** 31 + 5, 5],
      [9_007_199_254_740_991, 2 ** 31 - 1],
    ] as const) {
      assert.equal(configOf({ ...hello, seed })?.["seed"], made);
    }
  });

  const thinking = (model: string, more: Fields) =>
    configOf({ ...hello, ...more }, { model })?.["thinkingConfig"];
  const efforts: readonly [model: string, effort: string, expected: object | undefined][] = [
    ["gemini-2.5-flash", "minimal", { includeThoughts: true, thinkingBudget: 1_024 }],
    ["gemini-2.5-flash-lite", "max", { includeThoughts: true, thinkingBudget: 24_576 }],
    ["gemini-2.5-pro", "none", { includeThoughts: true, thinkingBudget: 128 }],
    ["publishers/google/models/gemini-2.5-pro", "xhigh", { includeThoughts: true, thinkingBudget: 24_576 }],
    ["gemini-3-pro-image-preview", "low", { includeThoughts: true, thinkingBudget: 1_024 }],
    ["gemini-3-pro-preview", "medium", { includeThoughts: true, thinkingLevel: "HIGH" }],
    ["gemini-3.1-pro-preview", "medium", { includeThoughts: true, thinkingLevel: "MEDIUM" }],
    ["gemini-3.1-pro-preview", "minimal", { includeThoughts: true, thinkingLevel: "LOW" }],
    ["gemini-3-flash-preview", "none", { includeThoughts: true, thinkingLevel: "MINIMAL" }],
    ["gemini-3.5-flash", "minimal", { includeThoughts: true, thinkingLevel: "MINIMAL" }],
    ["gemini-3.7-flash", "minimal", { includeThoughts: true, thinkingLevel: "LOW" }],
    ["gemini-3.7-flash-lite", "minimal", { includeThoughts: true, thinkingLevel: "MINIMAL" }],
    ["gemini-4-hydrogen", "max", { includeThoughts: true, thinkingLevel: "XHIGH" }],
    ["gemini-4-hydrogen", "minimal", { includeThoughts: true, thinkingLevel: "LOW" }],
    ["gemini-4-pro", "xhigh", { includeThoughts: true, thinkingLevel: "HIGH" }],
    ["gemini-2.0-flash", "none", undefined],
    ["gemma-3-27b-it", "none", undefined],
  ];
  for (const [model, effort, expected] of efforts) {
    test(`${model} with an effort of ${effort}`, () => {
      assert.deepEqual(thinking(model, { reasoning_effort: effort }), expected);
    });
  }

  test("thoughts are asked for where the model thinks by itself, and not where the caller does not want them", () => {
    assert.deepEqual(thinking("gemini-2.5-flash", {}), { includeThoughts: true });
    assert.equal(thinking("gemini-2.5-flash-lite", {}), undefined);
    assert.equal(thinking("gemini-2.5-flash", { reasoning: { exclude: true } }), undefined);
    assert.deepEqual(thinking("gemini-2.5-pro", { reasoning: { max_tokens: 50_000 } }), {
      includeThoughts: true,
      thinkingBudget: 32_768,
    });
    assert.deepEqual(thinking("gemini-3.1-pro", { reasoning: { max_tokens: 2_000 } }), {
      includeThoughts: true,
      thinkingLevel: "MEDIUM",
    });
    assert.deepEqual(thinking("gemini-2.5-flash", { reasoning: { enabled: false } }), { thinkingBudget: 0 });
  });

  test("a budget of thoughts follows an output that is lowered, and only then", () => {
    const sentWith = (model: string, more: Fields, options: Options) => {
      const { body, dropped } = callOf({ ...hello, ...more }, { model, ...options });
      const { generationConfig } = JSON.parse(body.toString("utf8")) as { generationConfig: Fields };
      const { thinkingBudget } = generationConfig["thinkingConfig"] as Fields;
      return [generationConfig["maxOutputTokens"], thinkingBudget, dropped];
    };
    const budget = { reasoning: { max_tokens: 8_000 } };
    const own = { google: { thinking_config: { thinking_budget: 8_000 } } };
    for (const [model, more, options, expected] of [
      ["gemini-2.5-flash", budget, { outputTokensMax: 5_000 }, [5_000, 4_999, undefined]],
      ["gemini-2.5-flash", own, { outputTokensMax: 5_000 }, [5_000, 4_999, undefined]],
      ["gemini-2.5-flash", { reasoning_effort: "high" }, { outputTokensMax: 70 }, [70, 69, undefined]],
      ["gemini-2.5-flash", budget, { outputTokensMax: 8_001 }, [8_001, 8_000, undefined]],
      ["gemini-2.5-pro", budget, { outputTokensMax: 129 }, [129, 128, undefined]],
      ["gemini-2.5-pro", budget, { outputTokensMax: 70 }, [70, 128, undefined]],
      ["gemini-2.5-flash-lite", budget, { outputTokensMax: 513 }, [513, 512, undefined]],
      ["gemini-2.5-flash-lite", budget, { outputTokensMax: 512 }, [512, 0, ["reasoning.max_tokens"]]],
      ["gemini-2.5-flash", { ...budget, max_tokens: 9_000 }, { outputCap: 4_000 }, [4_000, 3_999, undefined]],
      ["gemini-2.5-flash", { ...budget, max_tokens: 4_000 }, {}, [4_000, 8_000, undefined]],
      ["gemini-3-pro", own, { outputTokensMax: 5_000 }, [5_000, 4_999, undefined]],
      ["gemini-3-pro", own, { outputTokensMax: 70 }, [70, 512, undefined]],
    ] as const)
      assert.deepEqual(sentWith(model, more, options), expected, JSON.stringify([model, more, options]));
    const dynamic = { google: { thinking_config: { thinking_budget: -1 } } };
    assert.deepEqual(sentWith("gemini-2.5-flash", dynamic, { outputTokensMax: 70 }), [70, -1, undefined]);
  });

  test("a file at an address is taken from what was fetched", () => {
    const url = "https://x.test/cat";
    const body = userSays({ type: "image_url", image_url: { url } });
    const media = new Map([[url, { mediaType: "image/webp", bytes: Buffer.from("RIFF") }]]);
    assert.deepEqual(sent(body, { media })["contents"], [
      { role: "user", parts: [{ inlineData: { mimeType: "image/webp", data: "UklGRg==" } }] },
    ]);
    const wrong = new Map([[url, { mediaType: "image/gif", bytes: Buffer.from("GIF8") }]]);
    assert.equal(refusal(body, { media: wrong }).param, "messages[0].content[0].image_url.url");
  });

  test("schemas nested 60 deep", () => {
    let schema: Fields = { type: "string", const: "x" };
    for (let depth = 0; depth < 29; depth += 1) schema = { type: "object", properties: { a: schema } };
    const tools = [{ type: "function", function: { name: "deep", parameters: schema } }];
    const text = JSON.stringify(sent({ ...hello, tools })["tools"]);
    assert.ok(text.includes('"enum":["x"]'));
    assert.ok(text.includes('"parametersJsonSchema"'));
  });

  test("arguments and results of any text", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const parts = (args: string, result: string, custom = false) => {
      const called = custom
        ? { id: "a", type: "custom", custom: { name: "f", input: args } }
        : { id: "a", type: "function", function: { name: "f", arguments: args } };
      const call = callOf({
        messages: [
          { role: "user", content: "x" },
          { role: "assistant", content: null, tool_calls: [called] },
          { role: "tool", tool_call_id: "a", content: result },
        ],
      });
      return /"args":(.*)\}\}\]\},\{"role":"user".*"response":(.*)\}\}\]\}\]/s
        .exec(call.body.toString())
        ?.slice(1, 3);
    };
    assert.deepEqual(parts("", ""), ["{}", '{"output":""}']);
    const long = '{"n":12345678901234567890}';
    assert.deepEqual(parts(long, long), [long, long]);
    assert.deepEqual(parts("{broken", "[1,2]"), ['{"input":"{broken"}', '{"output":"[1,2]"}']);
    assert.deepEqual(parts("12345678901234567890", "null"), [
      '{"input":"12345678901234567890"}',
      '{"output":"null"}',
    ]);
    assert.deepEqual(parts('{"a":1}', "x", true), ['{"input":"{\\"a\\":1}"}', '{"output":"x"}']);
    assert.ok(parts(`{"a":${deep}}`, `{"a":${deep}}`)?.[0]?.startsWith('{"input":'));
  });

  test("images among a tool's results follow them", () => {
    const body = {
      messages: [
        { role: "user", content: "x" },
        {
          role: "assistant",
          tool_calls: [{ id: "a", type: "function", function: { name: "shot", arguments: "" } }],
        },
        {
          role: "tool",
          tool_call_id: "a",
          content: [
            { type: "text", text: "Here." },
            { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
          ],
        },
      ],
    };
    assert.deepEqual((sent(body)["contents"] as Fields[]).at(-1), {
      role: "user",
      parts: [
        { functionResponse: { id: "a", name: "shot", response: { output: "Here." } } },
        { inlineData: { mimeType: "image/png", data: "AA==" } },
      ],
    });
  });

  test("functions of the old kind", () => {
    const body = {
      functions: [{ name: "f", parameters: { type: "object", properties: { a: {} } } }],
      function_call: { name: "f" },
      messages: [
        { role: "user", content: "x" },
        { role: "assistant", content: null, function_call: { name: "f", arguments: '{"a":1}' } },
        { role: "function", name: "f", content: "2" },
      ],
    };
    const { contents, toolConfig } = sent(body, { upstream: { baseUrl: vertexUrl } });
    assert.deepEqual(contents, [
      { role: "user", parts: [{ text: "x" }] },
      { role: "model", parts: [{ functionCall: { name: "f", args: { a: 1 } } }] },
      { role: "user", parts: [{ functionResponse: { name: "f", response: { output: "2" } } }] },
    ]);
    assert.deepEqual(toolConfig, { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f"] } });
  });
});

describe("signatures", () => {
  const model = "gemini-3.1-pro-preview";
  const history = (...calls: { id: string; extra?: object }[]): Fields => ({
    messages: [
      { role: "user", content: "x" },
      {
        role: "assistant",
        tool_calls: calls.map(({ id, extra }) => ({
          id,
          type: "function",
          function: { name: "f", arguments: "{}" },
          ...extra,
        })),
      },
      ...calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "r" })),
    ],
  });
  const signatures = (body: Fields, options: Options): unknown[] => {
    const contents = sent(body, options)["contents"] as { parts: Fields[] }[];
    return contents[1]?.parts.map((part) => part["thoughtSignature"]) ?? [];
  };
  const own = { extra_content: { google: { thought_signature: "b3du" } } };

  test("the caller's own, else the remembered one, else the stand-in on the first", () => {
    const memory = createTestMemory();
    rememberSignature(memory, "a", { signature: "a2VwdA==", model });
    assert.deepEqual(signatures(history({ id: "a", extra: own }), { model, memory }), ["b3du"]);
    assert.deepEqual(signatures(history({ id: "a" }, { id: "b" }), { model, memory }), [
      "a2VwdA==",
      undefined,
    ]);
    assert.deepEqual(signatures(history({ id: "z" }, { id: "b" }), { model, memory }), [
      "skip_thought_signature_validator",
      undefined,
    ]);
  });

  test("another model's signature is worth nothing, and what else is remembered is none", () => {
    const memory = createTestMemory();
    rememberSignature(memory, "a", { signature: "a2VwdA==", model: "gemini-3-flash-preview" });
    memory.remember("b", '{"anthropic":"x"}');
    memory.remember("c", "not JSON");
    for (const id of ["a", "b", "c"]) {
      assert.deepEqual(signatures(history({ id }), { model, memory }), ["skip_thought_signature_validator"]);
    }
  });

  test("models that do not insist get no stand-in", () => {
    assert.deepEqual(signatures(history({ id: "z" }), { model: "gemini-2.5-pro" }), [undefined]);
  });
});
