/** For tests: random chat requests, valid and invalid. Knows nothing of how they are encoded. */
import fc from "fast-check";
import { mark, messages, mostly, name, odd, words } from "./translate-messages.ts";

export type Body = Readonly<Record<string, unknown>>;

/** Nested objects, up to the depth the gateway accepts. */
export function nestedSchema(depth: number): Body {
  let schema: Body = { type: "string" };
  for (let level = 1; level < depth; level += 1)
    schema =
      level % 2 === 0
        ? { type: "array", items: schema }
        : { type: "object", properties: { a: schema }, required: ["a"], additionalProperties: false };
  return schema;
}
const plainSchema: fc.Arbitrary<Body> = fc.constantFrom<Body>(
  { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  { type: "object", properties: {} },
  {},
);
const schema = mostly(
  plainSchema,
  fc.oneof(
    fc.integer({ min: 2, max: 50 }).map(nestedSchema),
    fc.constantFrom<Body>(
      { $defs: { t: { type: "object", properties: { t: { $ref: "#/$defs/t" } } } }, $ref: "#/$defs/t" },
      { type: ["object", "null"], properties: { n: { type: "number", minimum: 0, multipleOf: 0.1 } } },
      { anyOf: [{ type: "object" }, { type: "string" }], oneOf: [], allOf: [{}] },
      { type: "object", properties: JSON.parse('{"__proto__":{"type":"string"},"":{"const":1}}') as unknown },
      { type: "object", properties: 7, required: "x", enum: [null, 1, "a", {}], $ref: "#/nowhere" },
      { type: "object", patternProperties: { "^x": true }, additionalProperties: { $ref: "#" } },
    ),
  ),
);
const tool = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.record({
      type: fc.constant("function"),
      function: fc.record(
        { name, description: words, parameters: schema, strict: fc.boolean() },
        { requiredKeys: ["name"] },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("custom"),
      custom: fc.record(
        {
          name,
          format: fc.constantFrom(
            { type: "text" },
            { type: "grammar", grammar: { syntax: "lark", definition: "start: x" } },
          ),
        },
        { requiredKeys: ["name"] },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.oneof(odd, fc.constantFrom({ type: "web_search" })) },
);
const toolChoice = fc.oneof(
  fc.constantFrom<unknown>("auto", "none", null),
  fc.oneof(
    fc.constantFrom<unknown>("required", "any", 7),
    name.map((called) => ({ type: "function", function: { name: called } })),
    name.map((called) => ({ type: "custom", custom: { name: called } })),
    fc.record({
      type: fc.constant("allowed_tools"),
      allowed_tools: fc.record({
        mode: fc.constantFrom("auto", "required"),
        tools: fc.array(
          name.map((called) => ({ type: "function", function: { name: called } })),
          { maxLength: 2 },
        ),
      }),
    }),
  ),
);
const responseFormat = fc.oneof(
  fc.constantFrom<unknown>({ type: "text" }, { type: "json_object" }, null),
  fc.oneof(
    schema.map((shape) => ({ type: "json_schema", json_schema: { name: "s", schema: shape, strict: true } })),
    fc.constantFrom<unknown>({ type: "json_schema" }, { type: "grammar" }, "json"),
  ),
);
const number = (...usual: number[]): fc.Arbitrary<unknown> =>
  mostly(
    fc.constantFrom<number | null>(...usual, null),
    fc.oneof(fc.constantFrom<unknown>(-1, 2.1, 1e9, 0.5, "1"), odd),
  );

/** Top-level fields other than messages; each is rare. */
const settings: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  stream: fc.boolean(),
  stream_options: mostly(fc.constantFrom<unknown>({ include_usage: true }, {}, null), odd),
  tools: mostly(fc.uniqueArray(tool, { maxLength: 3, selector: (one) => JSON.stringify(one) }), odd),
  tool_choice: toolChoice,
  parallel_tool_calls: mostly(fc.boolean(), odd),
  functions: fc.array(fc.record({ name, parameters: schema }), { maxLength: 2 }),
  function_call: fc.oneof(
    fc.constantFrom<unknown>("auto", "none"),
    name.map((called) => ({ name: called })),
  ),
  response_format: responseFormat,
  temperature: number(0, 0.7, 1, 2),
  top_p: number(0, 0.5, 1),
  top_k: number(0, 40),
  min_p: number(0, 0.1),
  frequency_penalty: number(0, -2, 2),
  presence_penalty: number(0, 1),
  repetition_penalty: number(1),
  seed: number(0, 42, 9_007_199_254_740_991),
  n: number(1, 1, 1, 2),
  max_tokens: number(1, 1_000, 1_000_000),
  max_completion_tokens: number(1, 1_000, 1_000_000),
  stop: mostly(
    fc.constantFrom<unknown>("END", ["a", "b"], null, []),
    fc.oneof(fc.constant([""]), fc.constant(["\n"]), fc.array(words, { maxLength: 20 }), odd),
  ),
  reasoning_effort: mostly(
    fc.constantFrom<unknown>("none", "minimal", "low", "medium", "high", "xhigh", null),
    fc.constantFrom<unknown>("extreme", 3),
  ),
  reasoning: fc.constantFrom<unknown>({ effort: "low" }, { max_tokens: 1_000 }, {}, null),
  thinking: fc.constantFrom<unknown>(
    { type: "enabled", budget_tokens: 2_000 },
    { type: "disabled" },
    { type: "x" },
  ),
  verbosity: fc.constantFrom("low", "high"),
  logprobs: mostly(fc.constant(false), fc.constant(true)),
  top_logprobs: number(0, 3),
  logit_bias: mostly(fc.constantFrom<unknown>({}, null), fc.constantFrom<unknown>({ 50256: -100 })),
  modalities: mostly(fc.constant(["text"]), fc.constantFrom<unknown>(["text", "audio"], "text")),
  audio: fc.constantFrom<unknown>({ voice: "alloy", format: "wav" }),
  prediction: fc.constantFrom<unknown>({ type: "content", content: "x" }),
  web_search_options: fc.constantFrom<unknown>({}, { search_context_size: "low" }),
  service_tier: fc.constantFrom("auto", "default", "flex"),
  store: fc.boolean(),
  metadata: fc.constantFrom<unknown>({ a: "b" }, null),
  user: mostly(fc.constantFrom("u-1", "someone@example.test"), odd),
  safety_identifier: words,
  prompt_cache_key: words,
  cache_control: mark,
  extra_body: fc.constantFrom<unknown>({ google: { thinking_config: { thinking_budget: 0 } } }, { x: 1 }),
  google: fc.constantFrom<unknown>({ safety_settings: [] }, 7),
  safety_settings: fc.constantFrom<unknown>([{ category: "X", threshold: "Y" }]),
};

/** A field with any name, including `__proto__`, which JSON.parse turns into an own property. */
const unknownField = fc
  .tuple(fc.constantFrom("x_vendor", "", "__proto__", "constructor", "toString", "名", "a.b[0]"), odd)
  .map(([key, value]) => JSON.parse(`{${JSON.stringify(key)}:${JSON.stringify(value)}}`) as Body);

/** Any chat request. The caller of this generator sets the model. */
export const anyRequest: fc.Arbitrary<Body> = fc
  .record({
    messages: mostly(messages, odd),
    more: fc
      .uniqueArray(fc.constantFrom(...Object.keys(settings)), { maxLength: 5 })
      .chain((names) =>
        fc.record(Object.fromEntries(names.map((key) => [key, settings[key] ?? fc.constant(null)]))),
      ),
    unknown: mostly(fc.constant({}), unknownField),
  })
  .map(({ messages: said, more, unknown: strange }) => {
    const body = { messages: said, ...more } as Record<string, unknown>;
    for (const [key, value] of Object.entries(strange))
      Object.defineProperty(body, key, { value, enumerable: true, configurable: true, writable: true });
    return body;
  });

/** What every protocol can express: text, tools and their results, and an output limit. */
export const plainRequest: fc.Arbitrary<Body> = fc
  .record({
    system: fc.constantFrom(undefined, "Be brief."),
    question: fc.constantFrom("Hello", "🎉 wörld"),
    hasTools: fc.boolean(),
    calls: fc.uniqueArray(fc.constantFrom("call_1", "call_2", "toolu_3"), { maxLength: 3 }),
    parameters: plainSchema,
    isStream: fc.boolean(),
    most: fc.constantFrom(undefined, 100),
  })
  .map(({ system, question, hasTools, calls, parameters, isStream, most }) => {
    const made = calls.map((one, index) => ({
      id: one,
      type: "function",
      function: { name: "f", arguments: `{"city":"${index}"}` },
    }));
    const loop = [
      { role: "assistant", content: null, tool_calls: made },
      ...calls.map((one) => ({ role: "tool", tool_call_id: one, content: "fine" })),
    ];
    return {
      messages: [
        ...(system === undefined ? [] : [{ role: "system", content: system }]),
        { role: "user", content: question },
        ...(hasTools && calls.length > 0 ? loop : []),
      ],
      ...(hasTools
        ? { tools: [{ type: "function", function: { name: "f", description: "d", parameters } }] }
        : {}),
      ...(isStream ? { stream: true } : {}),
      ...(most === undefined ? {} : { max_completion_tokens: most }),
    };
  });
