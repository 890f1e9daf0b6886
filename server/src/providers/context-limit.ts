/**
 * Extracts the context limit (in tokens) from a provider's "prompt too long" error text. Does not classify
 * the fault; `faults/fault.ts` and its neighbours do.
 */

/** A number of tokens: digits, with or without separators. */
const tokens = String.raw`(\d[\d,_]{1,14})`;

/**
 * Patterns for the limit. Order matters: patterns that compare two numbers come before those that find one.
 */
const places: readonly RegExp[] = [
  // Mistral: "40000 tokens, too large for model with 32768 maximum context length".
  // Anthropic: "214783 tokens > 200000 maximum".
  new RegExp(String.raw`${tokens} (?:tokens? )?maximum\b`, "i"),
  // Anthropic: "198309 + 8192 > 200000". Hugging Face, Together: "must be <= 8193".
  new RegExp(`(?:>|<=|≤) ?${tokens}`),
  // OpenAI, vLLM, OpenRouter, xAI, SGLang, Gemini: "maximum context length is N",
  // "maximum number of tokens allowed (N)".
  new RegExp(String.raw`\bmaximum [a-z ]{1,60}[ :(]{1,3}${tokens}`, "i"),
  // DashScope: "Range of input length should be [1, 30720]".
  new RegExp(String.raw`\[\d+, ?${tokens}\]`),
  // OpenAI, Cerebras, Moonshot, llama.cpp: "limit of N", "limit is N", "token
  // limit: N", "context size (N tokens)".
  new RegExp(String.raw`\b(?:context (?:length|window|size)|limit)(?: is| of|:)?[ (]{1,2}${tokens}`, "i"),
];

const tokensMin = 16;
const tokensMax = 1_000_000_000;

/**
 * The model's context in tokens; undefined when the text names no plausible number. `text` is scrubbed and
 * therefore short.
 */
export function contextLimitIn(text: string): number | undefined {
  for (const place of places) {
    const found = place.exec(text)?.[1];
    if (found === undefined) continue;
    const count = Number(found.replaceAll(/[,_]/g, ""));
    return count >= tokensMin && count <= tokensMax ? count : undefined;
  }
  return undefined;
}
