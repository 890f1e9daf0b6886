/**
 * For tests: random messages of chat requests (for `translate-requests.ts`), and the values of their parts.
 */
import fc from "fast-check";

/** Mostly usual values: a request has many parts, and one odd part is enough to refuse it. */
export const mostly = <Usual, Odd>(
  usual: fc.Arbitrary<Usual>,
  odd: fc.Arbitrary<Odd>,
): fc.Arbitrary<Usual | Odd> => fc.oneof({ weight: 40, arbitrary: usual }, { weight: 1, arbitrary: odd });

/** Values that are valid nowhere. */
export const odd = fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e308, "", "x", [], {}, [null], {
  a: [{}],
});

export const words = fc.constantFrom(
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
export const name = mostly(
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
export const mark = fc.constantFrom({ type: "ephemeral" }, { type: "ephemeral", ttl: "1h" });

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

/** Arguments as models write them: complete, empty, broken, deeply nested, or not an object. */
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

/** An assistant's calls and their results: all, some, in another order, or with text between them. */
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
export const messages = fc.array(turn, { maxLength: 5 }).map((turns) => turns.flat() as readonly unknown[]);
