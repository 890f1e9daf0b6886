/** Makers from families, ids and names that operators give. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { colourOf, lettersOf, makerOf } from "./makers.ts";

const nameOf = (id: string, family: string | null = null) => makerOf({ id, family })?.name;

test("a known series names its maker, in the family before the id", () => {
  assert.equal(nameOf("anything", "gpt"), "OpenAI");
  assert.equal(nameOf("anything", "o-series"), "OpenAI");
  assert.equal(nameOf("gpt-5", "claude"), "Anthropic");
  assert.equal(nameOf("anything", "openai"), "OpenAI");
  assert.equal(nameOf("anything", "Mistral AI"), "Mistral AI");
});

test("without a family the words of the id tell, not parts of words", () => {
  assert.equal(nameOf("accounts/fireworks/models/qwen3-vl"), "Qwen");
  assert.equal(nameOf("meta-llama/llama-3.3-70b-instruct"), "Meta");
  assert.equal(nameOf("deepseek-r1-distill-llama-70b"), "DeepSeek");
  assert.equal(nameOf("o3-mini"), "OpenAI");
  assert.equal(nameOf("my-finetune"), undefined);
  assert.equal(nameOf("stepfather"), undefined);
});

test("an operator's own name is the maker", () => {
  assert.equal(nameOf("aurora-large", "Aurora Labs"), "Aurora Labs");
  assert.equal(nameOf("qilin-72b", "麒麟"), "麒麟");
});

test("letters are the first of two words, or one Chinese character", () => {
  assert.deepEqual(["Aurora Labs", "cirrus", "麒麟", "01.AI", "", "🎁"].map(lettersOf), [
    "AL",
    "C",
    "麒",
    "0A",
    "?",
    "?",
  ]);
});

test("a name always has the same colour of the eight, and names differ", () => {
  const names = Array.from({ length: 50 }, (_, at) => `Maker ${at}`);
  assert.deepEqual(names.map(colourOf), names.map(colourOf));
  assert.equal(new Set(names.map(colourOf)).size, 8);
  assert.ok(names.map(colourOf).every((one) => one >= 1 && one <= 8));
});
