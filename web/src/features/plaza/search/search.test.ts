/** Search with the names that models have, the typing errors that people make, and 2,000 models. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSearch, type Searched } from "./search.ts";
import { editsToPrefix, wordsOf } from "./words.ts";

function searched(id: string, name = id, also = "", description = ""): Searched {
  return { id, name, also, description };
}

const models = [
  searched("openai/gpt-image-2.5"),
  searched("gpt-4.1-mini"),
  searched("gpt-5-mini"),
  searched("gpt-5"),
  searched("gpt-4o"),
  searched("anthropic/claude-sonnet-4-5", "Claude Sonnet 4.5", "Anthropic"),
  searched("claude-opus-4-20250514", "Claude Opus 4", "Anthropic"),
  searched("claude-3-opus", "Claude 3 Opus", "Anthropic"),
  searched("meta-llama/llama-3.3-70b-instruct", "Llama 3.3 70B", "Meta"),
  searched("llama-3.1-8b"),
  searched("qwen2.5-vl-72b-instruct", "Qwen2.5 VL 72B", "Alibaba 通义千问"),
  searched("qilin-72b", "麒麟 72B"),
  searched("gemini-2.5-flash", "Gemini 2.5 Flash", "Google"),
  searched("b-small", "Béta Small", "", "Cheap and very fast."),
  searched("mistral-large", "Mistral Large"),
  searched("pixtral-large", "Pixtral Large"),
];
const search = createSearch(models);

/** Ids that are found, best first. */
function found(text: string): string[] {
  return [...search(text)].sort((left, right) => left[1] - right[1]).map(([at]) => models[at]?.id ?? "");
}

test("separators, case, accents and width make no difference, and digits part from words", () => {
  for (const text of ["gpt5", "GPT-5", "gpt 5", "ｇｐｔ５", "gpt_5"])
    assert.deepEqual(found(text).slice(0, 2), ["gpt-5", "gpt-5-mini"], text);
  assert.deepEqual(found("beta small"), ["b-small"]);
  assert.deepEqual(found("llama70b"), ["meta-llama/llama-3.3-70b-instruct"]);
  assert.deepEqual(found("qwen vl"), ["qwen2.5-vl-72b-instruct"]);
  assert.deepEqual(found("qwen2.5vl"), ["qwen2.5-vl-72b-instruct"]);
});

test("the order of the words makes no difference, and a number is no typing error of another", () => {
  assert.deepEqual(found("claude 4 opus"), ["claude-opus-4-20250514"]);
  assert.deepEqual(found("opus claude"), ["claude-3-opus", "claude-opus-4-20250514"].reverse());
  assert.deepEqual(found("gpt 6"), []);
});

test("mistyped words are found by their length: one error, two in long ones, swapped letters", () => {
  assert.deepEqual(found("sonet"), ["anthropic/claude-sonnet-4-5"]);
  assert.deepEqual(found("gemni flsh"), ["gemini-2.5-flash"]);
  assert.deepEqual(found("gtp-4o"), ["gpt-4o"]);
  assert.equal(found("antropc").length, 0);
  assert.equal(found("anthrpoci sonnet").length, 1);
  assert.deepEqual(found("mistrall large"), ["mistral-large"]);
});

test("guesses are left out where something fits as it was typed", () => {
  const twins = createSearch([searched("sonnet"), searched("sonnel")]);
  assert.deepEqual([...twins("sonnet").keys()], [0]);
  assert.deepEqual([...twins("sonner").keys()], [0, 1]);
  assert.deepEqual(found("gpt-4o"), ["gpt-4o"]);
});

test("letters in their order are the last resort", () => {
  assert.deepEqual(found("cldsonn"), ["anthropic/claude-sonnet-4-5"]);
  assert.deepEqual(found("zzzz"), []);
});

test("the whole is better than its beginning, that than all words, those than parts", () => {
  assert.deepEqual(found("gpt-5"), ["gpt-5", "gpt-5-mini", "openai/gpt-image-2.5"]);
  const ranks = search("gpt-5");
  assert.deepEqual([...ranks.values()].sort(), [0, 1, 3]);
});

test("Chinese names and other names of a maker are found by a part", () => {
  assert.deepEqual(found("麒麟"), ["qilin-72b"]);
  assert.deepEqual(found("麒麟72b"), ["qilin-72b"]);
  assert.deepEqual(found("千问"), ["qwen2.5-vl-72b-instruct"]);
});

test("descriptions are searched for whole words", () => {
  assert.deepEqual(found("cheap fast"), ["b-small"]);
  assert.deepEqual(found("chaep"), []);
});

test("nothing, signs alone and very long texts are harmless", () => {
  assert.equal(search("").size, 0);
  assert.equal(search(" -/ ").size, 0);
  assert.equal(search("(".repeat(5_000)).size, 0);
  assert.equal(search("gpt ".repeat(5_000)).size, 5);
});

test("words: one letter stays with its digits", () => {
  assert.deepEqual(wordsOf("gpt-4o o3mini llama3.3-70b"), [
    "gpt",
    "4o",
    "o3",
    "mini",
    "llama",
    "3",
    "3",
    "70b",
  ]);
});

test("edits are counted to the beginning of a word, and no further than asked for", () => {
  assert.equal(editsToPrefix("sonet", "sonnet", 2), 1);
  assert.equal(editsToPrefix("sont", "sonnet", 2), 1);
  assert.equal(editsToPrefix("antrhopic", "anthropic", 2), 1);
  assert.equal(editsToPrefix("claude", "gemini", 2), 3);
});

test("2,000 models: how long a search takes is reported", (context) => {
  const many = Array.from({ length: 2_000 }, (_, at) =>
    searched(
      `maker-${at % 40}/model-${at}-${at % 9}b`,
      `Model ${at} with ${at % 9}B`,
      `Maker ${at % 40}`,
      "A text.",
    ),
  );
  const inMany = createSearch(many);
  const texts = ["m", "mo", "mod", "model", "model 19", "model 199", "modle", "mkaer 3", "zzzz"];
  const since = performance.now();
  for (const text of texts) inMany(text);
  context.diagnostic(`${((performance.now() - since) / texts.length).toFixed(2)} ms a search`);
  assert.equal([...inMany("model 1999")].sort((left, right) => left[1] - right[1])[0]?.[0], 1_999);
});
