/** What the endpoint reads of a Gemini request, what it refuses, and the most such a call may cost. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { defaultTimeouts, type Model, type Price } from "@plaza/contract/catalog.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { Provider } from "../../../providers/provider.ts";
import { withoutPieces } from "../../dispatch/without-offers.ts";
import type { WorstCase } from "../../money/worst-case.ts";
import { createBodyScanners } from "../../request/body/body-scan.ts";
import type { LiveModel } from "../../snapshot.ts";
import { type GeminiFields, readGemini, scanned } from "./gemini-fields.ts";
import { geminiGenerate } from "./generate.ts";
import { promptTokens } from "./prompt-tokens.ts";

const scanners = createBodyScanners(scanned, { jsonDepthMax: 20, jsonValuesMax: 50_000 });
const price: Price = { input: nanoUsd(250_000_000n), output: nanoUsd(2_000_000_000n) };

function modelAt(provider: string, known: Partial<Model> = {}, preset?: string): LiveModel {
  const upstream = { id: "u", provider, baseUrl: "", credentials: [], timeouts: defaultTimeouts };
  const live = {
    upstream: preset === undefined ? upstream : { ...upstream, preset },
    provider: {} as Provider,
    client: undefined,
  };
  const deployment = { upstream: "u", model: "m", priority: 1, weight: 1 };
  return { model: { id: "m", name: "m", deployments: [], ...known }, deployments: [{ deployment, live }] };
}

interface Read {
  readonly body: Buffer;
  readonly fields: GeminiFields;
}

function readText(text: string, tail = "m", query = ""): Read {
  const body = Buffer.from(text);
  const scanner = scanners.create();
  const refused = scanner.push(body);
  if (refused !== undefined) throw refused;
  return { body, fields: readGemini(scanner.end(body), body, { tail, query }, true) };
}

const contents = [{ role: "user", parts: [{ text: "hi" }] }];
const read = (members: object): Read => readText(JSON.stringify({ contents, ...members }));
const withConfig = (generationConfig: object): Read => read({ generationConfig });
const saying = (...parts: object[]): object => ({ contents: [{ parts }] });

const [generate] = geminiGenerate;
assert.ok(generate !== undefined);

function worst(members: object, model = modelAt("google"), at = price): WorstCase {
  const { body, fields } = read(members);
  return generate?.worstCase(model, at, fields, body) as WorstCase;
}

/** code and param of the refusal. */
function refusal(run: () => unknown): [code: string, param: string | undefined] {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof GatewayError, String(error));
    return [error.code, error.detail.param];
  }
  return assert.fail("accepted");
}

const config = "generationConfig";

describe("what is refused", () => {
  test("bodies without contents, and values of another kind where money depends on them", () => {
    for (const [text, param] of [
      ["{}", "contents"],
      ['{"contents":[]}', "contents"],
      ['{"contents":[ ]}', "contents"],
      ['{"contents":null}', "contents"],
      ['{"contents":{"parts":[{"text":"x"}]}}', "contents"],
      ['{"contents":"x"}', "contents"],
      ['{"contents":[1],"generationConfig":[]}', config],
      ['{"contents":[1],"generationConfig":"x"}', config],
      ['{"contents":[1],"tools":{}}', "tools"],
    ] as const)
      assert.deepEqual(
        refusal(() => readText(text)),
        ["invalid_request", param],
        text,
      );
    for (const [name, value] of [
      ["maxOutputTokens", "many"],
      ["maxOutputTokens", -1],
      ["maxOutputTokens", 1.5],
      ["maxOutputTokens", "1e3"],
      ["maxOutputTokens", {}],
      ["maxOutputTokens", true],
      ["candidateCount", 129],
      ["candidateCount", "200"],
      ["candidateCount", 1e12],
      ["candidateCount", [2]],
    ] as const)
      assert.deepEqual(
        refusal(() => withConfig({ [name]: value })),
        ["invalid_request", `${config}.${name}`],
        `${name} ${JSON.stringify(value)}`,
      );
  });

  test("a field in both spellings, twice, or spelled as only some readers take it", () => {
    for (const [text, param] of [
      ['"generationConfig":{},"generation_config":{}', config],
      ['"tools":[],"tools":[]', "tools"],
      ['"Tools":[]', "tools"],
      ['"generationconfig":{}', config],
      ['"generation\\u0043onfig":{}', config],
      ['"generationConfig":{"maxOutputTokens":1,"max_output_tokens":2}', `${config}.maxOutputTokens`],
      ['"generationConfig":{"maxOutputTokens":1,"maxOutputTokens":2}', `${config}.maxOutputTokens`],
      ['"generationConfig":{"MaxOutputTokens":9}', `${config}.maxOutputTokens`],
      ['"generationConfig":{"max\\u004futputTokens":9}', `${config}.maxOutputTokens`],
      ['"cached_content":"x","cachedContent":null', "cachedContent"],
    ] as const)
      assert.deepEqual(
        refusal(() => readText(`{"contents":[1],${text}}`)),
        ["invalid_request", param],
        text,
      );
  });

  test("no spelling of a bound, of candidates or of a tier is passed unread", () => {
    const snakeName = (name: string): string => name.replace(/[A-Z]/g, (at) => `_${at.toLowerCase()}`);
    const escaped = (name: string): string => `\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
    const spellings = (name: string): string[] => [
      ...new Set([
        name,
        snakeName(name),
        name.toUpperCase(),
        name.toLowerCase(),
        snakeName(name).toUpperCase(),
        escaped(name),
        escaped(snakeName(name)),
        name.replace("a", "\\u0061"),
        // Letters that become a Latin one in lower case.
        name.replace("k", "\u212a"),
      ]),
    ];
    const configs = ["generationConfig", "generation_config"];
    const cases: [name: string, value: string, isRead: (fields: GeminiFields) => boolean][] = [
      ["maxOutputTokens", "7", ({ spending }) => spending.tokens[0]?.value === 7],
      ["candidateCount", '"7"', ({ spending }) => spending.choices[0]?.value === 7],
      ["routingConfig", "{}", ({ apart }) => apart.length === 1],
    ];
    for (const [name, value, isRead] of cases) {
      for (const outer of configs.flatMap(spellings)) {
        for (const inner of spellings(name)) {
          for (const text of [
            `"${outer}":{"${inner}":${value}}`,
            `"${outer}":{"${inner}":${value},"topK":1,"temperature":0.5}`,
            ...spellings(name).map((other) => `"${outer}":{"${inner}":${value},"${other}":${value}}`),
          ]) {
            try {
              assert.ok(isRead(readText(`{"contents":[1],${text}}`).fields), text);
            } catch (error) {
              assert.ok(error instanceof GatewayError && error.code === "invalid_request", text);
            }
          }
        }
      }
    }
    for (const name of ["serviceTier", "googleSearch"].flatMap(spellings)) {
      for (const value of ['"priority"', "{}"]) {
        try {
          const { fields } = readText(`{"contents":[1],"${name}":${value}}`);
          assert.equal(fields.apart.length, 1, name);
        } catch (error) {
          assert.ok(error instanceof GatewayError && error.code === "invalid_request", name);
        }
      }
    }
  });

  test("what is stored at an upstream, in every place and spelling, is unknown", () => {
    const file = (uri: unknown) => ({ fileData: { fileUri: uri, mimeType: "image/png" } });
    const own = "https://generativelanguage.googleapis.com/v1beta/files/abc";
    for (const [members, param] of [
      [{ cachedContent: "cachedContents/x" }, "cachedContent"],
      [{ cached_content: "cachedContents/x" }, "cachedContent"],
      [saying({ text: "x" }, file(own)), "contents[0].parts[1].fileData.fileUri"],
      [saying(file("files/abc")), "contents[0].parts[0].fileData.fileUri"],
      [saying(file("gs://bucket/x")), "contents[0].parts[0].fileData.fileUri"],
      [saying(file(` ${own.toUpperCase()}`)), "contents[0].parts[0].fileData.fileUri"],
      [saying(file("https://storage.googleapis.com/b/x")), "contents[0].parts[0].fileData.fileUri"],
      [saying(file(7)), "contents[0].parts[0].fileData.fileUri"],
      [saying({ file_data: { file_uri: own } }), "contents[0].parts[0].fileData.fileUri"],
      [saying({ FileData: { fileUri: own } }), "contents[0].parts[0].fileData.fileUri"],
      [
        saying({ functionResponse: { name: "f", response: {}, parts: [file(own)] } }),
        "contents[0].parts[0].functionResponse.parts[0].fileData.fileUri",
      ],
      [{ systemInstruction: { parts: [file(own)] } }, "systemInstruction.parts[0].fileData.fileUri"],
      [{ tools: [{ fileSearch: { fileSearchStoreNames: ["x"] } }] }, "tools[0].fileSearch"],
      [{ tools: [{ file_search: {} }] }, "tools[0].file_search"],
      [{ tools: [{}, { retrieval: { vertexAiSearch: {} } }] }, "tools[1].retrieval"],
    ] as const)
      assert.deepEqual(
        refusal(() => read(members)),
        ["not_found", param],
        param,
      );
  });

  test("a stored file's host in any spelling is that host, and others are let through", () => {
    const reading = (uri: string) => read(saying({ fileData: { fileUri: uri, mimeType: "image/png" } }));
    for (const host of [
      "generativelanguage.googleapis.com.",
      "user@generativelanguage.googleapis.com",
      "a.example:b@generativelanguage.googleapis.com:443",
      "generativelanguage%2egoogleapis%2Ecom",
      "%67enerativelanguage.googleapis.com",
      "generative\tlanguage.googleapis.com",
      "\\generativelanguage.googleapis.com",
      "generativelanguage。googleapis．com",
      "generativelanguage.mtls.googleapis.com",
      "generativelanguage.us-east1.rep.googleapis.com",
      "eu-generativelanguage.googleapis.com",
      "bucket.storage.googleapis.com",
      "commondatastorage.googleapis.com",
      "storage.cloud.google.com.",
      "[",
      "a b",
    ])
      assert.deepEqual(
        refusal(() => reading(`https://${host}/v1beta/files/abc`)),
        ["not_found", "contents[0].parts[0].fileData.fileUri"],
        host,
      );
    for (const address of [
      "https://a.example/generativelanguage.googleapis.com",
      "https://generativelanguage.googleapis.com.a.example/x",
      "HTTPS://A.example:8443/x?y=storage.googleapis.com#z",
      "https://maps.googleapis.com/maps/api/staticmap",
      "http://storage.example/x",
    ])
      reading(address);
  });

  test("model names no catalog can have", () => {
    const text = JSON.stringify({ contents });
    assert.deepEqual(
      refusal(() => readText(text, "x".repeat(257))),
      ["invalid_request", "model"],
    );
    assert.deepEqual(
      refusal(() => readText(text, "models/")),
      ["invalid_request", "model"],
    );
  });
});

describe("what is read", () => {
  test("the model from the path, and how the stream is wrapped from the query", () => {
    const text = JSON.stringify({ model: "models/other", contents });
    for (const [tail, model] of [
      ["m", "m"],
      ["models/m", "m"],
      ["publishers/google/models/m", "m"],
      ["vendor/model-x:free", "vendor/model-x:free"],
    ] as const)
      assert.equal(readText(text, tail).fields.model, model);
    for (const [query, isEvents] of [
      ["alt=sse", true],
      ["key=x&alt=sse", true],
      ["", false],
      ["alt=json", false],
      ["alt=sse2", false],
    ] as const)
      assert.equal(readText(text, "m", query).fields.isEvents, isEvents, query);
  });

  test("spans of what is edited, in either spelling, numbers as texts too", () => {
    for (const text of [
      '{"contents":[1],"generationConfig":{"topK":1,"maxOutputTokens":9}}',
      '{"contents":[1],"generation_config":{"max_output_tokens":"9"}}',
    ]) {
      const { body, fields } = readText(text);
      const { generationConfig, maxOutputTokens, outputs } = fields.spans;
      assert.equal(body[generationConfig?.start ?? 0], 0x7b);
      assert.match(body.toString("utf8", maxOutputTokens?.start, maxOutputTokens?.end), /^(?:9|"9")$/);
      assert.deepEqual(
        outputs?.map(({ start, end }) => ({ start, end })),
        [{ start: maxOutputTokens?.start, end: maxOutputTokens?.end }],
      );
    }
    const unset = withConfig({ maxOutputTokens: null, candidateCount: null });
    assert.ok(unset.fields.spans.maxOutputTokens !== undefined);
    assert.deepEqual(unset.fields.spans.outputs, []);
  });

  test("tools that run at the upstream and dear tiers by name; the caller's own are free", () => {
    const declared = { functionDeclarations: [{ name: "f" }] };
    for (const [members, apart] of [
      [{ tools: [declared] }, []],
      [{ tools: [{ function_declarations: [] }, { googleSearch: null }] }, []],
      [{ tools: [{ googleSearch: {} }] }, ["tools[0].googleSearch"]],
      [{ tools: [{ url_context: {}, functionDeclarations: [] }, {}] }, ["tools[0].url_context"]],
      [{ tools: [{ codeExecution: {} }] }, ["tools[0].codeExecution"]],
      [{ tools: [{ madeUp: {} }] }, ["tools[0].madeUp"]],
      [{ tools: [{ GoogleSearch: {} }] }, ["tools[0].GoogleSearch"]],
      [{ serviceTier: "standard" }, []],
      [{ serviceTier: "priority" }, ["serviceTier"]],
      [{ service_tier: "flex" }, ["service_tier"]],
      [{ generationConfig: { routingConfig: {} } }, [`${config}.routingConfig`]],
      [{ generationConfig: { modelSelectionConfig: null } }, []],
    ] as const)
      assert.deepEqual(read(members).fields.apart, apart, JSON.stringify(members));
  });

  test("hosted tools beside functions are offers: what is left without any of them is a list of tools", () => {
    const declared = { functionDeclarations: [{ name: "f" }] };
    for (const [tools, paths] of [
      [[declared, { googleSearch: {} }], ["tools[1].googleSearch"]],
      [[{ google_search: {} }, declared], ["tools[0].google_search"]],
      [[{ url_context: {}, ...declared }], ["tools[0].url_context"]],
      [
        [{ ...declared, url_context: {}, googleMaps: { a: "]},{" } }],
        ["tools[0].url_context", "tools[0].googleMaps"],
      ],
      [[{ urlContext: {}, codeExecution: {} }, declared], ["tools[0]"]],
      [
        [
          { urlContext: {} },
          { googleMaps: {} },
          { ...declared, codeExecution: {} },
          { madeUp: {} },
          { b: 1 },
        ],
        [
          "tools[0].urlContext",
          "tools[1].googleMaps",
          "tools[2].codeExecution",
          "tools[3].madeUp",
          "tools[4].b",
        ],
      ],
      [[declared, { googleSearch: null }, {}], undefined],
      [[declared], undefined],
    ] as const) {
      const { body, fields } = read({ tools });
      assert.deepEqual(fields.apart, []);
      assert.deepEqual(
        fields.offers?.map(({ path }) => path),
        paths,
      );
      const { offers = [], spans } = fields;
      // Each alone, and all: an operator may let some through.
      for (let chosen = 1; chosen < 2 ** offers.length; chosen += 1) {
        const cut = offers.filter((_, index) => (chosen & (2 ** index)) !== 0);
        const left = withoutPieces({ body, spans }, cut);
        const request = JSON.parse(String(left?.body)) as { tools: Record<string, unknown>[] };
        const expected = tools.flatMap((tool, index) => {
          const gone = cut.filter(({ path }) => path.startsWith(`tools[${index}]`)).map(({ path }) => path);
          if (gone.length === 0) return [tool];
          const kept = Object.entries(tool).filter(([name]) => !gone.includes(`tools[${index}].${name}`));
          return gone.includes(`tools[${index}]`) || kept.length === 0 ? [] : [Object.fromEntries(kept)];
        });
        assert.deepEqual(request, { contents, tools: expected });
      }
    }
  });

  test("addresses anybody may read are no stored files, and cost what a file may have", () => {
    const { fields } = read(
      saying(
        { fileData: { fileUri: "https://www.youtube.com/watch?v=x" } },
        { fileData: { fileUri: "http://a/b", mimeType: "image/png" } },
        { file_data: { file_uri: "http://a/c", mime_type: "APPLICATION/PDF" } },
        { fileData: { fileUri: "http://a/c", mimeType: "video/mp4" } },
        { fileData: { fileUri: "http://a/c", mimeType: "image/png", mime_type: "video/mp4" } },
      ),
    );
    assert.equal(fields.addressedTokens, 3 * 1_048_576 + 2 * 65_536);
  });

  test("arguments and results may have names of files, which are the caller's own words", () => {
    const args = { fileUri: "files/x", fileData: { fileUri: "gs://x" } };
    read(saying({ functionCall: { name: "f", args } }, { functionResponse: { name: "f", response: args } }));
  });
});

describe("the worst case", () => {
  test("is bounded by what the caller names, else by the model", () => {
    const known = modelAt("google", { maxOutput: 1_000, context: 100_000 });
    assert.equal(worst({ generationConfig: { maxOutputTokens: 50 } }, known).outputTokens, 50);
    assert.equal(worst({ generationConfig: { maxOutputTokens: "50" } }, known).outputTokens, 50);
    assert.equal(worst({ generation_config: { max_output_tokens: 50 } }, known).outputTokens, 50);
    assert.equal(worst({ generationConfig: { maxOutputTokens: 0 } }, known).outputTokens, 1_000);
    assert.equal(worst({ generationConfig: { maxOutputTokens: 5_000 } }, known).outputTokens, 1_000);
    assert.equal(worst({}, known).outputTokens, 1_000);
    assert.equal(worst({}, known).outputLimit, undefined);
    const unknown = worst({});
    assert.equal(unknown.outputLimit, unknown.outputTokens);
  });

  test("counts every candidate, at whichever upstream", () => {
    for (const model of [modelAt("google"), modelAt("openai", {}, "openai"), modelAt("openai")])
      assert.equal(worst({ generationConfig: { candidateCount: "3" } }, model).answers, 3);
    assert.equal(worst({ generationConfig: { candidateCount: 0 } }).answers, 1);
  });

  test("has thinking beside the output only where an upstream bills it so", () => {
    const thinking = { generationConfig: { maxOutputTokens: 10, thinkingConfig: { thinkingBudget: 9_999 } } };
    assert.equal(worst(thinking).furtherTokens, 0);
  });
});

test("a prompt without a report is estimated by its words, and files by the provider's rule", () => {
  const words = read({ systemInstruction: { parts: [{ text: "x".repeat(4_000) }] } });
  const plain = promptTokens(words.fields, words.body, "google");
  assert.ok(plain > 900 && plain < 2_100, String(plain));
  const data = Buffer.alloc(300_000, 7).toString("base64");
  const { body, fields } = read(saying({ text: "look" }, { inlineData: { mimeType: "image/png", data } }));
  const tokens = promptTokens(fields, body, "google");
  assert.ok(tokens >= 258 && tokens < 10_000, String(tokens));
});
