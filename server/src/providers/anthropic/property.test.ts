/**
 * Property test: every chat request either becomes a body that Anthropic's API accepts or is refused by field
 * name.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createTestMemory, requestOf } from "../../gateway/dispatch/testing/fixture-rig.ts";
import { runsOf } from "../../lib/testing/runs.ts";
import { refusalsOf } from "../../protocols/anthropic-messages/accepts.ts";
import { encodeRequest } from "../../protocols/anthropic-messages/encode-request.ts";
import { decodeRequest } from "../../protocols/openai-chat/decode-request.ts";
import type { ProviderRequest } from "../../protocols/protocol.ts";
import { Untranslatable } from "../../protocols/untranslatable.ts";
import { models } from "./fixtures/build.ts";

/** Encodes a caller's body for Claude. */
const encodeMessages = (request: ProviderRequest, model: string) =>
  encodeRequest(decodeRequest(request.body), request, model);

/** Mostly usual values: a request has many parts, and one odd part is enough to refuse it. */
const mostly = <Usual, Odd>(usual: fc.Arbitrary<Usual>, odd: fc.Arbitrary<Odd>): fc.Arbitrary<Usual | Odd> =>
  fc.oneof({ weight: 60, arbitrary: usual }, { weight: 1, arbitrary: odd });

const words = fc.constantFrom("", " \n", "Hello", "🎉 wörld", "x ");
const id = mostly(fc.constantFrom("a", "b", "call:1", "ü", "toolu_1"), fc.constant(""));
const name = mostly(fc.constantFrom("f", "get_weather", "json", "g"), fc.constantFrom("a.b", "", "a b"));
const mark = mostly(
  fc.constantFrom(undefined, undefined, { type: "ephemeral" }, { type: "ephemeral", ttl: "1h" }),
  fc.constantFrom({ type: "x" }, { type: "ephemeral", ttl: "9m" }),
);
const text = fc.record(
  { type: fc.constant("text"), text: words, cache_control: mark },
  { requiredKeys: ["type", "text"] },
);
const imageUrl = mostly(
  fc.constantFrom("https://example.test/a.png", "data:image/png;base64,AAAA", "data:image/JPG;base64,AAAA"),
  fc.constantFrom("data:image/tiff;base64,AAAA", "data:,hello", "ftp://x", ""),
);
const fileUrl = mostly(
  fc.constantFrom("https://example.test/a.pdf", "data:application/pdf;base64,AAAA", "data:,hi", "AAAA"),
  fc.constantFrom("data:audio/wav;base64,AAAA", "data:,%20", "data:text/plain;base64,"),
);
const file = fc.oneof(
  fc.record({ type: fc.constant("image_url"), image_url: fc.record({ url: imageUrl }) }),
  fc.record({ type: fc.constant("file"), file: fc.record({ file_data: fileUrl, filename: words }) }),
);
const sound = fc.record({ type: fc.constant("input_audio"), input_audio: fc.record({ data: words }) });
const said = mostly(
  fc.oneof(words, fc.array(text, { maxLength: 3 }), fc.constant(null)),
  fc.array(file, { minLength: 1, maxLength: 1 }),
);
const content = fc.oneof(said, fc.array(mostly(fc.oneof(text, file), sound), { maxLength: 3 }));
const thought = fc.constantFrom(
  { type: "reasoning.text", text: "Hm.", signature: "c2ln", format: "anthropic-claude-v1" },
  { type: "reasoning.text", text: "Hm.", signature: "c2ln", calls_before: 1 },
  { type: "reasoning.text", text: "unsigned" },
  { type: "reasoning.encrypted", data: "b3Bh", format: "google-gemini-v1" },
  { type: "redacted_thinking", data: "b3Bh" },
  null,
);
const call = fc.record({
  id,
  type: fc.constant("function"),
  function: fc.record({
    name,
    arguments: fc.constantFrom("", "{}", '{"a":[1]}', "[", "7", "[".repeat(100_000)),
  }),
});

/** An assistant's calls with their results; sometimes a result is missing or user text comes between them. */
const loop = fc
  .tuple(fc.array(call, { maxLength: 3 }), fc.array(thought, { maxLength: 2 }), said, content, fc.nat(40))
  .map(([calls, thoughts, words, result, luck]) => [
    { role: "assistant", content: words, tool_calls: calls, reasoning_details: thoughts },
    ...(luck > 30 ? [{ role: "user", content: words }] : []),
    ...calls
      .slice(luck === 0 ? 1 : 0)
      .map((made) => ({ role: "tool", tool_call_id: made.id, content: result })),
  ]);

const message = fc.oneof(
  fc.record({ role: fc.constant("user"), content, cache_control: mark }),
  fc.record({ role: fc.constantFrom("system", "developer"), content: said, cache_control: mark }),
  fc.record({
    role: fc.constant("assistant"),
    content: said,
    reasoning_details: fc.array(thought, { maxLength: 3 }),
  }),
  loop,
);
const stray = fc.record({ role: fc.constantFrom("tool", "function"), tool_call_id: id, content });
const messages = fc.array(mostly(message, stray), { minLength: 1, maxLength: 6 }).map((list) => list.flat());

const schemas = [
  {},
  { type: "object", properties: { a: { type: "string" } } },
  { type: "object", properties: { a: { type: "integer", minimum: 1 } }, required: ["a"] },
  { type: "object", additionalProperties: { type: "string" } },
];
const tool = fc.record({
  type: fc.constant("function"),
  function: fc.record(
    {
      name,
      strict: fc.boolean(),
      parameters: mostly(fc.constantFrom<unknown>(null, ...schemas), fc.constant({ type: "string" })),
    },
    { requiredKeys: ["name"] },
  ),
  cache_control: mark,
});

const settings = fc.record(
  {
    tools: fc.uniqueArray(tool, { maxLength: 3, selector: (made) => made.function.name }),
    tool_choice: mostly(
      fc.constantFrom<unknown>("auto", "none", null, "required"),
      fc.constant({ type: "function", function: { name: "f" } }),
    ),
    parallel_tool_calls: fc.boolean(),
    response_format: fc.oneof(
      fc.constant({ type: "json_object" }),
      fc
        .constantFrom(...schemas)
        .map((schema) => ({ type: "json_schema", json_schema: { name: "x", schema } })),
    ),
    reasoning_effort: mostly(
      fc.constantFrom("none", "minimal", "low", "medium", "high", "xhigh", "max"),
      fc.constant("huge"),
    ),
    thinking: fc.constantFrom<unknown>({ type: "enabled", budget_tokens: 9_999 }, { type: "disabled" }, null),
    max_tokens: fc.constantFrom(1, 1_024, 1_025, 5_000, 10_000_000),
    temperature: mostly(fc.constantFrom(0, 0.3, 1, 2), fc.constant(3)),
    top_p: fc.constantFrom(0.1, 1),
    top_k: mostly(fc.constantFrom(0, 40), fc.constant(1.5)),
    stop: mostly(fc.constantFrom<unknown>("END", ["x", "y"], []), fc.constant(["\n", "x"])),
    n: mostly(fc.constant(1), fc.constant(2)),
    cache_control: mark,
    unheard_of: mostly(fc.constant(null), fc.constant(1)),
  },
  { requiredKeys: [] },
);

const model = fc.constantFrom(
  ...Object.values(models),
  "claude-opus-4-8",
  "claude-fable-5",
  "claude-sonnet-5-5",
  "some-other-model",
);

const runs = runsOf(4_000);

test("any request is taken by the API's rules, or refused by name", () => {
  let taken = 0;
  let refused = 0;
  fc.assert(
    fc.property(
      messages,
      settings,
      model,
      fc.boolean(),
      fc.boolean(),
      (list, more, called, dropsParams, isPaid) => {
        const request = requestOf(
          { model: called, messages: list, ...more },
          { dropsParams, memory: createTestMemory(), ...(isPaid ? { outputTokensMax: 3_000 } : {}) },
        );
        try {
          const { body } = encodeMessages(request, called);
          const sent = JSON.parse(JSON.stringify(body)) as Record<string, unknown>;
          assert.deepEqual(refusalsOf(sent), [], JSON.stringify(sent).slice(0, 2_000));
          if (isPaid) assert(Number(sent["max_tokens"]) <= 3_000);
          taken += 1;
        } catch (error) {
          if (!(error instanceof Untranslatable)) throw error;
          assert.notEqual(error.param, "");
          assert.notEqual(error.message, "");
          refused += 1;
        }
      },
    ),
    { numRuns: runs },
  );
  // Both outcomes must be frequent, or the test proves little.
  assert(taken > runs / 10 && refused > runs / 10, `${taken} taken, ${refused} refused`);
});
