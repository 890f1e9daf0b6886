import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type CatalogRow, indexRows, priceOf } from "./model-catalog.ts";

const row = (id: string, more: Partial<CatalogRow> = {}): CatalogRow => ({
  id,
  name: id,
  price: { input: "1", output: "2" },
  source: "package@1.0.0",
  date: "2026-11-10",
  ...more,
});

/** "exact ID", "alias ID (rule, rule)" or "none", for one provider with rows of these ids. */
function finder(provider: string, ...ids: string[]): (name: string) => string {
  const find = indexRows(
    provider,
    ids.map((id) => row(id)),
  );
  return (name) => {
    const match = find(name);
    if (match === undefined) return "none";
    return match.sure === "exact"
      ? `exact ${match.row.id}`
      : `alias ${match.row.id} (${match.by.join(", ")})`;
  };
}

test("the same id is exact, other letters are an alias", () => {
  const find = finder("openai", "gpt-5-mini");
  assert.equal(find("gpt-5-mini"), "exact gpt-5-mini");
  assert.equal(find("GPT-5-Mini"), "alias gpt-5-mini (case)");
  assert.equal(find("gpt-5"), "none");
  assert.equal(find("gpt-5-mini-high"), "none");
  assert.equal(find(""), "none");
});

test("a dated snapshot is its family only where it has no row of its own", () => {
  const find = finder("openai", "gpt-4o", "gpt-4o-2024-05-13", "o3-2025-04-16");
  assert.equal(find("gpt-4o-2024-05-13"), "exact gpt-4o-2024-05-13");
  assert.equal(find("gpt-4o-20240513"), "alias gpt-4o-2024-05-13 (spelling)");
  assert.equal(find("gpt-4o-2024-08-06"), "alias gpt-4o (date)");
  // A family's name never matches one of its snapshots, and digits that are not a date belong to the name.
  assert.equal(find("o3"), "none");
  assert.equal(find("gpt-4o-2024-13-40"), "none");
  assert.equal(find("gpt-4o-0613"), "none");
  assert.equal(find("gpt-4o-mini-2024-07-18"), "none");
  assert.equal(find("ft:gpt-4o-2024-08-06:org::id"), "none");
});

test("all spellings of a date are one, on Vertex too", () => {
  const find = finder("vertex", "claude-opus-4-5@20251101", "claude-opus-5@default", "gemini-2.5-pro");
  assert.equal(find("claude-opus-4-5-20251101"), "alias claude-opus-4-5@20251101 (spelling)");
  assert.equal(
    find("publishers/anthropic/models/claude-opus-4-5@20251101"),
    "alias claude-opus-4-5@20251101 (prefix)",
  );
  assert.equal(find("claude-opus-5"), "alias claude-opus-5@default (version)");
  assert.equal(find("claude-opus-5@20260801"), "alias claude-opus-5@default (spelling, date, version)");
  assert.equal(
    find("projects/p/locations/us-central1/publishers/google/models/gemini-2.5-pro"),
    "alias gemini-2.5-pro (prefix)",
  );
});

test("-latest is the family where it has no row of its own, never a snapshot", () => {
  const find = finder("mistral", "mistral-large", "mistral-large-latest", "codestral", "pixtral-2411");
  assert.equal(find("mistral-large-latest"), "exact mistral-large-latest");
  assert.equal(find("codestral-latest"), "alias codestral (latest)");
  assert.equal(find("pixtral-latest"), "none");
  assert.equal(finder("mistral", "mistral-small-latest")("mistral-small"), "none");
  assert.equal(finder("mistral", "mistral-small-latest")("mistral-small-2025-06-01"), "none");
});

test("a vendor's prefix goes where it says nothing, and stays where it does", () => {
  assert.equal(
    finder("anthropic", "claude-opus-5")("anthropic/claude-opus-5"),
    "alias claude-opus-5 (prefix)",
  );
  assert.equal(finder("google", "gemini-2.5-pro")("models/gemini-2.5-pro"), "alias gemini-2.5-pro (prefix)");
  assert.equal(finder("google", "gemini-2.5-pro")("tunedModels/gemini-2.5-pro"), "none");
  const fireworks = finder("fireworks", "accounts/fireworks/models/glm-5p3");
  assert.equal(fireworks("accounts/fireworks/models/glm-5p3"), "exact accounts/fireworks/models/glm-5p3");
  assert.equal(fireworks("glm-5p3"), "alias accounts/fireworks/models/glm-5p3 (prefix)");
  assert.equal(fireworks("accounts/somebody/models/glm-5p3"), "none");
  // A host of another vendor's model has its own price for it.
  assert.equal(finder("groq", "openai/gpt-oss-20b")("gpt-oss-20b"), "none");
  assert.equal(finder("openrouter", "anthropic/claude-opus-5")("claude-opus-5"), "none");
  assert.equal(finder("openrouter", "z-ai/glm-5:free")("z-ai/glm-5"), "none");
  assert.equal(finder("openrouter", "z-ai/glm-5")("z-ai/glm-5:free"), "none");
});

test("Bedrock: versions and ARNs are spellings; another region is the same model at an unknown price", () => {
  const find = finder(
    "bedrock",
    "anthropic.claude-opus-5-5",
    "us.anthropic.claude-opus-5-5",
    "anthropic.claude-haiku-4-5-20251001-v1:0",
    "anthropic.claude-3-5-sonnet-20241022-v2:0",
  );
  assert.equal(find("us.anthropic.claude-opus-5-5-v1:0"), "alias us.anthropic.claude-opus-5-5 (version)");
  assert.equal(find("anthropic.claude-opus-5-5-v2:0"), "none");
  assert.equal(find("anthropic.claude-3-5-sonnet-20241022-v1:0"), "none");
  assert.equal(
    find("arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-5-5"),
    "alias us.anthropic.claude-opus-5-5 (prefix)",
  );
  assert.equal(
    find("eu.anthropic.claude-haiku-4-5-20251001-v1:0"),
    "alias anthropic.claude-haiku-4-5-20251001-v1:0 (region)",
  );
  assert.equal(find("eu.claude-opus-5-5"), "none");

  const later = [{ validFrom: "2027-01-01", input: "3", output: "4" }];
  const rows = [row("anthropic.claude-opus-5", { context: 9, laterPrices: later })];
  const match = indexRows("bedrock", rows)("global.anthropic.claude-opus-5");
  assert.equal(match?.row.context, 9);
  assert.equal(match?.row.price, undefined);
  assert.equal(match?.row.laterPrices, undefined);
  assert.notEqual(rows[0]?.price, undefined);
});

test("Ollama: a tag is part of the name, :latest and a quantisation are not", () => {
  const find = finder("ollama", "llama3.1:8b", "llama3.1:70b", "mistral-small", "gemma3:4b-it");
  assert.equal(find("llama3.1:8b"), "exact llama3.1:8b");
  assert.equal(find("llama3.1:8b-q4_K_M"), "alias llama3.1:8b (case, tag)");
  assert.equal(find("gemma3:4b-it-fp16"), "alias gemma3:4b-it (tag)");
  assert.equal(find("library/mistral-small:latest"), "alias mistral-small (prefix, tag)");
  assert.equal(find("llama3.1"), "none");
  assert.equal(find("llama3.1:latest"), "none");
  assert.equal(find("mistral-small:22b"), "none");
  assert.equal(find("llama3.1:405b"), "none");
  assert.equal(finder("openai", "gpt-4o")("gpt-4o:latest"), "none");
});

test("a name two rows share means neither; names a source states count, but never against a row", () => {
  const stated = [
    row("command-r", { aliases: ["command-r-08-2024", "both", "command-a"] }),
    row("command-a", { aliases: ["both"] }),
  ];
  const find = indexRows("cohere", stated);
  assert.deepEqual(
    [find("command-r-08-2024")?.row.id, find("command-r-08-2024")?.by],
    ["command-r", ["stated"]],
  );
  assert.deepEqual(find("Command-R-08-2024")?.by, ["case", "stated"]);
  assert.equal(find("command-a")?.row.id, "command-a");
  assert.equal(find("COMMAND-A")?.row.id, "command-a");
  assert.equal(find("both"), undefined);

  const twice = finder("bedrock", "meta.llama3-v1:0", "meta.llama3-v1", "meta.llama3");
  assert.equal(twice("meta.llama3-v1:0"), "exact meta.llama3-v1:0");
  assert.equal(twice("META.llama3"), "none");
  assert.equal(twice("meta.llama3-2025-01-01"), "none");
  // Then the family of the two does not match either.
  const dated = finder("openai", "gpt-5", "gpt-5-2026-01-02", "gpt-5-20260102");
  assert.equal(dated("GPT-5-2026-01-02"), "none");
  assert.equal(dated("GPT-5-2026-01-03"), "alias gpt-5 (case, date)");
});

test("hostile names mean nothing and cost nothing", () => {
  const find = finder("openai", "gpt-5", "kimi", "constructor-x");
  const names = [
    "__proto__",
    "constructor",
    "toString",
    "gpt-5 ",
    " gpt-5",
    "gpt-5\n",
    "gpt-5\0",
    "gpt-5/",
    ":",
    "//",
    "-latest",
  ];
  for (const name of names) assert.equal(find(name), "none", JSON.stringify(name));
  // The Kelvin sign and full-width letters become Latin letters when case or form changes.
  assert.equal(find("\u212Aimi"), "none");
  assert.equal(find("\uFF27\uFF30\uFF34-5"), "none");
  assert.equal(find(`${"openai/".repeat(100)}gpt-5`), "none");
  assert.equal(find("a".repeat(1_000_000)), "none");
  assert.equal(indexRows("__proto__", [row("gpt-5")])("gpt-5")?.sure, "exact");
  assert.equal(indexRows("constructor", [row("gpt-5")])("GPT-5")?.sure, "alias");
});

test("any name of any provider finds at most what it begins or ends with, and never throws", () => {
  const providers = ["openai", "bedrock", "vertex", "ollama", "fireworks", "google", "toString"];
  const part = fc.constantFrom(
    "gpt-5",
    "us.",
    "-latest",
    "-20241022",
    "@20241022",
    "-v1:0",
    "models/",
    ":",
    "é",
    "/",
  );
  const name = fc.array(fc.oneof(part, fc.string({ unit: "grapheme", maxLength: 4 })), { maxLength: 8 });
  fc.assert(
    fc.property(fc.constantFrom(...providers), name, (provider, parts) => {
      const found = indexRows(provider, [row("gpt-5"), row("other-model")])(parts.join(""));
      if (found !== undefined) assert.ok(parts.join("").toLowerCase().includes(found.row.id));
    }),
    { numRuns: 2_000 },
  );
});

test("a price of a row is the gateway's price, to the billionth", () => {
  const tiers = [{ abovePromptTokens: 272_000, input: "0.2", output: "0.75" }];
  assert.deepEqual(
    priceOf({ input: "0.1", output: "0.5", cachedInput: "0.000000001", perRequest: "0.012", tiers }),
    {
      input: 100_000_000n,
      output: 500_000_000n,
      cachedInput: 1n,
      perRequest: 12_000_000n,
      tiers: [{ abovePromptTokens: 272_000, input: 200_000_000n, output: 750_000_000n }],
    },
  );
  assert.throws(() => priceOf({ input: "0.1", output: "0.39999999999999997" }), RangeError);
});
