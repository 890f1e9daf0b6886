/**
 * Recorded-style streams in vendors' variants of OpenAI's format: DeepSeek, Groq, OpenRouter, vLLM. Built
 * from docs/wire/openai-chat.md section 10, not recorded.
 */

import type { StreamRecipe } from "./chunk.ts";
import { chunk, eventBytes, type StreamHead, usageChunk, usageOf } from "./chunk.ts";
import { tokenText } from "./tokens.ts";

function head(name: string, extra: Record<string, unknown> = {}): StreamHead {
  return { id: `chatcmpl-${name}`, created: 1_760_000_000, model: "upstream-model", extra };
}

const done = eventBytes("[DONE]");

/** Reasoning first, then content; the finish chunk carries usage, and choices are never empty. */
function deepseek(): Buffer[] {
  const at = head("deepseek", { system_fingerprint: "fp_8f2" });
  const usage = usageOf(16, 12, {
    prompt_cache_hit_tokens: 4,
    prompt_cache_miss_tokens: 12,
    completion_tokens_details: { reasoning_tokens: 6 },
  });
  return [
    eventBytes(chunk(at, { role: "assistant", content: null, reasoning_content: "" })),
    ...[0, 1, 2, 3, 4, 5].map((index) =>
      eventBytes(chunk(at, { content: null, reasoning_content: tokenText("zh", index) })),
    ),
    ...[0, 1, 2, 3, 4, 5].map((index) =>
      eventBytes(chunk(at, { content: tokenText("zh", index), reasoning_content: null })),
    ),
    eventBytes(chunk(at, { content: "", reasoning_content: null }, { finish: "stop", top: { usage } })),
    done,
  ];
}

/** `x_groq` on the first and last chunk. */
function groq(): Buffer[] {
  const at = head("groq", { system_fingerprint: "fp_groq" });
  const usage = usageOf(18, 5, { queue_time: 0.0171, prompt_time: 1e-7, total_time: 0.25 });
  return [
    eventBytes(
      chunk(at, { role: "assistant", content: "" }, { top: { x_groq: { id: "req_01", seed: 987654321 } } }),
    ),
    ...[0, 1, 2, 3, 4].map((index) => eventBytes(chunk(at, { content: tokenText("en", index) }))),
    eventBytes(chunk(at, {}, { finish: "stop", top: { x_groq: { id: "req_01", usage } } })),
    eventBytes(usageChunk(at, usage)),
    done,
  ];
}

/** Comments while waiting, `reasoning`, `reasoning_details`, `native_finish_reason`, cost in usage. */
function openrouter(): Buffer[] {
  const at = head("openrouter", { provider: "Some Provider" });
  const wait = Buffer.from(": OPENROUTER PROCESSING\n\n");
  const detail = [{ type: "reasoning.text", text: "hm", format: "unknown", index: 0 }];
  return [
    wait,
    wait,
    eventBytes(
      chunk(
        at,
        { role: "assistant", content: "", reasoning: "hm", reasoning_details: detail },
        { choice: { native_finish_reason: null } },
      ),
    ),
    ...[0, 1, 2, 3].map((index) =>
      eventBytes(
        chunk(
          at,
          { role: "assistant", content: tokenText("emoji", index) },
          { choice: { native_finish_reason: null } },
        ),
      ),
    ),
    eventBytes(
      chunk(
        at,
        { role: "assistant", content: "" },
        { finish: "stop", choice: { native_finish_reason: "STOP" } },
      ),
    ),
    eventBytes(
      usageChunk(
        at,
        usageOf(10, 5, { cost: 0.0000123, is_byok: false, cost_details: { upstream_inference_cost: null } }),
      ),
    ),
    done,
  ];
}

/** Both reasoning keys, stop_reason, token ids, and `usage: null` left out. */
function vllm(): Buffer[] {
  const at = head("vllm");
  const more = { choice: { stop_reason: null, token_ids: null } };
  return [
    eventBytes(chunk(at, { role: "assistant", content: "" }, { top: { prompt_token_ids: null } })),
    ...[0, 1, 2].map((index) =>
      eventBytes(
        chunk(at, { reasoning: tokenText("en", index), reasoning_content: tokenText("en", index) }, more),
      ),
    ),
    ...[3, 4, 5].map((index) => eventBytes(chunk(at, { content: tokenText("en", index) }, more))),
    eventBytes(chunk(at, { content: "" }, { finish: "stop", choice: { stop_reason: 128009 } })),
    eventBytes(usageChunk(at, usageOf(10, 6, { prompt_tokens_details: null }))),
    done,
  ];
}

export function vendorStreams(): StreamRecipe[] {
  return [
    { name: "deepseek-reasoning", pieces: deepseek() },
    { name: "groq", pieces: groq() },
    { name: "openrouter", pieces: openrouter() },
    { name: "vllm", pieces: vllm() },
  ];
}
