/**
 * For tests and documentation: what becomes of every parameter of a chat request at a provider or preset.
 * Each provider has its columns in its `testing/parameters.ts`; docs/operate/providers/parameters.md is
 * written from them, and `parameters.test.ts` sends each parameter and holds the columns to what comes out.
 * Data only; the code that acts is each provider's own.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";

/**
 * `kept`: sent on byte for byte. `translated`: said in the upstream's words. `told`: left
 * out, and named in `x-plaza-dropped-params`. `refused`: a 400 `unsupported_parameter` that
 * names it (with `x-plaza-drop-params: true` it is left out and told). `plaza`: not sent,
 * because Plaza itself does what it asks for.
 */
export type Outcome = "kept" | "translated" | "told" | "refused" | "plaza";

/** A parameter with values that ask for something, as JSON. */
interface Parameter {
  readonly name: string;
  /** The first one is what the table speaks of. */
  readonly samples: readonly string[];
  /** Members without which it makes no sense. */
  readonly beside?: string;
}

const tool = '{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}';
const schema =
  '{"type":"json_schema","json_schema":{"name":"a","schema":{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":false}}}';

/** All of OpenAI's parameters (openai-openapi 2.3.0 and openai-node 7.55.0) but `model` and `messages`. */
export const parameters = [
  { name: "max_completion_tokens", samples: ["50"] },
  { name: "max_tokens", samples: ["50"] },
  { name: "temperature", samples: ["0.70", "0"] },
  { name: "top_p", samples: ["0.50"] },
  { name: "frequency_penalty", samples: ["0.50"] },
  { name: "presence_penalty", samples: ["0.50"] },
  { name: "logit_bias", samples: ['{"5":-100}'] },
  { name: "logprobs", samples: ["true"] },
  { name: "top_logprobs", samples: ["3"], beside: '"logprobs":true' },
  { name: "n", samples: ["2"] },
  { name: "stop", samples: ['"END"', '["a","b"]'] },
  { name: "seed", samples: ["9007199254740993", "0"] },
  { name: "stream", samples: ["true"] },
  { name: "stream_options", samples: ['{"include_usage":true}'], beside: '"stream":true' },
  { name: "response_format", samples: [schema, '{"type":"json_object"}'] },
  { name: "tools", samples: [`[${tool}]`] },
  {
    name: "tool_choice",
    samples: ['"required"', '{"type":"function","function":{"name":"f"}}'],
    beside: `"tools":[${tool}]`,
  },
  { name: "parallel_tool_calls", samples: ["false"], beside: `"tools":[${tool}]` },
  { name: "functions", samples: ['[{"name":"f","parameters":{"type":"object","properties":{}}}]'] },
  { name: "function_call", samples: ['{"name":"f"}'], beside: '"functions":[{"name":"f"}]' },
  { name: "reasoning_effort", samples: ['"high"', '"low"', '"medium"', '"minimal"', '"xhigh"', '"max"'] },
  { name: "verbosity", samples: ['"low"', '"high"'] },
  { name: "modalities", samples: ['["text","audio"]'] },
  { name: "audio", samples: ['{"voice":"alloy","format":"wav"}'] },
  { name: "prediction", samples: ['{"type":"content","content":"x"}'] },
  { name: "web_search_options", samples: ["{}", '{"search_context_size":"low"}'] },
  { name: "metadata", samples: ['{"a":"b"}'] },
  { name: "store", samples: ["true"] },
  { name: "service_tier", samples: ['"flex"', '"priority"', '"scale"', '"fast"'] },
  { name: "user", samples: ['"u-1"'] },
  { name: "safety_identifier", samples: ['"s-1"'] },
  { name: "prompt_cache_key", samples: ['"k-1"'] },
  { name: "prompt_cache_retention", samples: ['"24h"'] },
  { name: "prompt_cache_options", samples: ['{"mode":"explicit"}'] },
  { name: "moderation", samples: ['{"model":"omni-moderation-latest"}'] },
  // One nobody knows.
  { name: "x_unknown", samples: ['{"a":1}', "0", "false"] },
] as const satisfies readonly Parameter[];

export type ParameterName = (typeof parameters)[number]["name"];

/** One way an upstream is spoken with. */
export interface ParameterColumn {
  readonly id: string;
  /** For people: what the column is about. */
  readonly title: string;
  readonly provider: string;
  /** A model's name at the upstream that is as most of the column are. */
  readonly model: string;
  readonly upstream?: Partial<Upstream>;
  /**
   * What is not said here has this outcome: `kept` where requests pass as bytes,
   * `refused` where they are translated.
   */
  readonly otherwise: "kept" | "refused";
  readonly outcomes: Readonly<Partial<Record<ParameterName, Outcome>>>;
}

export const all = (outcome: Outcome, ...names: readonly ParameterName[]): ParameterColumn["outcomes"] =>
  Object.fromEntries(names.map((name) => [name, outcome]));

/** OpenAI's bookkeeping, where none of it is known. */
export const bookkeeping = all(
  "told",
  "verbosity",
  "metadata",
  "store",
  "service_tier",
  "user",
  "safety_identifier",
  "prompt_cache_retention",
  "prompt_cache_options",
);

/** What every protocol but OpenAI's says its own way, and what none of them has. */
export const translatedCommonly: ParameterColumn["outcomes"] = {
  ...all("translated", "max_completion_tokens", "max_tokens", "temperature", "top_p", "stop", "stream"),
  ...all("translated", "response_format", "tools", "tool_choice", "functions", "function_call"),
  ...bookkeeping,
  ...all("told", "prediction", "prompt_cache_key"),
  reasoning_effort: "translated",
  stream_options: "plaza",
};
