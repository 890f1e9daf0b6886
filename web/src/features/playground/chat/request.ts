/**
 * The body of a call from what was chosen on the page. A parameter that is not set is not sent, so that the
 * model's own default holds. Knows no network and no React.
 */

/** An image of a message: a data URL and what it is called. */
export interface GivenImage {
  readonly id: string;
  readonly name: string;
  readonly dataUrl: string;
  readonly bytes: number;
}

/** One message as it is kept on the page. */
export interface GivenMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly images: readonly GivenImage[];
}

/** null and empty texts are not sent. */
export interface ChatParameters {
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly maxTokens: number | null;
  readonly seed: number | null;
  readonly frequencyPenalty: number | null;
  readonly presencePenalty: number | null;
  /** One a line. */
  readonly stop: string;
  readonly responseFormat: "" | "text" | "json_object" | "json_schema";
  /** A JSON Schema as text, for `json_schema`. */
  readonly schema: string;
  readonly reasoningEffort: "" | "none" | "minimal" | "low" | "medium" | "high";
  /** false: the answer comes in one piece. */
  readonly stream: boolean;
}

export const unsetParameters: ChatParameters = {
  temperature: null,
  topP: null,
  maxTokens: null,
  seed: null,
  frequencyPenalty: null,
  presencePenalty: null,
  stop: "",
  responseFormat: "",
  schema: "",
  reasoningEffort: "",
  stream: true,
};

/** Most texts that end an answer, as OpenAI has it. */
export const stopsMax = 4;

/** The stop sequences; a typed `\n` means a line break. */
export function stopsOf(text: string): string[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.replaceAll("\\n", "\n"));
}

/** The parsed schema, or undefined when the text is no JSON object. */
export function schemaOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
    return isObject ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** How many parameters are set, for a badge. */
export function countSet(parameters: ChatParameters): number {
  const names = Object.keys(unsetParameters) as (keyof ChatParameters)[];
  return names.filter((name) => name !== "schema" && parameters[name] !== unsetParameters[name]).length;
}

function contentOf({ text, images }: GivenMessage): unknown {
  if (images.length === 0) return text;
  return [
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...images.map((image) => ({ type: "image_url", image_url: { url: image.dataUrl } })),
  ];
}

function formatOf({ responseFormat, schema }: ChatParameters): unknown {
  if (responseFormat !== "json_schema") return { type: responseFormat };
  return { type: "json_schema", json_schema: { name: "answer", schema: schemaOf(schema) ?? {} } };
}

/** The body as an object, in the order people write it. */
export function chatBody(
  model: string,
  system: string,
  messages: readonly GivenMessage[],
  parameters: ChatParameters,
): Record<string, unknown> {
  const stops = stopsOf(parameters.stop);
  return {
    model,
    messages: [
      ...(system.trim() === "" ? [] : [{ role: "system", content: system }]),
      ...messages.map((message) => ({ role: message.role, content: contentOf(message) })),
    ],
    ...(parameters.stream ? { stream: true } : {}),
    ...(parameters.temperature === null ? {} : { temperature: parameters.temperature }),
    ...(parameters.topP === null ? {} : { top_p: parameters.topP }),
    ...(parameters.maxTokens === null ? {} : { max_completion_tokens: parameters.maxTokens }),
    ...(stops.length === 0 ? {} : { stop: stops }),
    ...(parameters.seed === null ? {} : { seed: parameters.seed }),
    ...(parameters.frequencyPenalty === null ? {} : { frequency_penalty: parameters.frequencyPenalty }),
    ...(parameters.presencePenalty === null ? {} : { presence_penalty: parameters.presencePenalty }),
    ...(parameters.responseFormat === "" ? {} : { response_format: formatOf(parameters) }),
    ...(parameters.reasoningEffort === "" ? {} : { reasoning_effort: parameters.reasoningEffort }),
  };
}

/** The request body as sent, which the displayed curl command contains byte for byte. */
export function bodyText(body: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(body, null, 2);
}
