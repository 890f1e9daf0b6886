/**
 * The members of a response object that repeat its request (docs/wire/openai-responses.md section 2), with
 * OpenAI's defaults for those not sent.
 */
import { type JsonRecord, recordOf } from "../../lib/record.ts";

/** The members of a response object that come from its request. */
export type Echo = JsonRecord;

/** Those members, in OpenAI's order. `raw`: the parsed request. */
export function echoOf(raw: JsonRecord): Echo {
  const { verbosity, format, ...text } = recordOf(raw["text"]);
  const tier = raw["service_tier"] ?? "auto";
  const or = (name: string, usual: unknown): unknown => raw[name] ?? usual;
  return {
    background: false,
    instructions: or("instructions", null),
    max_output_tokens: or("max_output_tokens", null),
    max_tool_calls: or("max_tool_calls", null),
    parallel_tool_calls: or("parallel_tool_calls", true),
    previous_response_id: or("previous_response_id", null),
    prompt_cache_key: or("prompt_cache_key", null),
    prompt_cache_retention: or("prompt_cache_retention", null),
    reasoning: { effort: null, summary: null, ...recordOf(raw["reasoning"]) },
    safety_identifier: or("safety_identifier", null),
    // The tier that served it is unknown; `auto` only means that the caller left it open.
    service_tier: tier === "auto" ? "default" : tier,
    store: or("store", true),
    temperature: or("temperature", 1),
    text: { format: format ?? { type: "text" }, verbosity: verbosity ?? "medium", ...text },
    tool_choice: or("tool_choice", "auto"),
    tools: or("tools", []),
    top_logprobs: or("top_logprobs", 0),
    top_p: or("top_p", 1),
    truncation: or("truncation", "disabled"),
    user: or("user", null),
    metadata: or("metadata", {}),
  };
}
