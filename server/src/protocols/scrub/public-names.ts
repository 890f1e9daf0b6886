/**
 * Names of parameters and paths of public APIs that may appear in errors about a caller's own request: they
 * help and are no secret. `scrub.ts` asks this file what to leave unchanged.
 */

/**
 * From the references of OpenAI, Anthropic, Gemini and Bedrock (2026-11): request fields, and the paths that
 * errors use for them.
 */
const names = `
  body model messages content role name type text image_url url detail input_audio audio data format file file_id file_data filename
  tools tool function functions function_call custom parameters properties required items item schema strict description arguments
  tool_choice tool_calls tool_call_id tool_use tool_use_id tool_result is_error parallel_tool_calls allowed_tools mode call calls id ids index
  response_format json_schema json_object json additionalProperties anyOf oneOf allOf defs definitions enum const pattern minimum maximum
  max_tokens max_completion_tokens max_output_tokens temperature top_p top_k min_p n stop stop_sequences seed stream stream_options
  include_usage include include_obfuscation frequency_penalty presence_penalty repetition_penalty logit_bias logprobs top_logprobs
  reasoning_effort reasoning reasoning_content reasoning_details summary effort verbosity modalities voice prediction metadata store
  service_tier user user_id safety_identifier prompt_cache_retention prompt_cache_options prompt cache caching moderation policy
  web_search_options web_search search_context_size user_location approximate country city region timezone options choices choice delta
  message usage finish_reason reason assistant system developer user refusal completion previous_response_id instructions truncation
  thinking enabled disabled adaptive display budget_tokens thinking_budget token_budget between_tools redacted_thinking output_config output
  input inputs input_schema cache_control ephemeral ttl source sources base64 media_type document title context citations citation text_delta
  stop_reason container context_management betas speed list dict str int float bool object array string number null value values
  signature block blocks blob bytes image images video server_tool_use mcp
  GenerateContentRequest contents content parts part inlineData mimeType fileData fileUri functionCall functionResponse
  function_declarations functionDeclarations parametersJsonSchema generation_config generationConfig responseSchema responseJsonSchema
  response_schema response_mime_type responseMimeType responseModalities responseLogprobs candidateCount maxOutputTokens stopSequences
  topP topK thinking_config thinkingConfig thinkingLevel thinking_level includeThoughts include_thoughts safetySettings safety_settings category
  threshold toolConfig functionCallingConfig allowedFunctionNames systemInstruction system_instruction cachedContent cached_content labels
  speechConfig imageConfig mediaResolution
  inferenceConfig maxTokens toolSpec inputSchema toolChoice toolUse toolUseId toolResult reasoningContent reasoningText cachePoint
  additionalModelRequestFields outputConfig textFormat structure jsonSchema guardrailConfig requestMetadata performanceConfig latency
  serviceTier converse invoke
  chat completions responses embeddings embedding models moderations images generations edits variations speech transcriptions translations
  files batches rerank realtime assistants threads runs conversations count_tokens countTokens generateContent streamGenerateContent
  extra extra_body query header parameter request response error
`;

/** The words of a name: `inputSchema` and `input_schema` have the same ones. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");

const words: ReadonlySet<string> = new Set(wordsOf(names));

/** Names that look like names of secrets. */
const wholeNames: ReadonlySet<string> = new Set([
  "prompt_cache_key",
  "promptCacheKey",
  "thought_signature",
  "thoughtSignature",
]);

const version = /^v\d{1,2}(?:(?:alpha|beta)\d{0,2})?$/;
const shape = /^(?:#\/?|\/)?[a-z_]\w*(?:[./[\]]{1,2}\w+){0,30}\]?$/i;

/** Names below these are chosen by the caller. */
const ownBelow: ReadonlySet<string> = new Set(["properties", "defs", "definitions"]);
const ownName = /^[a-z_]\w{0,63}$/i;

function isPublicSegment(segment: string): boolean {
  if (/^\d{1,4}$/.test(segment) || version.test(segment) || wholeNames.has(segment)) return true;
  const parts = wordsOf(segment);
  return parts.length > 0 && parts.every((part) => words.has(part) || /^\d{1,2}$/.test(part));
}

/** What `scrub.ts` considers suspicious. */
export interface Suspicions {
  /** Last labels of host names, lower case. */
  readonly hostEndings: ReadonlySet<string>;
  /** True when the text contains nothing that looks like a secret. */
  readonly isHarmless: (text: string) => boolean;
}

/**
 * True for a path of fields (`messages[0].content.1.text`, `#/messages/0/content`, `schema.properties.city`),
 * a path of a public API (`/v1/chat/completions`), or a parameter whose name looks like a secret's. Plain
 * words need no permission, so they are false. Host names are always false.
 */
export function isPublicName(text: string, { hostEndings, isHarmless }: Suspicions): boolean {
  if (wholeNames.has(text)) return true;
  if (!/[./[]/.test(text) || text.length > 200 || !shape.test(text)) return false;
  // An IP address, or a text with slashes after a dot.
  if (/\d+(?:\.\d+){3}/.test(text) || /^[^/#][^/]*\..*\//.test(text)) return false;
  const segments = text.split(/[./[\]#]+/).filter((segment) => segment !== "");
  // Some services have their API below this path.
  if (text.startsWith("/api/")) segments.shift();
  const last = segments.at(-1) ?? "";
  const isDotted = !text.includes("/") && !text.includes("[");
  if (isDotted && hostEndings.has(last.toLowerCase())) return false;
  const own = segments.findIndex((segment, index) => index > 0 && ownBelow.has(segment));
  const theirs = segments.filter((segment, index) => own >= 0 && index > own && !isPublicSegment(segment));
  return (
    segments.every((segment) => isPublicSegment(segment) || theirs.includes(segment)) &&
    theirs.every((name) => ownName.test(name) && isHarmless(name)) &&
    isHarmless(theirs.join("/"))
  );
}
