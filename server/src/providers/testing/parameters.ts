/**
 * For tests and documentation: how a provider or preset handles every chat parameter. Each provider has its
 * columns in its `testing/parameters.ts`. docs/operate/providers/parameters.md is generated from them, and
 * `parameters.test.ts` checks them against the encoders. Data only.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";

/**
 * `kept`: sent byte for byte. `translated`: sent in the upstream's format. `dropped`: left out, and listed in
 * `x-plaza-dropped-params`. `refused`: a 400 `unsupported_parameter` that names it (with
 * `x-plaza-drop-params: true` it is dropped and listed). `plaza`: not sent, because Plaza implements it.
 */
export type Outcome = "kept" | "translated" | "dropped" | "refused" | "plaza";

/** A parameter with values that ask for something, as JSON. */
interface Parameter {
  readonly name: string;
  /** The table describes the first one. */
  readonly samples: readonly string[];
  /** Members the parameter needs to make sense. */
  readonly beside?: string;
}

const tool = '{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}';
const schema =
  '{"type":"json_schema","json_schema":{"name":"a","schema":{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":false}}}';

/** All of OpenAI's parameters (openai-openapi 2.3.0 and openai-node 7.55.0) except `model` and `messages`. */
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
  // A parameter that no service knows.
  { name: "x_unknown", samples: ['{"a":1}', "0", "false"] },
] as const satisfies readonly Parameter[];

export type ParameterName = (typeof parameters)[number]["name"];

/** One column: a provider, preset or model group. */
export interface ParameterColumn {
  readonly id: string;
  /** The column's heading. */
  readonly title: string;
  readonly provider: string;
  /** The upstream model that represents the column. */
  readonly model: string;
  readonly upstream?: Partial<Upstream>;
  /**
   * The outcome of parameters not listed: `kept` where requests pass as bytes, `refused` where they are
   * translated.
   */
  readonly otherwise: "kept" | "refused";
  readonly outcomes: Readonly<Partial<Record<ParameterName, Outcome>>>;
}

export const all = (outcome: Outcome, ...names: readonly ParameterName[]): ParameterColumn["outcomes"] =>
  Object.fromEntries(names.map((name) => [name, outcome]));

/** OpenAI's bookkeeping parameters, for services that know none of them. */
export const bookkeeping = all(
  "dropped",
  "verbosity",
  "metadata",
  "store",
  "service_tier",
  "user",
  "safety_identifier",
  "prompt_cache_retention",
  "prompt_cache_options",
);

/** Parameters every protocol except OpenAI's translates, and those none of them has. */
export const translatedCommonly: ParameterColumn["outcomes"] = {
  ...all("translated", "max_completion_tokens", "max_tokens", "temperature", "top_p", "stop", "stream"),
  ...all("translated", "response_format", "tools", "tool_choice", "functions", "function_call"),
  ...bookkeeping,
  ...all("dropped", "prediction", "prompt_cache_key"),
  reasoning_effort: "translated",
  stream_options: "plaza",
};
