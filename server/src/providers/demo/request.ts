/**
 * Reads a checked chat request into what the demo model needs. Old names (functions, function_call,
 * max_tokens) become the new ones here, so no other file handles them. Run `checks.ts` first.
 */
import { isRecord, type JsonRecord, recordOf } from "../../lib/record.ts";
import { type Directives, readDirectives } from "./directives.ts";

export interface Tool {
  readonly type: "function" | "custom";
  readonly name: string;
  /** JSON Schema of a function's arguments. */
  readonly parameters: unknown;
}

export interface ToolUse {
  readonly tools: readonly Tool[];
  readonly mode: "none" | "auto" | "required";
  /** True when several tools may be called in one answer. */
  readonly isParallel: boolean;
  /** True for requests that use `functions`; they are answered with `function_call`. */
  readonly isLegacy: boolean;
}

export type Format =
  | { readonly kind: "text" | "json_object" }
  | { readonly kind: "json_schema"; readonly name: string; readonly schema: unknown };

/** Content of the caller's messages other than text. */
export interface Attachments {
  readonly image: number;
  readonly audio: number;
  readonly file: number;
}

export interface DemoRequest {
  readonly messages: readonly JsonRecord[];
  readonly directives: Directives;
  /** Tool results at the end of the conversation; empty when the last message is not a tool result. */
  readonly toolResults: readonly { readonly name: string; readonly text: string }[];
  readonly attachments: Attachments;
  readonly choices: number;
  readonly tokensMax: number;
  readonly stop: readonly string[];
  /** Number of alternatives per token; undefined for no logprobs. */
  readonly logprobs: number | undefined;
  readonly toolUse: ToolUse;
  readonly format: Format;
  /** Rounds of reasoning to show, from 0 (none) to 4. */
  readonly effort: number;
  readonly isAudio: boolean;
  /** True when the caller asked for usage in the stream. */
  readonly asksUsage: boolean;
  /** The tools as sent, for counting tokens. */
  readonly declaredTools: unknown;
}

/** The text of a message: its string, or its text parts joined by newlines. */
function textOf(message: JsonRecord | undefined): string {
  const content = message?.["content"];
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const texts = content.map((part) => (isRecord(part) ? part["text"] : undefined));
  return texts.filter((text) => typeof text === "string").join("\n");
}

function countAttachments(message: JsonRecord | undefined): Attachments {
  const content = message?.["content"];
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  const count = (type: string): number =>
    parts.filter((part) => isRecord(part) && part["type"] === type).length;
  return { image: count("image_url"), audio: count("input_audio"), file: count("file") };
}

/** Names of the functions called in an assistant message, by call id. */
function namesOfCalls(messages: readonly JsonRecord[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const message of messages) {
    const calls = message["tool_calls"];
    if (!Array.isArray(calls)) continue;
    for (const call of calls.filter(isRecord)) {
      const inner = recordOf(call["function"] ?? call["custom"]);
      names.set(String(call["id"]), String(inner["name"] ?? "tool"));
    }
  }
  return names;
}

/** Tool results at the very end of the conversation. */
function resultsAtEnd(messages: readonly JsonRecord[]): DemoRequest["toolResults"] {
  const isResult = (message: JsonRecord): boolean =>
    message["role"] === "tool" || message["role"] === "function";
  const start = messages.findLastIndex((message) => !isResult(message)) + 1;
  const names = namesOfCalls(messages);
  return messages.slice(start).map((message) => {
    const name = message["name"] ?? names.get(String(message["tool_call_id"])) ?? "tool";
    return { name: String(name), text: textOf(message) };
  });
}

function readTool(value: JsonRecord): Tool {
  const type = value["type"] === "custom" ? "custom" : "function";
  const inner = recordOf(value[type]);
  return { type, name: String(inner["name"]), parameters: inner["parameters"] };
}

/** `allowed_tools` limits the list. A named tool limits it to one tool, which must be called. */
function readToolUse(body: JsonRecord): ToolUse {
  const declared: readonly unknown[] = Array.isArray(body["tools"]) ? body["tools"] : [];
  if (declared.length === 0 && Array.isArray(body["functions"])) return readLegacy(body);
  const tools = declared.filter(isRecord).map(readTool);
  const use = { isParallel: body["parallel_tool_calls"] !== false, isLegacy: false };
  const choice = body["tool_choice"];
  if (!isRecord(choice)) {
    const mode = choice === "none" || choice === "required" ? choice : "auto";
    return { ...use, tools, mode };
  }
  if (choice["type"] !== "allowed_tools") {
    const named = readTool(choice).name;
    return { ...use, tools: tools.filter(({ name }) => name === named), mode: "required" };
  }
  const allowed = recordOf(choice["allowed_tools"]);
  const list: readonly unknown[] = Array.isArray(allowed["tools"]) ? allowed["tools"] : [];
  const names = new Set(list.filter(isRecord).map((tool) => readTool(tool).name));
  const mode = allowed["mode"] === "required" ? "required" : "auto";
  return { ...use, tools: tools.filter(({ name }) => names.has(name)), mode };
}

function readLegacy(body: JsonRecord): ToolUse {
  const functions = (body["functions"] as readonly unknown[]).filter(isRecord);
  const tools: Tool[] = functions.map((inner) => readTool({ type: "function", function: inner }));
  const choice = body["function_call"];
  const use = { isParallel: false, isLegacy: true };
  if (choice === "none") return { ...use, tools, mode: "none" };
  if (!isRecord(choice)) return { ...use, tools, mode: "auto" };
  return { ...use, tools: tools.filter(({ name }) => name === choice["name"]), mode: "required" };
}

function readFormat(body: JsonRecord): Format {
  const format = recordOf(body["response_format"]);
  if (format["type"] === "json_object") return { kind: "json_object" };
  if (format["type"] !== "json_schema") return { kind: "text" };
  const { name, schema } = recordOf(format["json_schema"]);
  return { kind: "json_schema", name: String(name), schema };
}

const rounds: Readonly<Record<string, number>> = { low: 1, medium: 2, high: 3, xhigh: 4, max: 4 };

const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

/** Reads a body that `findProblem` accepted. `tokensMax`: most output tokens the gateway allows. */
export function readRequest(body: JsonRecord, tokensMax = Number.POSITIVE_INFINITY): DemoRequest {
  const messages = (body["messages"] as readonly unknown[]).filter(isRecord);
  const lastUser = messages.findLast((message) => message["role"] === "user");
  const stop =
    typeof body["stop"] === "string" ? [body["stop"]] : Array.isArray(body["stop"]) ? body["stop"] : [];
  return {
    messages,
    directives: readDirectives(textOf(lastUser)),
    toolResults: resultsAtEnd(messages),
    attachments: countAttachments(lastUser),
    choices: numberOf(body["n"]) ?? 1,
    tokensMax: Math.min(
      tokensMax,
      numberOf(body["max_completion_tokens"]) ?? numberOf(body["max_tokens"]) ?? Number.POSITIVE_INFINITY,
    ),
    stop: stop.filter((text): text is string => typeof text === "string" && text !== ""),
    logprobs: body["logprobs"] === true ? (numberOf(body["top_logprobs"]) ?? 0) : undefined,
    toolUse: readToolUse(body),
    format: readFormat(body),
    effort: rounds[String(body["reasoning_effort"])] ?? 0,
    isAudio: Array.isArray(body["modalities"]) && body["modalities"].includes("audio"),
    asksUsage: recordOf(body["stream_options"])["include_usage"] === true,
    declaredTools: body["tools"] ?? body["functions"],
  };
}
