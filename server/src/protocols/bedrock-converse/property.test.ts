/**
 * Property test: every chat request either becomes a body that Converse accepts or is refused by field name.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createTestMemory, requestOf, upstreamOf } from "../../gateway/dispatch/testing/fixture-rig.ts";
import { runsOf } from "../../lib/testing/runs.ts";
import { bedrock } from "../../providers/bedrock/bedrock.ts";
import { models } from "../../providers/bedrock/fixtures/build.ts";
import { translatedChat } from "../../providers/testing/translated-chat.ts";
import { Untranslatable } from "../untranslatable.ts";
import { refusalsOf } from "./accepts.ts";

/** Mostly usual values: a request has many parts, and one odd part is enough to refuse it. */
const mostly = <Usual, Odd>(usual: fc.Arbitrary<Usual>, odd: fc.Arbitrary<Odd>): fc.Arbitrary<Usual | Odd> =>
  fc.oneof({ weight: 60, arbitrary: usual }, { weight: 1, arbitrary: odd });

const words = fc.constantFrom("", " \n", "Hello", "🎉 wörld", "x ");
const id = fc.constantFrom("a", "b", "call:1", "ü", "tooluse_1", "x".repeat(90));
const name = mostly(fc.constantFrom("f", "weather", "json", "g"), fc.constantFrom("a.b", "a b"));
const mark = mostly(
  fc.constantFrom(undefined, undefined, { type: "ephemeral" }, { type: "ephemeral", ttl: "1h" }),
  fc.constantFrom({ type: "x" }, { type: "ephemeral", ttl: "9m" }),
);
const text = fc.record(
  { type: fc.constant("text"), text: words, cache_control: mark },
  { requiredKeys: ["type", "text"] },
);
const imageUrl = mostly(
  fc.constantFrom("data:image/png;base64,AAAA", "data:image/JPG;base64,AAAA"),
  fc.constantFrom("https://example.test/a.png", "data:image/tiff;base64,AAAA", ""),
);
const fileUrl = mostly(
  fc.constantFrom("data:application/pdf;base64,AAAA", "data:text/plain,hi", "AAAA"),
  fc.constantFrom("data:audio/wav;base64,AAAA", "https://example.test/a.pdf"),
);
const filename = fc.constantFrom("", "a.pdf", "a.pdf", "b  c_d.txt", "报告.md", `${"n".repeat(300)}.pdf`);
const file = fc.oneof(
  fc.record({ type: fc.constant("image_url"), image_url: fc.record({ url: imageUrl }) }),
  fc.record({ type: fc.constant("file"), file: fc.record({ file_data: fileUrl, filename }) }),
);
const sound = fc.record({ type: fc.constant("input_audio"), input_audio: fc.record({ data: words }) });
const said = fc.oneof(words, fc.array(text, { maxLength: 3 }), fc.constant(null));
const content = fc.oneof(said, fc.array(mostly(fc.oneof(text, file), sound), { maxLength: 3 }));
const thought = fc.constantFrom(
  { type: "reasoning.text", text: "Hm.", signature: "c2ln" },
  { type: "reasoning.text", text: "Hm.", signature: "c2ln", calls_before: 1 },
  { type: "reasoning.text", text: "unsigned" },
  { type: "reasoning.encrypted", data: "b3Bh" },
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
const loop = fc
  .tuple(fc.array(call, { maxLength: 3 }), fc.array(thought, { maxLength: 2 }), said, content)
  .map(([calls, thoughts, spoken, result]) => [
    { role: "assistant", content: spoken, tool_calls: calls, reasoning_details: thoughts },
    ...calls.map((made) => ({ role: "tool", tool_call_id: made.id, content: result })),
  ]);
const message = fc.oneof(
  fc.record({ role: fc.constant("user"), content, cache_control: mark }),
  fc.record({ role: fc.constantFrom("system", "developer"), content: said, cache_control: mark }),
  fc.record({ role: fc.constant("assistant"), content: mostly(said, content) }),
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
const tool = fc.oneof(
  fc.record({
    type: fc.constant("function"),
    function: fc.record(
      {
        name,
        strict: fc.boolean(),
        parameters: mostly(fc.constantFrom(...schemas), fc.constant({ type: "null" })),
      },
      { requiredKeys: ["name"] },
    ),
    cache_control: mark,
  }),
  fc.record({ type: fc.constant("custom"), custom: fc.record({ name: fc.constant("custom") }) }),
);
const toolName = (made: object): unknown => JSON.stringify(Object.values(made)[1]).slice(0, 12);

const settings = fc.record(
  {
    tools: fc.uniqueArray(tool, { maxLength: 3, selector: toolName }),
    tool_choice: fc.constantFrom<unknown>("auto", "none", null, "auto", "required"),
    parallel_tool_calls: mostly(fc.constant(true), fc.constant(false)),
    response_format: fc.oneof(
      fc.constant({ type: "json_object" }),
      fc
        .constantFrom(...schemas)
        .map((schema) => ({ type: "json_schema", json_schema: { name: "x", schema } })),
    ),
    reasoning_effort: mostly(fc.constantFrom("low", "high", "max"), fc.constantFrom("none", "huge")),
    max_tokens: fc.constantFrom(1, 1_024, 1_025, 5_000, 10_000_000),
    temperature: mostly(fc.constantFrom(0, 0.3, 1, 2), fc.constant(3)),
    top_p: fc.constantFrom(0.1, 1),
    top_k: fc.constantFrom(0, 40),
    stop: mostly(fc.constantFrom<unknown>("END", ["x", "y"], []), fc.constant(["\n", "x"])),
    n: mostly(fc.constant(1), fc.constant(2)),
    cache_control: mark,
    unheard_of: mostly(fc.constant(null), fc.constant(1)),
  },
  { requiredKeys: [] },
);

const runs = runsOf(2_000);

test("any request is taken by Converse's rules, or refused by name", () => {
  const upstream = upstreamOf(bedrock);
  let taken = 0;
  let refused = 0;
  fc.assert(
    fc.property(
      messages,
      settings,
      fc.constantFrom(...Object.values(models)),
      fc.boolean(),
      fc.boolean(),
      (list, more, called, dropsParams, isPaid) => {
        const request = requestOf(
          { model: "m", messages: list, ...more },
          { dropsParams, memory: createTestMemory(), ...(isPaid ? { outputTokensMax: 3_000 } : {}) },
        );
        try {
          const call = translatedChat(bedrock).encode(request, upstream, "k", called);
          const sent = JSON.parse(call.body.toString()) as Record<string, unknown>;
          assert.deepEqual(refusalsOf(sent), [], JSON.stringify(sent).slice(0, 2_000));
          const config = sent["inferenceConfig"] as { maxTokens?: number } | undefined;
          if (isPaid) assert.ok((config?.maxTokens ?? Number.POSITIVE_INFINITY) <= 3_000);
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
  assert.ok(taken > runs / 5 && refused > runs / 5, `${taken} taken, ${refused} refused`);
});
