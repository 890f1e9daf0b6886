/** The catalog's rules on small made-up packages: inputs for which each rule matters. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CatalogRow } from "../../server/src/domain/catalog/model-catalog.ts";
import { assembleRows } from "./assemble.ts";
import { readLiteral } from "./literal.ts";
import type { CatalogProvider } from "./providers.ts";
import { readGenaiPrices } from "./read-genai-prices.ts";
import { readPiAi, readPiCatalog } from "./read-pi.ts";
import type { Finding } from "./said.ts";

const labels = {
  "pi-ai": { source: "pi@1.0.0", date: "2026-11-10" },
  "pi-catalog": { source: "cat@2.0.0", date: "2026-09-23" },
  "genai-prices": { source: "genai@3.0.0", date: "2026-09-23" },
};

interface Texts {
  /** Models of pi-ai: JSON without the outer braces. */
  readonly pi?: readonly string[];
  readonly cat?: readonly string[];
  /** Entries of genai-prices: JavaScript. */
  readonly genai?: readonly string[];
}

function assemble(texts: Texts, more: Partial<CatalogProvider> = {}) {
  const findings: Finding[] = [];
  const keyed = (models: readonly string[] = []): string =>
    models.map((model, at) => `"${at}": {${model}}`).join();
  const script = `const E = [{ id: "some", models: [${(texts.genai ?? []).map((one) => `{${one}}`).join()}] }], J = {};`;
  const lists = {
    piAi: readPiAi(readLiteral(`{"an-api": {${keyed(texts.pi)}}}`).value),
    piCatalog: readPiCatalog(readLiteral(`{${keyed(texts.cat)}}`).value),
    genaiPrices: readGenaiPrices(script, "2026-11-10").get("some") ?? [],
  };
  const rows = assembleRows({ id: "some", ...more }, lists, labels, findings);
  return { rows, told: findings.map(({ what, id, text }) => `${what} ${id}: ${text}`) };
}

const only = (texts: Texts, more?: Partial<CatalogProvider>): CatalogRow => {
  const { rows } = assemble(texts, more);
  assert.equal(rows.length, 1, rows.map(({ id }) => id).join());
  return rows[0] as CatalogRow;
};

const cost = (input: string, output: string, read = "0", write = "0", more = ""): string =>
  `"cost": {"input": ${input}, "output": ${output}, "cacheRead": ${read}, "cacheWrite": ${write}${more}}`;

const chat = (id: string, price: string, more = ""): string =>
  `"type": "chat", "id": "${id}", "name": "${id.toUpperCase()}", "reasoning": false, "input": ["text", "image"], ` +
  `${price}, "contextWindow": 1000, "maxTokens": 100${more}`;

test("a row says what its package says, and zeros of classes are no classes", () => {
  assert.deepEqual(only({ pi: [chat("m-1", cost("0.25", "2.50", "0.025"))] }), {
    id: "m-1",
    name: "M-1",
    modalities: { input: ["text", "image"], output: ["text"] },
    context: 1_000,
    maxOutput: 100,
    capabilities: { tools: true, reasoning: false, vision: true },
    price: { input: "0.25", output: "2.5", cachedInput: "0.025" },
    source: "pi@1.0.0",
    date: "2026-11-10",
  });
});

test("an absurd figure is dropped with its digits, and takes the price with it only where it is a main one", () => {
  const { rows, told } = assemble({
    pi: [
      chat("a", cost("0.39999999999999997", "1")),
      chat("b", cost("1", "2", "0.09999999999999999")),
      chat("c", cost("-1", "2")),
      chat("d", cost("1", "0")),
      chat("e", cost("0", "0")),
      chat("f", cost("1", "2", "3")),
      chat("g", cost("1", "2", "0", "0", ', "tiers": [{"inputTokensAbove": 500, "input": -2, "output": 4}]')),
    ],
  });
  assert.deepEqual(
    rows.map(({ id, price }) => [id, price]),
    [
      ["a", undefined],
      ["b", { input: "1", output: "2" }],
      ["c", undefined],
      ["d", undefined],
      ["e", undefined],
      ["f", { input: "1", output: "2" }],
      ["g", undefined],
    ],
  );
  assert.deepEqual(told, [
    "dropped a: input 0.39999999999999997 has more than nine decimals (pi-ai)",
    "dropped b: cachedInput 0.09999999999999999 has more than nine decimals (pi-ai)",
    "dropped c: input -1 is negative (pi-ai)",
    "dropped d: price 1/0 charges one direction only (pi-ai)",
    "dropped e: price 0/0 of pi-ai: unknown or free, it does not say which",
    "dropped f: cachedInput 3 is more than input (pi-ai)",
    "dropped g: above 500 input -2 is negative (pi-ai)",
  ]);
});

test("an id that is there twice keeps its chat model", () => {
  const classifier = `"type": "classifier", "id": "luna", "name": "Luna", ${cost("0.1", "0")}`;
  for (const pi of [
    [classifier, chat("luna", cost("0.1", "0.5"))],
    [chat("luna", cost("0.1", "0.5")), classifier],
  ]) {
    const { rows, told } = assemble({ pi });
    assert.deepEqual(rows[0]?.price, { input: "0.1", output: "0.5" });
    assert.deepEqual(told, [
      "duplicate luna: pi-ai has it twice: kept the chat luna, left the classifier luna",
    ]);
  }
  const alone = only({ pi: [classifier] });
  assert.deepEqual([alone.kind, alone.price, alone.context], ["classifier", undefined, undefined]);
});

test("embeddings and completions keep their price, with whose it is; of other kinds there is none", () => {
  const of = (kind: string, id: string, price: string) =>
    `"type": "${kind}", "id": "${id}", "name": "N", ${price}`;
  const genai = [
    entry("text-embedding-9", "{ input_mtok: 0.02 }"),
    entry("gpt-3.5-turbo-instruct", "{ input_mtok: 1.5, output_mtok: 2 }"),
    entry("whisper-9", "{ input_mtok: 1 }"),
    entry("bge-free", "{ input_mtok: 0 }"),
  ];
  const { rows, told } = assemble({
    pi: [
      of("completion", "gpt-3.5-turbo-instruct", cost("1.5", "3")),
      of("embedding", "bge-9", cost("0.1", "0")),
    ],
    genai,
  });
  assert.deepEqual(
    rows.map(({ id, kind, price }) => [id, kind, price]),
    [
      ["bge-9", "embedding", { input: "0.1", output: "0" }],
      ["bge-free", "embedding", undefined],
      ["gpt-3.5-turbo-instruct", "completion", { input: "1.5", output: "3" }],
      ["text-embedding-9", "embedding", { input: "0.02", output: "0" }],
      ["whisper-9", "stt", undefined],
    ],
  );
  assert.deepEqual(told, [
    "disagreement gpt-3.5-turbo-instruct: rates: **pi-ai** input 1.5, output 3 — genai-prices input 1.5, output 2",
  ]);
});

test("the newest package wins, and the other value is told", () => {
  const texts = { pi: [chat("m", cost("1", "2"))], cat: [chat("M", cost("1", "3"))] };
  const { rows, told } = assemble(texts);
  assert.deepEqual(
    rows.map(({ id, price, source }) => [id, price, source]),
    [["m", { input: "1", output: "2" }, "pi@1.0.0"]],
  );
  assert.deepEqual(told, [
    "disagreement m: rates: **pi-ai** input 1, output 2 — pi-catalog input 1, output 3 — kept: newest",
  ]);
});

const entry = (id: string, prices: string, match = `{ equals: "${id}" }`, more = ""): string =>
  `id: "${id}", match: ${match}, prices: ${prices}${more}`;

test("genai-prices adds classes to a price it agrees with, and says so in the row", () => {
  const genai = [
    entry(
      "m",
      "{ input_mtok: 1, output_mtok: 2, cache_write_1h_mtok: 2, input_audio_mtok: 4, requests_kcount: 5 }",
    ),
  ];
  const row = only({ pi: [chat("m", cost("1", "2", "0.1", "1.25"))], genai });
  assert.deepEqual(row.price, {
    ...{
      input: "1",
      output: "2",
      cachedInput: "0.1",
      cacheWrite: "1.25",
      longCacheWrite: "2",
      audioInput: "4",
    },
  });
  assert.deepEqual(row.modalities?.input, ["text", "image", "audio"]);
  assert.deepEqual(row.filled, [
    { ...labels["genai-prices"], facts: ["modalities", "price.audioInput", "price.longCacheWrite"] },
  ]);
  const other = only({ pi: [chat("m", cost("1", "3"))], genai });
  assert.deepEqual(other.price, { input: "1", output: "3" });
});

test("an entry for a group is compared but never a price of its own, and adds only to the group's snapshots", () => {
  const prices = "{ input_mtok: 1, output_mtok: 2, cache_write_1h_mtok: 2 }";
  const genai = [entry("m", prices, '{ starts_with: "m" }')];
  const { rows, told } = assemble({
    pi: [chat("m-20251001", cost("1", "2")), chat("m-pro", cost("1", "2"))],
    cat: [chat("m-mini", cost("0", "0")), chat("m-nano", cost("1", "4"))],
    genai,
  });
  assert.deepEqual(
    rows.map(({ id, price }) => [id, price?.output, price?.longCacheWrite]),
    [
      ["m", "2", "2"],
      ["m-20251001", "2", "2"],
      ["m-mini", undefined, undefined],
      ["m-nano", "4", undefined],
      ["m-pro", "2", undefined],
    ],
  );
  assert.ok(
    told.some((text) => text.startsWith("disagreement m-nano") && text.endsWith("the other a group of them")),
  );
});

test("nothing is free unless a package means it", () => {
  const zero = chat("m:free", cost("0", "0"));
  assert.equal(only({ pi: [zero] }).price, undefined);
  assert.deepEqual(only({ pi: [zero] }, { free: /:free$/ }).price, { input: "0", output: "0" });
  const genai = [entry("m:free", "{ input_mtok: 0, output_mtok: 0 }")];
  assert.deepEqual(only({ pi: [zero], genai }).price, { input: "0", output: "0" });
  assert.equal(only({ pi: [chat("m", cost("1", "2"))] }, { priceless: "because" }).price, undefined);
});

test("tiers: by class and size, exclusive of their size, from the package that knows tiers", () => {
  const long =
    ', "longContext": {"inputThreshold": 200, "inputThresholdInclusive": true, "input": 3, "output": 4}';
  assert.deepEqual(only({ cat: [chat("m", cost("1", "2", "0", "0", long))] }).price?.tiers, [
    { abovePromptTokens: 199, input: "3", output: "4" },
  ]);
  const tiered =
    "{ input_mtok: { base: 1, tiers: [{ start: 2e2, price: 3 }, { start: 6e2, price: 5 }] }, " +
    "output_mtok: { base: 2, tiers: [{ start: 6e2, price: 9 }] }, cache_read_mtok: 0.1 }";
  const tiers = [
    { abovePromptTokens: 200, input: "3", output: "2", cachedInput: "0.1" },
    { abovePromptTokens: 600, input: "5", output: "9", cachedInput: "0.1" },
  ];
  const genai = [entry("m", tiered)];
  assert.deepEqual(only({ genai }).price?.tiers, tiers);
  assert.deepEqual(only({ cat: [chat("m", cost("1", "2"))], genai }).price?.tiers, tiers);
  // pi-ai lists no tier for any model of this provider, so a missing tier means nothing …
  const silent = only({ pi: [chat("m", cost("1", "2"))], genai });
  assert.deepEqual(
    [silent.price?.tiers, silent.filled?.[0]?.facts],
    [tiers, ["price.cachedInput", "price.tiers"]],
  );
  // … where it lists others, a missing tier is a contradiction.
  const speaking = chat(
    "n",
    cost("1", "2", "0", "0", ', "tiers": [{"inputTokensAbove": 9, "input": 2, "output": 3}]'),
  );
  const { rows, told } = assemble({ pi: [chat("m", cost("1", "2")), speaking], genai });
  assert.equal(rows[0]?.price?.tiers, undefined);
  assert.ok(
    told.some((text) => text.startsWith("disagreement m: tiers")),
    told.join("\n"),
  );
});

test("a context no prompt of the last tier fits into gives way to a larger one", () => {
  const tier = ', "tiers": [{"inputTokensAbove": 1000, "input": 2, "output": 3}]';
  const pi = [chat("m", cost("1", "2", "0", "0", tier))];
  assert.equal(only({ pi }).context, 1_000);
  const cat = [chat("m", cost("1", "2")).replace('"contextWindow": 1000', '"contextWindow": 5000')];
  const { rows, told } = assemble({ pi, cat });
  assert.equal(rows[0]?.context, 5_000);
  assert.deepEqual(rows[0]?.filled, [{ ...labels["pi-catalog"], facts: ["context"] }]);
  assert.ok(told.some((text) => text.startsWith("note m: context 1000 of pi-ai")));
});

test("dated prices: those in force on the day, later ones by their day, those of some hours told", () => {
  const dated = `[
    { prices: { input_mtok: 9, output_mtok: 9 } },
    { constraint: { start_date: "2026-01-01", type: "start_date" }, prices: { input_mtok: 1, output_mtok: 2 } },
    { constraint: { start_date: "2027-01-01", type: "start_date" }, prices: { input_mtok: 3, output_mtok: 4 } },
    { constraint: { start_time: "01:00", end_time: "04:00", type: "time_of_date" }, prices: { input_mtok: 7, output_mtok: 7 } },
  ]`;
  const { rows, told } = assemble({ genai: [entry("m", dated)] });
  assert.deepEqual(rows[0]?.price, { input: "1", output: "2" });
  assert.deepEqual(rows[0]?.laterPrices, [{ validFrom: "2027-01-01", input: "3", output: "4" }]);
  assert.deepEqual(told, ["dropped m: costs something else at some times of day (genai-prices)"]);
  const another = assemble({ pi: [chat("m", cost("5", "6"))], genai: [entry("m", dated)] });
  assert.equal(another.rows[0]?.laterPrices, undefined);
  assert.ok(another.told.some((text) => text.includes("from 2027-01-01 input 3, output 4")));
});

test("other names are kept where they are names; groups, patterns and made-up models are no rows", () => {
  const prices = "{ input_mtok: 1, output_mtok: 2 }";
  const match = '{ or: [{ equals: "m" }, { equals: "M-08-2024" }, { equals: "n" }, { starts_with: "m-" }] }';
  const genai = [
    entry("m", prices, match),
    entry("n", prices),
    entry("ft:m-", prices),
    entry("vector-embed", "{ input_mtok: 1 }"),
    entry("page-reader", "{ input_document_kpages: 1 }"),
  ];
  const cat = [`${chat("n-pro", cost("1", "2"))}, "requestModelId": "n"`];
  const { rows } = assemble({ cat, genai });
  assert.deepEqual(
    rows.map(({ id, aliases, kind }) => [id, aliases, kind]),
    [
      ["m", ["m-08-2024"], undefined],
      ["n", undefined, undefined],
      ["vector-embed", undefined, "embedding"],
    ],
  );
});

test("the order of what the packages list makes no difference", () => {
  const texts: Texts = {
    pi: [chat("b", cost("1", "2")), chat("a", cost("1", "2"))],
    cat: [chat("c", cost("1", "2")), chat("A", cost("2", "2"))],
    genai: [entry("d", "{ input_mtok: 1, output_mtok: 2 }"), entry("b", "{ input_mtok: 1, output_mtok: 3 }")],
  };
  const turned: Texts = {
    pi: texts.pi?.toReversed() ?? [],
    cat: texts.cat?.toReversed() ?? [],
    genai: texts.genai?.toReversed() ?? [],
  };
  assert.equal(JSON.stringify(assemble(turned).rows), JSON.stringify(assemble(texts).rows));
});
