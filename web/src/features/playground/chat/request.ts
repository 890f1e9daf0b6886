/**
 * The body of a call from what was chosen on the page. A parameter that is not set is not sent, so that the
 * model's own default holds. Knows no network and no React.
 */

import { toolsOf } from "./tools.ts";

/** An image, sound or document of a message: a data URL and what it is called. */
export interface GivenImage {
  readonly id: string;
  readonly name: string;
  readonly dataUrl: string;
  readonly bytes: number;
}

/** A call of a tool that a model asked for. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, as it came. */
  readonly arguments: string;
}

/** What a tool gave back. */
export interface ToolResult {
  /** Of the call. */
  readonly id: string;
  readonly text: string;
}

/** One message as it is kept on the page. */
export interface GivenMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
  readonly images: readonly GivenImage[];
  /** Of an assistant, when their results follow. */
  readonly toolCalls?: readonly ToolCall[];
  /** Of a tool: the call that it answers. */
  readonly toolCallId?: string;
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
  /** A JSON list of tools. */
  readonly tools: string;
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
  tools: "",
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
  return [...(text === "" ? [] : [{ type: "text", text }]), ...images.map(attachmentPart)];
}

/** The type of a data URL, as in `image/png`. */
export function mediaTypeOf(dataUrl: string): string {
  return /^data:([^;,]+)/.exec(dataUrl)?.[1] ?? "";
}

/** An image, a sound or a document as OpenAI has it. */
function attachmentPart({ name, dataUrl }: GivenImage): unknown {
  const type = mediaTypeOf(dataUrl);
  if (type.startsWith("audio/")) {
    const data = dataUrl.slice(dataUrl.indexOf(",") + 1);
    return { type: "input_audio", input_audio: { data, format: type === "audio/mpeg" ? "mp3" : "wav" } };
  }
  if (type.startsWith("image/")) return { type: "image_url", image_url: { url: dataUrl } };
  return { type: "file", file: { filename: name, file_data: dataUrl } };
}

function messageOf(message: GivenMessage): unknown {
  const { role, text, toolCalls = [], toolCallId } = message;
  if (role === "tool") return { role, tool_call_id: toolCallId, content: text };
  if (toolCalls.length === 0) return { role, content: contentOf(message) };
  return {
    role,
    content: text === "" ? null : text,
    tool_calls: toolCalls.map(({ id, name, arguments: given }) => ({
      id,
      type: "function",
      function: { name, arguments: given },
    })),
  };
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
  const tools = toolsOf(parameters.tools) ?? [];
  return {
    model,
    messages: [
      ...(system.trim() === "" ? [] : [{ role: "system", content: system }]),
      ...messages.map(messageOf),
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
    ...(tools.length === 0 ? {} : { tools }),
    ...(parameters.reasoningEffort === "" ? {} : { reasoning_effort: parameters.reasoningEffort }),
  };
}

/** The request body as sent, which the displayed curl command contains byte for byte. */
export function bodyText(body: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(body, null, 2);
}
