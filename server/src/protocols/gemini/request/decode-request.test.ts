/** What is decoded from callers' Gemini requests; each row is one of Google's fields. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Conversation } from "../../../conversation/conversation.ts";
import { geminiPayloads } from "../../payloads/marks.ts";
import { plainSeal } from "../../payloads/seal.ts";
import { Untranslatable } from "../../untranslatable.ts";
import { decodeRequest } from "../decode-request.ts";
import { decodeEmbeds } from "./decode-embeds.ts";
import { schemaOf } from "./decode-schema.ts";

const contents = [{ role: "user", parts: [{ text: "Q" }] }];
const read = (body: object): Conversation =>
  decodeRequest(Buffer.from(JSON.stringify({ contents, ...body })));
const config = (generationConfig: object): Conversation => read({ generationConfig });

/** Blocks without their paths. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, one: unknown) =>
      /^path$|Path$/.test(key) || one === null ? undefined : one,
    ),
  ) as unknown;
const turnsOf = (body: object): unknown => plain(read(body).turns);
const text = (said: string) => ({ kind: "text", text: said });

const refused = (body: object, param: string): void => {
  assert.throws(
    () => read(body),
    (error) => error instanceof Untranslatable && error.param === param,
    `${param}: ${JSON.stringify(body)}`,
  );
};

describe("contents", () => {
  test("a loop of tools, without ids, in both spellings", () => {
    const loop = [
      { parts: [{ text: "look" }, { inline_data: { mime_type: "image/png", data: "AAAA" } }] },
      {
        role: "model",
        parts: [
          { text: "Hm", thought: true },
          { functionCall: { name: "f", args: { n: 1 } } },
          { functionCall: { name: "g" } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { name: "g", response: { error: "no" } } },
          { functionResponse: { name: "f", response: { output: "42" } } },
          { text: "and?" },
        ],
      },
    ];
    const call = (id: string, name: string, args: string) => ({
      kind: "tool call",
      id,
      name,
      arguments: args,
      isCustom: false,
    });
    const turns = turnsOf({ contents: loop, system_instruction: "S" });
    assert.deepEqual(turns, [
      { role: "system", blocks: [text("S")], isDeveloper: false },
      {
        role: "user",
        blocks: [
          text("look"),
          { kind: "image", source: { kind: "inline", mediaType: "image/png", base64: "AAAA" } },
        ],
      },
      {
        role: "assistant",
        blocks: [
          { kind: "reasoning", text: "Hm" },
          call("call_1_1", "f", '{"n":1}'),
          call("call_1_2", "g", "{}"),
        ],
      },
      {
        role: "tool",
        blocks: [
          { kind: "tool result", callId: "call_1_2", name: "g", content: [text("no")], isError: true },
          { kind: "tool result", callId: "call_1_1", name: "f", content: [text("42")] },
        ],
      },
      { role: "user", blocks: [text("and?")] },
    ]);
    const longer = turnsOf({
      contents: [...loop, { role: "model", parts: [{ text: "A" }] }],
      system_instruction: "S",
    });
    assert.deepEqual((longer as unknown[]).slice(0, 5), turns, "a longer conversation begins the same");
  });

  test("a history of a stream's objects is one turn, and what follows a call there does not lose it", () => {
    const said = (part: object) => ({ role: "model", parts: [part] });
    const turns = turnsOf({
      contents: [
        { role: "user", parts: [{ text: "Q" }] },
        said({ text: "H", thought: true }),
        said({ text: "m", thought: true }),
        said({ text: "Let me" }),
        said({ text: " see" }),
        said({ functionCall: { name: "f", args: {} }, thoughtSignature: "c2ln" }),
        said({ text: "" }),
        { role: "model", parts: [] },
        { role: "user", parts: [{ functionResponse: { name: "f", response: { output: "1" } } }] },
        said({ text: "A" }),
      ],
    });
    const call = {
      kind: "tool call",
      id: "call_5_0",
      name: "f",
      arguments: "{}",
      isCustom: false,
      signature: "c2ln",
    };
    assert.deepEqual(turns, [
      { role: "user", blocks: [text("Q")] },
      { role: "assistant", blocks: [{ kind: "reasoning", text: "Hm" }, text("Let me see"), call] },
      {
        role: "tool",
        blocks: [{ kind: "tool result", callId: "call_5_0", name: "f", content: [text("1")] }],
      },
      { role: "assistant", blocks: [text("A")] },
    ]);
  });

  test("ids, signatures, files, sounds, code; arguments keep their numbers", () => {
    const body = `{"contents":[{"role":"model","parts":[{"functionCall":{"id":"a","name":"f","args":{"n":12345678901234567890}},"thoughtSignature":"c2ln"},{"executableCode":{"language":"PYTHON","code":"1"}},{"text":"hi","thoughtSignature":"dHh0"}]},{"role":"user","parts":[{"functionResponse":{"id":"a","name":"f","response":{"x":1},"parts":[{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]}},{"fileData":{"fileUri":"https://x.test/a.pdf","mimeType":"application/pdf"}},{"fileData":{"fileUri":"https://generativelanguage.googleapis.com/v1beta/files/1"}},{"inlineData":{"mimeType":"audio/wav","data":"AAAA"}}]}]}`;
    const conversation = decodeRequest(Buffer.from(body));
    assert.deepEqual(plain(conversation.turns.map(({ blocks }) => blocks)), [
      [
        {
          kind: "tool call",
          id: "a",
          name: "f",
          arguments: '{"n":12345678901234567890}',
          isCustom: false,
          signature: "c2ln",
        },
        text("\n```python\n1\n```\nhi"),
        { kind: "reasoning", data: "dHh0", format: "google-gemini-v1", id: "text" },
      ],
      [
        {
          kind: "tool result",
          callId: "a",
          name: "f",
          content: [
            text('{"x":1}'),
            { kind: "image", source: { kind: "inline", mediaType: "image/png", base64: "AAAA" } },
          ],
        },
      ],
      [
        { kind: "file", source: { kind: "url", url: "https://x.test/a.pdf" } },
        { kind: "stored file", fileId: "https://generativelanguage.googleapis.com/v1beta/files/1" },
        { kind: "audio", base64: "AAAA", format: "wav" },
      ],
    ]);
  });

  test("a part of unknown kind is left out, and told by its path", () => {
    const parts = [{ of_next_month: 1 }, { text: "Hi." }];
    const { turns, parameters } = read({ contents: [{ parts }, { role: "model", parts }] });
    for (const { blocks } of turns)
      assert.deepEqual(
        blocks.map((block) => block.kind === "text" && block.text),
        ["Hi."],
      );
    const told = parameters.filter(({ setting }) => setting === "manner").map(({ name }) => name);
    assert.deepEqual(told, ["contents[0].parts[0]", "contents[1].parts[0]"]);
  });

  test("what no protocol could take is refused by the field's name", () => {
    refused({ contents: [] }, "contents");
    refused({ contents: [7] }, "contents[0]");
    refused({ contents: [{ role: "assistant", parts: [] }] }, "contents[0].role");
    refused({ contents: [{ parts: {} }] }, "contents[0].parts");
    refused({ contents: [{ parts: [{}] }] }, "contents[0].parts[0]");
    refused({ contents: [{ parts: [{ text: 7, of_next_month: 1 }] }] }, "contents[0].parts[0]");
    refused({ contents: [{ parts: [{ inlineData: { data: "AAAA" } }] }] }, "contents[0].parts[0].inlineData");
    refused(
      { contents: [{ parts: [{ functionResponse: { name: "f" } }] }] },
      "contents[0].parts[0].functionResponse",
    );
    refused(
      { contents: [{ role: "model", parts: [{ functionCall: {} }] }] },
      "contents[0].parts[0].functionCall.name",
    );
    refused({ systemInstruction: { parts: [{ inlineData: {} }] } }, "systemInstruction.parts[0]");
    refused({ tools: 7 }, "tools");
    refused({ tools: [{ functionDeclarations: [{}] }] }, "tools[0].functionDeclarations[0].name");
    refused({ toolConfig: { functionCallingConfig: { mode: "ANY" } } }, "toolConfig.functionCallingConfig");
    refused({ generationConfig: { maxOutputTokens: 0 } }, "generationConfig.maxOutputTokens");
    refused({ generationConfig: { stopSequences: "x" } }, "generationConfig.stopSequences");
    refused(
      { generationConfig: { responseSchema: {}, responseJsonSchema: {} } },
      "generationConfig.responseJsonSchema",
    );
  });
});

describe("settings", () => {
  test("numbers, as numbers or texts, and what they are called", () => {
    const { sampling, outputTokens, choices, stop, parameters } = config({
      temperature: 0.5,
      top_k: 64,
      topP: "0.25",
      maxOutputTokens: "100",
      candidateCount: 2,
      stopSequences: ["x", "x", ""],
      seed: 7,
    });
    assert.deepEqual([sampling.temperature, sampling.topK, sampling.topP, sampling.seed], [0.5, 64, 0.25, 7]);
    assert.deepEqual([outputTokens, choices, stop], [100, 2, ["x"]]);
    assert.ok(parameters.some(({ name, setting }) => name === "generationConfig.topK" && setting === "topK"));
  });

  test("how much to think, and whether it is shown", () => {
    const rows: readonly (readonly [object, object])[] = [
      [{}, { isHidden: true }],
      [
        { includeThoughts: true, thinkingLevel: "HIGH" },
        { effort: "high", isHidden: false },
      ],
      [{ thinkingBudget: 1_000 }, { budget: 1_000, isOn: true, isHidden: true }],
      [{ thinkingBudget: 0 }, { isOn: false, isHidden: true }],
      [
        { thinking_budget: -1, include_thoughts: true },
        { isOn: true, isHidden: false },
      ],
    ];
    for (const [thinkingConfig, wanted] of rows)
      assert.deepEqual(plain(config({ thinkingConfig }).reasoning), wanted, JSON.stringify(thinkingConfig));
  });

  test("formats, with Google's schemas as JSON Schema", () => {
    const responseMimeType = "application/json";
    assert.equal(config({ responseMimeType }).format.kind, "json_object");
    assert.equal(config({ responseMimeType: "text/plain" }).format.kind, "text");
    const { format } = config({
      responseMimeType,
      responseSchema: { type: "OBJECT", properties: { a: { type: "STRING" } } },
    });
    assert.deepEqual(format.kind === "json_schema" && format.schema, {
      type: "object",
      properties: { a: { type: "string" } },
    });
    const odd = config({ responseMimeType: "text/x.enum", responseSchema: { type: "STRING", enum: ["a"] } });
    const [parameter] = odd.parameters.filter(({ name }) => name === "generationConfig.responseMimeType");
    assert.equal(parameter?.setting, undefined, "nobody else knows it");
    assert.deepEqual(
      schemaOf({
        type: "ARRAY",
        min_items: "2",
        nullable: true,
        propertyOrdering: ["a"],
        items: {
          anyOf: [
            { type: "INTEGER", format: "int32" },
            { type: "STRING", enum: ["x"], nullable: true },
          ],
        },
      }),
      {
        type: ["array", "null"],
        minItems: 2,
        items: {
          anyOf: [
            { type: "integer", format: "int32" },
            { type: ["string", "null"], enum: ["x", null] },
          ],
        },
      },
    );
  });

  test("functions and the choice among them; hosted tools are parameters nobody else has", () => {
    const tools = [
      { functionDeclarations: [{ name: "f", description: "d", parameters: { type: "OBJECT" } }] },
      { function_declarations: [{ name: "g", parametersJsonSchema: { type: "object", $defs: {} } }] },
      { googleSearch: {} },
      { codeExecution: {}, urlContext: {} },
    ];
    const { toolUse, parameters } = read({
      tools,
      safetySettings: [{}],
      cachedContent: "c",
      labels: { a: "b" },
    });
    assert.deepEqual(
      toolUse.tools.map(({ name, parameters: schema }) => [name, schema]),
      [
        ["f", { type: "object" }],
        ["g", { type: "object", $defs: {} }],
      ],
    );
    const unknown = parameters.filter(({ setting }) => setting === undefined).map(({ name }) => name);
    assert.deepEqual(unknown, [
      "tools[2].googleSearch",
      "tools[3].codeExecution",
      "tools[3].urlContext",
      "cachedContent",
    ]);
    const choose = (mode: string, allowedFunctionNames: string[] = []) =>
      read({ tools, toolConfig: { functionCallingConfig: { mode, allowedFunctionNames } } }).toolUse.choice;
    assert.deepEqual(choose("AUTO"), { kind: "auto" });
    assert.deepEqual(choose("NONE"), { kind: "none" });
    assert.deepEqual(choose("ANY"), { kind: "required" });
    assert.deepEqual(choose("ANY", ["g"]), { kind: "named", name: "g" });
    assert.deepEqual(choose("ANY", ["f", "g"]), { kind: "allowed", names: ["f", "g"], mustCall: true });
    assert.deepEqual(choose("VALIDATED", ["f"]), { kind: "allowed", names: ["f"], mustCall: false });
  });
});

test("the model's texts one after the other are one, as a stream's pieces are", () => {
  const parts = [{ text: "a" }, { text: "\n\n " }, { text: "z" }];
  const { turns } = read({ contents: [...contents, { role: "model", parts }, ...contents] });
  const said = turns.find(({ role }) => role === "assistant")?.blocks;
  assert.deepEqual(
    said?.map((block) => block.kind === "text" && block.text),
    ["a\n\n z"],
  );
});

test("payloads of another version, cut, of another seal or too long are no thoughts; Google's own are Google's", () => {
  const payload = geminiPayloads.write([{ format: "x", data: "d", call: "c" }], plainSeal) ?? "";
  assert.deepEqual(geminiPayloads.read(payload, plainSeal), {
    kind: "parts",
    parts: [{ format: "x", data: "d", call: "c" }],
  });
  const other = Buffer.from("plaza-thoughts-99.x").toString("base64");
  for (const broken of [payload.slice(0, -9), other, payload + "A".repeat(5 * 1024 * 1024)])
    assert.equal(geminiPayloads.read(broken, plainSeal).kind, "unreadable");
  assert.equal(geminiPayloads.read(payload, { ...plainSeal, open: () => undefined }).kind, "unreadable");
  assert.equal(geminiPayloads.read("CiQB", plainSeal).kind, "native");
  assert.equal(geminiPayloads.write([{ data: "x".repeat(5 * 1024 * 1024) }], plainSeal), undefined);
});

describe("both spellings", () => {
  const schema = {
    type: "OBJECT",
    properties: { cityName: { anyOf: [{ type: "STRING", maxLength: "9" }, { ref: "#/defs/cityId" }] } },
    propertyOrdering: ["cityName"],
    minProperties: "1",
    defs: { cityId: { type: "INTEGER", nullable: true } },
  };
  const whole = {
    systemInstruction: { parts: [{ text: "Be brief." }] },
    contents: [
      {
        role: "user",
        parts: [
          { text: "Q" },
          { inlineData: { mimeType: "image/png", data: "AA==" }, mediaResolution: { level: "LOW" } },
          { fileData: { fileUri: "https://a/b.pdf", mimeType: "application/pdf", displayName: "b" } },
        ],
      },
      {
        role: "model",
        parts: [
          { text: "T", thought: true },
          { executableCode: { language: "PYTHON", code: "1" } },
          { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } },
          { functionCall: { id: "c1", name: "f", args: { cityName: 1 } }, thoughtSignature: "c2ln" },
        ],
      },
      {
        role: "user",
        parts: [{ functionResponse: { id: "c1", name: "f", response: { cityName: "x" }, parts: [] } }],
      },
    ],
    tools: [
      {
        functionDeclarations: [
          { name: "f", description: "d", parameters: schema },
          { name: "g", parametersJsonSchema: { type: "object", properties: { cityName: {} } } },
        ],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f"] } },
    safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" }],
    generationConfig: {
      maxOutputTokens: 9,
      candidateCount: 1,
      stopSequences: ["a_b"],
      topP: 0.5,
      topK: 3,
      presencePenalty: 0.5,
      frequencyPenalty: 0.5,
      responseMimeType: "application/json",
      responseSchema: schema,
      responseLogprobs: true,
      responseModalities: ["TEXT"],
      thinkingConfig: { includeThoughts: true, thinkingBudget: 64 },
      mediaResolution: "MEDIA_RESOLUTION_LOW",
    },
    serviceTier: "standard",
  };
  const snakeName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  /** Members whose own names belong to the caller; the values below a schema's are Google's again. */
  const callers = new Set(["args", "response", "parametersJsonSchema"]);
  const snake = (value: unknown, isNamed = false): unknown => {
    if (Array.isArray(value)) return value.map((one) => snake(one));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        isNamed ? name : snakeName(name),
        callers.has(name) ? member : snake(member, !isNamed && (name === "properties" || name === "defs")),
      ]),
    );
  };
  const decoded = (body: object): unknown => {
    const { parameters, ...conversation } = decodeRequest(Buffer.from(JSON.stringify(body)));
    const named = parameters.map(({ name, setting }) => [name, setting]);
    return JSON.parse(JSON.stringify({ ...conversation, named }));
  };

  test("a request of every field means the same in either", () => {
    const given = snake(whole) as object;
    assert.ok(JSON.stringify(given).includes("parameters_json_schema"));
    assert.deepEqual(decoded(given), decoded(whole));
  });

  test("no field of it is lost", () => {
    const conversation = decodeRequest(Buffer.from(JSON.stringify(whole)));
    assert.deepEqual(
      conversation.parameters.filter(({ setting }) => setting === undefined),
      [],
    );
    assert.deepEqual(
      [
        conversation.outputTokens,
        conversation.stop,
        conversation.reasoning.budget,
        conversation.sampling.topK,
      ],
      [9, ["a_b"], 64, 3],
    );
    assert.deepEqual(conversation.toolUse.choice, { kind: "named", name: "f" });
    const [first] = conversation.toolUse.tools;
    assert.deepEqual(first?.parameters, {
      type: "object",
      properties: { cityName: { anyOf: [{ type: "string", maxLength: 9 }, { $ref: "#/$defs/cityId" }] } },
      minProperties: 1,
      $defs: { cityId: { type: ["integer", "null"] } },
    });
  });
});

test("requests to embed", () => {
  const buffer = (body: object): Buffer => Buffer.from(JSON.stringify(body));
  const one = { content: { parts: [{ text: "Q" }] }, taskType: "RETRIEVAL_QUERY", output_dimensionality: 8 };
  const hints = { taskType: "RETRIEVAL_QUERY", titles: undefined, truncates: false };
  const asked = { model: "m", ignored: new Set(["serviceTier"]) };
  const embeds = (body: object, isBatch: boolean) => decodeEmbeds(buffer(body), { ...asked, isBatch });
  const wanted = { texts: ["Q"], dimensions: 8, hints };
  assert.deepEqual(embeds({ ...one, serviceTier: 1 }, false), wanted);
  assert.deepEqual(embeds({ requests: [one] }, true), wanted);
  const titled = { ...one, model: "models/m", embedContentConfig: { title: "T", autoTruncate: true } };
  assert.deepEqual(embeds(titled, false).hints, { ...hints, titles: ["T"], truncates: true });
  for (const [wrong, isBatch] of [
    [{}, false],
    [{ requests: [] }, true],
    [{ requests: [one] }, false],
    [one, true],
    [{ requests: [one, { ...one, taskType: "CLUSTERING" }] }, true],
    [{ content: { parts: [] } }, false],
    [{ ...one, outputDimensionality: 0.5 }, false],
    [{ ...one, model: "models/other" }, false],
    [{ ...one, embedContentConfig: { madeUp: 1 } }, false],
  ] as const)
    assert.throws(() => embeds(wrong, isBatch), Untranslatable, JSON.stringify(wrong));
});
