import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Untranslatable } from "../untranslatable.ts";
import { callOf, type Fields, hello, type Options, refusal, userSays } from "./testing/encode-rig.ts";

describe("refused by name", () => {
  const image = (url: string) => userSays({ type: "image_url", image_url: { url } });
  const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
  const asked = { role: "user", content: "x" };
  const cases: readonly [
    name: string,
    body: Fields,
    param: string,
    code: Untranslatable["code"],
    Options?,
  ][] = [
    ["empty messages", { messages: [{ role: "user", content: "" }] }, "messages", "unsupported_parameter"],
    ["nothing in them", { messages: [{ role: "user", content: null }] }, "messages", "unsupported_parameter"],
    [
      "an image of the wrong type",
      image("data:image/svg+xml;base64,AAAA"),
      "messages[0].content[0].image_url.url",
      "unsupported_parameter",
    ],
    [
      "no image at all",
      image("data:text/html;base64,AAAA"),
      "messages[0].content[0].image_url.url",
      "unsupported_parameter",
    ],
    [
      "an image of nothing",
      image("data:image/png;base64,"),
      "messages[0].content[0].image_url.url",
      "invalid_request",
    ],
    [
      "an image not fetched",
      image("https://x.test/a.png"),
      "messages[0].content[0].image_url.url",
      "unsupported_parameter",
    ],
    [
      "a stored file",
      userSays({ type: "file", file: { file_id: "f1" } }),
      "messages[0].content[0].file.file_id",
      "unsupported_parameter",
    ],
    [
      "an unknown sound",
      userSays({ type: "input_audio", input_audio: { data: "AA", format: "midi" } }),
      "messages[0].content[0].input_audio.format",
      "unsupported_parameter",
    ],
    [
      "an image in a system message",
      {
        messages: [
          {
            role: "system",
            content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AA" } }],
          },
          asked,
        ],
      },
      "messages[0].content[0]",
      "unsupported_parameter",
    ],
    [
      "a call without its result",
      {
        messages: [
          asked,
          { role: "assistant", tool_calls: [call("a"), call("b")] },
          { role: "tool", tool_call_id: "a", content: "" },
        ],
      },
      "messages[1].tool_calls",
      "invalid_request",
    ],
    [
      "a result without its call",
      { messages: [asked, { role: "tool", tool_call_id: "a", content: "" }] },
      "messages[1].tool_call_id",
      "invalid_request",
    ],
    [
      "two results of one call",
      {
        messages: [
          asked,
          { role: "assistant", tool_calls: [call("a")] },
          { role: "tool", tool_call_id: "a", content: "" },
          { role: "tool", tool_call_id: "a", content: "" },
        ],
      },
      "messages[3].tool_call_id",
      "invalid_request",
    ],
    ["log probabilities", { ...hello, logprobs: true }, "logprobs", "unsupported_parameter"],
    ["biases", { ...hello, logit_bias: { 1: 2 } }, "logit_bias", "unsupported_parameter"],
    ["several streamed answers", { ...hello, n: 2, stream: true }, "n", "unsupported_parameter"],
    ["too many answers", { ...hello, n: 9 }, "n", "unsupported_parameter"],
    ["too many stops", { ...hello, stop: ["1", "2", "3", "4", "5", "6"] }, "stop", "unsupported_parameter"],
    ["sound out", { ...hello, modalities: ["text", "audio"] }, "modalities", "unsupported_parameter"],
    ["a word nobody knows", { ...hello, min_p: 0.1 }, "min_p", "unsupported_parameter"],
    ["penalties for 2.5", { ...hello, presence_penalty: 1 }, "presence_penalty", "unsupported_parameter"],
    [
      "an effort nobody knows",
      { ...hello, reasoning_effort: "heroic" },
      "reasoning_effort",
      "invalid_request",
    ],
    [
      "an effort of a model that does not think",
      { ...hello, reasoning_effort: "low" },
      "reasoning_effort",
      "unsupported_parameter",
      { model: "gemini-2.0-flash" },
    ],
    [
      "the operator's cached contents",
      { ...hello, google: { cached_content: "cachedContents/1" } },
      "google.cached_content",
      "unsupported_parameter",
    ],
    ["extra words", { ...hello, extra_body: { foo: 1 } }, "extra_body.foo", "unsupported_parameter"],
    [
      "filters that are none",
      { ...hello, google: { safety_settings: [{ category: 1 }] } },
      "google.safety_settings[0]",
      "invalid_request",
    ],
    [
      "JSON and tools for a 2.5",
      {
        ...hello,
        tools: [{ type: "function", function: { name: "f" } }],
        response_format: { type: "json_object" },
      },
      "response_format",
      "unsupported_parameter",
    ],
    [
      "searching and tools for a 2.5",
      { ...hello, tools: [{ type: "function", function: { name: "f" } }], web_search_options: {} },
      "web_search_options",
      "unsupported_parameter",
    ],
    [
      "a custom tool",
      { ...hello, tools: [{ type: "custom", custom: { name: "c" } }] },
      "tools[0].type",
      "unsupported_parameter",
    ],
    [
      "a name that begins with a digit",
      { ...hello, tools: [{ type: "function", function: { name: "3d" } }] },
      "tools[0].function.name",
      "unsupported_parameter",
    ],
    ["a top_k that is none", { ...hello, top_k: 1.5 }, "top_k", "invalid_request"],
    ["a seed that is none", { ...hello, seed: 0.5 }, "seed", "invalid_request"],
  ];
  for (const [name, body, param, code, options] of cases) {
    test(name, () => {
      const error = refusal(body, options);
      assert.equal(error.param, param);
      assert.equal(error.code, code);
      assert.ok(error.message.length > 10);
    });
  }

  test("with permission they are left out and told", () => {
    const body = {
      ...hello,
      n: 3,
      stream: true,
      stop: ["1", "2", "3", "4", "5", "6"],
      min_p: 0.1,
      logprobs: true,
      presence_penalty: 1,
      google: { cached_content: "x" },
      tools: [
        { type: "custom", custom: { name: "c" } },
        { type: "function", function: { name: "f" } },
      ],
      tool_choice: { type: "custom", custom: { name: "c" } },
      response_format: { type: "json_object" },
    };
    const call = callOf(body, { dropsParams: true });
    assert.deepEqual([...(call.dropped ?? [])].sort(), [
      "google.cached_content",
      "logprobs",
      "min_p",
      "n",
      "presence_penalty",
      "response_format",
      "stop",
      "tools[0].type",
    ]);
    assert.deepEqual(JSON.parse(call.body.toString()), {
      contents: [{ role: "user", parts: [{ text: "Hello" }] }],
      tools: [{ functionDeclarations: [{ name: "f" }] }],
      generationConfig: {
        stopSequences: ["1", "2", "3", "4", "5"],
        thinkingConfig: { includeThoughts: true },
      },
    });
  });
});
