/**
 * For tests: chat requests at random, as callers write them and as nobody should. What they become upstream is no business of
 * this file's.
 */
import fc from "fast-check";

export type Body = Readonly<Record<string, unknown>>;

/** Mostly what is usual: a request has many parts, and one odd one is enough to have it refused. */
const mostly = <Usual, Odd>(usual: fc.Arbitrary<Usual>, odd: fc.Arbitrary<Odd>): fc.Arbitrary<Usual | Odd> =>
  fc.oneof({ weight: 40, arbitrary: usual }, { weight: 1, arbitrary: odd });

/** Values that fit nowhere. */
const odd = fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e308, "", "x", [], {}, [null], { a: [{}] });

const words = fc.constantFrom(
  "Hello",
  "",
  " \n",
  "🎉 wörld 👩‍👩‍👧‍👦",
  "e\u0301\u2028\u2029\ufeff\u0000",
  "lone \ud800 and \udfff",
  "data: [DONE]\n\n",
  '","model":"other","x":"',
  "__proto__",
);
const id = mostly(
  fc.constantFrom("call_1", "call_2", "toolu_01A", "c:1/ü|fc_🎉", "x".repeat(200), "a b"),
  fc.constantFrom("", "__proto__", "\n"),
);
const name = mostly(
  fc.constantFrom("f", "get_weather", "json", "a-b"),
  fc.constantFrom("", "a.b", "a b", "ü", "constructor", "x".repeat(100)),
);

const imageUrl = mostly(
  fc.constantFrom(
    "https://example.test/a.png",
    "data:image/png;base64,iVBORw0KGgo=",
    "data:image/JPG;base64,/9j/",
  ),
  fc.constantFrom(
    "data:image/tiff;base64,AAAA",
    "data:,hi",
    "data:image/png;base64,%%%",
    "ftp://x",
    "",
    "http://[",
    "file:///etc/passwd",
  ),
);
const fileData = mostly(
  fc.constantFrom(
    "data:application/pdf;base64,JVBERi0=",
    "data:text/plain;base64,aGk=",
    "JVBERi0=",
    "https://example.test/a.pdf",
  ),
  fc.constantFrom("data:audio/wav;base64,AAAA", "data:,%20%", "", "%%"),
);
const mark = fc.constantFrom({ type: "ephemeral" }, { type: "ephemeral", ttl: "1h" });

const textPart = fc.record(
  {
    type: mostly(fc.constant("text"), fc.constantFrom("input_text", "thinking", "", 7)),
    text: mostly(words, odd),
    cache_control: mark,
  },
  { requiredKeys: ["type", "text"] },
);
const imagePart = fc.record({
  type: fc.constant("image_url"),
  image_url: mostly(
    fc.record({ url: imageUrl, detail: fc.constantFrom("auto", "low", "huge") }, { requiredKeys: ["url"] }),
    fc.oneof(imageUrl, odd),
  ),
});
const filePart = fc.record({
  type: fc.constant("file"),
  file: mostly(
    fc.record({ file_data: fileData, filename: words }, { requiredKeys: ["file_data"] }),
    fc.oneof(fc.record({ file_id: id }), fc.record({ file_url: fileData }), odd),
  ),
});
const audioPart = fc.record({
  type: fc.constant("input_audio"),
  input_audio: mostly(
    fc.record({ data: fc.constantFrom("AAAA", ""), format: fc.constantFrom("wav", "mp3", "x") }),
    odd,
  ),
});
const refusalPart = fc.record({ type: fc.constant("refusal"), refusal: words });

const parts = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: textPart },
    { weight: 2, arbitrary: imagePart },
    { weight: 1, arbitrary: filePart },
  ),
  { maxLength: 3 },
);
const userContent = fc.oneof(
  { weight: 20, arbitrary: words },
  { weight: 20, arbitrary: parts },
  { weight: 1, arbitrary: fc.tuple(audioPart).map((list) => list) },
  { weight: 1, arbitrary: odd },
);
const plainContent = mostly(
  fc.oneof(words, fc.array(textPart, { maxLength: 2 }), fc.constant(null)),
  fc.oneof(fc.array(refusalPart, { maxLength: 1 }), parts, odd),
);

/** JSON as models write arguments: whole, empty, broken, deep, of another kind. */
const argumentsText = mostly(
  fc.constantFrom("{}", "", '{"city":"Århus","n":12345678901234567890}', '{"a":[1,{"b":null}]}'),
  fc.constantFrom(
    "[",
    "7",
    '"x"',
    "null",
    '{"a":',
    "[".repeat(20_000),
    '{"a":'.repeat(5_000),
    '{"__proto__":{"x":1}}',
  ),
);
const call = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.record({
      id,
      type: fc.constant("function"),
      function: fc.record({ name, arguments: argumentsText }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ id, type: fc.constant("custom"), custom: fc.record({ name, input: words }) }),
  },
  { weight: 1, arbitrary: fc.record({ id, type: fc.constant("function"), function: odd }) },
);
const thought = fc.oneof(
  fc.constantFrom<unknown>(
    { type: "reasoning.text", text: "Hm.", signature: "c2ln", format: "anthropic-claude-v1" },
    { type: "reasoning.text", text: "unsigned" },
    { type: "reasoning.encrypted", data: "b3Bh", format: "google-gemini-v1", id: "call_1" },
  ),
  odd,
);

/** An assistant's calls and their results: all, some, in another order, with words between them. */
const toolTurns = fc
  .record({
    calls: fc.array(call, { minLength: 1, maxLength: 3 }),
    said: plainContent,
    result: fc.oneof(plainContent, parts),
    thoughts: fc.array(thought, { maxLength: 2 }),
    luck: fc.nat(30),
  })
  .map(({ calls, said, result, thoughts, luck }) => {
    const results = calls.map((made) => ({
      role: "tool",
      tool_call_id: (made as { id: unknown }).id,
      content: result,
    }));
    const kept = luck === 0 ? results.slice(1) : luck === 1 ? results.toReversed() : results;
    return [
      {
        role: "assistant",
        content: said,
        tool_calls: calls,
        ...(luck % 2 === 0 ? { reasoning_details: thoughts } : {}),
      },
      ...(luck === 2 ? [{ role: "user", content: "And?" }] : []),
      ...kept,
    ];
  });
const legacyTurns = fc
  .record({ name, arguments: argumentsText, result: words, luck: fc.nat(9) })
  .map((made) => [
    { role: "assistant", content: null, function_call: { name: made.name, arguments: made.arguments } },
    ...(made.luck === 0 ? [] : [{ role: "function", name: made.name, content: made.result }]),
  ]);
const turn = fc.oneof(
  { weight: 10, arbitrary: fc.record({ role: fc.constant("user"), content: userContent }) },
  {
    weight: 3,
    arbitrary: fc.record({ role: fc.constantFrom("system", "developer"), content: plainContent }),
  },
  {
    weight: 5,
    arbitrary: fc.record(
      {
        role: fc.constant("assistant"),
        content: plainContent,
        refusal: words,
        reasoning_content: words,
        reasoning_details: fc.array(thought, { maxLength: 2 }),
        name: words,
      },
      { requiredKeys: ["role", "content"] },
    ),
  },
  { weight: 6, arbitrary: toolTurns },
  { weight: 1, arbitrary: legacyTurns },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.record({ role: fc.constant("tool"), tool_call_id: id, content: words }),
      fc.record({ role: fc.constantFrom<unknown>("nobody", 7, null), content: words }),
      odd,
    ),
  },
);
const messages = fc.array(turn, { maxLength: 5 }).map((turns) => turns.flat() as readonly unknown[]);

/** Objects in objects, as deep as the gateway lets a body be. */
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
const toolChoice = mostly(
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
const responseFormat = mostly(
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

/** Top-level fields beyond messages, each seldom there. */
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

/** A field by any name, `__proto__` among them; JSON.parse makes it a field of its own. */
const unknownField = fc
  .tuple(fc.constantFrom("x_vendor", "", "__proto__", "constructor", "toString", "名", "a.b[0]"), odd)
  .map(([key, value]) => JSON.parse(`{${JSON.stringify(key)}:${JSON.stringify(value)}}`) as Body);

/** Any chat request. It says no model: that is the one who sends it to say. */
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

/** What every protocol can say: words, tools and their results, and how long the answer may be. */
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
