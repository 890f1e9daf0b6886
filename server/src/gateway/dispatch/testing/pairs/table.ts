/**
 * What becomes of every case with every pair of a caller's format and an upstream. Written down here; docs/
 * (call/pairs.md) is made of it, and `pairs.test.ts` holds the product to it.
 */
import type { CallerName } from "./callers.ts";
import type { CaseName } from "./cases.ts";
import type { UpstreamName } from "./upstreams.ts";

export type Row = Readonly<Record<UpstreamName, string>>;

const everywhere = (outcome: string): Row => ({
  chat: outcome,
  responses: outcome,
  messages: outcome,
  vertex: outcome,
  gemini: outcome,
  converse: outcome,
});

/** Kept at all upstreams; at these the bytes pass. */
const keptBut = (...passing: readonly UpstreamName[]): Row => ({
  ...everywhere("kept"),
  ...Object.fromEntries(passing.map((name) => [name, "passed"])),
});

export const pairTable: Readonly<Record<CallerName, Readonly<Record<CaseName, Row>>>> = {
  chat: {
    text: keptBut("chat"),
    "parallel tools": keptBut("chat"),
    images: keptBut("chat"),
    reasoning: {
      chat: "passed as `reasoning_effort: high`; thoughts shown, come back in words",
      responses: "kept as `reasoning.effort: high`; thoughts shown, come back whole",
      messages: "kept as `thinking: adaptive`, `output_config.effort: high`; thoughts shown, come back whole",
      vertex: "kept as `thinking: adaptive`, `output_config.effort: high`; thoughts shown, come back whole",
      gemini: "kept as `thinkingConfig.thinkingLevel: HIGH`; thoughts shown, come back whole",
      converse: "kept as `additionalModelRequestFields.thinking: 12000`; thoughts shown, come back whole",
    },
    structured: {
      chat: "passed",
      responses: "kept as `text.format`",
      messages: "kept as `output_config.format`",
      vertex: "kept as `tools.input_schema`",
      gemini: "kept as `generationConfig.responseJsonSchema`",
      converse: "kept as `outputConfig.textFormat.structure.jsonSchema.schema`",
    },
    refusal: {
      chat: "`finish_reason: stop` with its words",
      responses: "`finish_reason: stop` with its words",
      messages: "`finish_reason: content_filter`",
      vertex: "`finish_reason: content_filter`",
      gemini: "`finish_reason: content_filter`",
      converse: "`finish_reason: content_filter`",
    },
    length: everywhere("`finish_reason: length`"),
    filter: everywhere("`finish_reason: content_filter`"),
    "error before": everywhere("503 `no_available_upstream`"),
    "error after": everywhere("text, then `no_available_upstream`"),
    cut: everywhere("text, then `upstream_error`"),
  },
  responses: {
    text: keptBut("responses"),
    "parallel tools": keptBut("responses"),
    images: keptBut("responses"),
    reasoning: {
      chat: "kept as `reasoning_effort: high`; thoughts shown, do not come back",
      responses: "passed as `reasoning.effort: high`; thoughts shown, come back whole",
      messages: "kept as `thinking: adaptive`, `output_config.effort: high`; thoughts shown, come back whole",
      vertex: "kept as `thinking: adaptive`, `output_config.effort: high`; thoughts shown, come back whole",
      gemini: "kept as `thinkingConfig.thinkingLevel: HIGH`; thoughts shown, come back whole",
      converse: "kept as `additionalModelRequestFields.thinking: 12000`; thoughts shown, come back whole",
    },
    structured: {
      chat: "kept as `response_format.json_schema`",
      responses: "passed",
      messages: "kept as `output_config.format`",
      vertex: "kept as `tools.input_schema`",
      gemini: "kept as `generationConfig.responseJsonSchema`",
      converse: "kept as `outputConfig.textFormat.structure.jsonSchema.schema`",
    },
    refusal: {
      chat: "`status: completed` with its words",
      responses: "`status: completed` with its words",
      messages: "`status: incomplete (content_filter)`",
      vertex: "`status: incomplete (content_filter)`",
      gemini: "`status: incomplete (content_filter)`",
      converse: "`status: incomplete (content_filter)`",
    },
    length: everywhere("`status: incomplete (max_output_tokens)`"),
    filter: everywhere("`status: incomplete (content_filter)`"),
    "error before": everywhere("503 `no_available_upstream`"),
    "error after": everywhere("text, then `server_error`"),
    cut: everywhere("text, then `server_error`"),
  },
  messages: {
    text: keptBut("messages", "vertex"),
    "parallel tools": keptBut("messages", "vertex"),
    images: keptBut("messages", "vertex"),
    reasoning: {
      chat: "kept as `reasoning_effort: medium`; thoughts shown, do not come back",
      responses: "kept as `reasoning.effort: medium`; thoughts shown, come back whole",
      messages:
        "passed as `thinking: enabled`, `thinking.budget_tokens: 10000`; thoughts shown, come back whole",
      vertex:
        "passed as `thinking: enabled`, `thinking.budget_tokens: 10000`; thoughts shown, come back whole",
      gemini: "kept as `thinkingConfig.thinkingLevel: HIGH`; thoughts shown, come back whole",
      converse: "kept as `additionalModelRequestFields.thinking: 10000`; thoughts shown, come back whole",
    },
    structured: {
      chat: "kept as `response_format.json_schema`",
      responses: "kept as `text.format`",
      messages: "passed",
      vertex: "passed",
      gemini: "kept as `generationConfig.responseJsonSchema`",
      converse: "kept as `outputConfig.textFormat.structure.jsonSchema.schema`",
    },
    refusal: {
      chat: "`stop_reason: refusal` with its words",
      responses: "`stop_reason: refusal` with its words",
      messages: "`stop_reason: refusal`",
      vertex: "`stop_reason: refusal`",
      gemini: "`stop_reason: refusal`",
      converse: "`stop_reason: refusal`",
    },
    length: everywhere("`stop_reason: max_tokens`"),
    filter: everywhere("`stop_reason: refusal`"),
    "error before": everywhere("503 `no_available_upstream`"),
    "error after": everywhere("text, then `no_available_upstream`"),
    cut: everywhere("text, then `upstream_error`"),
  },
  gemini: {
    text: keptBut("gemini"),
    "parallel tools": keptBut("gemini"),
    images: keptBut("gemini"),
    reasoning: {
      chat: "kept as `reasoning_effort: high`; thoughts shown, do not come back",
      responses: "kept as `reasoning.effort: high`; thoughts shown, come back whole",
      messages: "kept as `thinking: adaptive`, `output_config.effort: high`; thoughts shown, come back whole",
      vertex: "kept as `thinking: adaptive`, `output_config.effort: high`; thoughts shown, come back whole",
      gemini: "passed as `thinkingConfig.thinkingLevel: high`; thoughts shown, come back whole",
      converse: "kept as `additionalModelRequestFields.thinking: 12000`; thoughts shown, come back whole",
    },
    structured: {
      chat: "kept as `response_format.json_schema`",
      responses: "kept as `text.format`",
      messages: "kept as `output_config.format`",
      vertex: "kept as `tools.input_schema`",
      gemini: "passed",
      converse: "kept as `outputConfig.textFormat.structure.jsonSchema.schema`",
    },
    refusal: {
      chat: "`finishReason: STOP`, its words as text",
      responses: "`finishReason: STOP`, its words as text",
      messages: "`blockReason: SAFETY`",
      vertex: "`blockReason: SAFETY`",
      gemini: "`finishReason: PROHIBITED_CONTENT`",
      converse: "`blockReason: SAFETY`",
    },
    length: everywhere("`finishReason: MAX_TOKENS`"),
    filter: everywhere("`finishReason: SAFETY`"),
    "error before": everywhere("503 `NO_AVAILABLE_UPSTREAM`"),
    "error after": everywhere("text, then `NO_AVAILABLE_UPSTREAM`"),
    cut: everywhere("text, then `UPSTREAM_ERROR`"),
  },
};

/** What the formats and services are called in documents. */
export const callerTitles: Readonly<Record<CallerName, string>> = {
  chat: "Chat completions",
  responses: "Responses",
  messages: "Messages",
  gemini: "Gemini",
};

export const upstreamTitles: Readonly<Record<UpstreamName, string>> = {
  chat: "Chat completions",
  responses: "Responses",
  messages: "Messages",
  vertex: "Messages on Vertex AI",
  gemini: "Gemini",
  converse: "Converse on Bedrock",
};

export const caseTitles: Readonly<Record<CaseName, string>> = {
  text: "text",
  "parallel tools": "parallel tool calls",
  images: "images",
  reasoning: "reasoning, and a tool's result after it",
  structured: "structured output",
  refusal: "the model refuses",
  length: "the output's limit is reached",
  filter: "a filter ends the answer",
  "error before": "the upstream is overloaded",
  "error after": "it fails after text was sent",
  cut: "its connection breaks after text was sent",
};
