/**
 * A caller's chat request as every translating provider reads it: parsed once, checked for shape, old names (functions,
 * function_call, max_tokens) read into the new ones. Values stay the caller's; what they become upstream is the provider's. What
 * is wrong in any protocol is refused by name here, so that no provider meets it.
 */
import { isRecord, type JsonRecord, recordOf } from "../../lib/record.ts";
import type { ProviderRequest } from "../protocol.ts";
import { invalid } from "../untranslatable.ts";
import { type ContentPart, readContent } from "./content.ts";
import { readTools, type ToolUse } from "./tools.ts";

/** A call of a tool in an assistant message. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON as the model wrote it, perhaps empty or broken; of a custom tool its plain input. */
  readonly arguments: string;
  readonly isCustom: boolean;
  /** The call as the caller sent it: vendors' extras live there. */
  readonly raw: JsonRecord;
}

/** `raw`: the message as sent, where extensions (reasoning, cache marks) are found. `path`: `messages[i]`, for refusals. */
export type ChatMessage = { readonly raw: JsonRecord; readonly path: string } & (
  | { readonly role: "system" | "user"; readonly content: readonly ContentPart[] }
  | {
      readonly role: "assistant";
      readonly content: readonly ContentPart[];
      readonly toolCalls: readonly ToolCall[];
    }
  | {
      readonly role: "tool";
      readonly content: readonly ContentPart[];
      readonly toolCallId: string;
      /** The function's name, where the call it answers is in the conversation or the message says it. */
      readonly name: string | undefined;
    }
);

/** How the answer is to be written. */
export type ResponseFormat =
  | { readonly kind: "text" | "json_object" }
  | {
      readonly kind: "json_schema";
      readonly name: string;
      readonly description: string | undefined;
      readonly schema: JsonRecord;
      readonly isStrict: boolean;
    };

export interface ChatRequest {
  /** The whole body. */
  readonly raw: JsonRecord;
  readonly messages: readonly ChatMessage[];
  readonly toolUse: ToolUse;
  readonly format: ResponseFormat;
  /** None twice; at most 16. */
  readonly stop: readonly string[];
  /** What is asked for at most, per choice, cut down to what is paid for; undefined = nothing was said. */
  readonly outputTokens: number | undefined;
  readonly choices: number;
  /** `reasoning_effort`, lower case; undefined where not said. */
  readonly effort: string | undefined;
}

const stopMax = 16;

/** Bodies are parsed once, however many attempts read them. */
const parsed = new WeakMap<Buffer, JsonRecord>();

function bodyOf(body: Buffer): JsonRecord {
  const known = parsed.get(body);
  if (known !== undefined) return known;
  const value = recordOf(JSON.parse(body.toString("utf8")));
  parsed.set(body, value);
  return value;
}

/** A finite number; undefined when absent or null. Throws for anything else. */
export function numberOf(raw: JsonRecord, name: string): number | undefined {
  const value = raw[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number" || !Number.isFinite(value))
    throw invalid(name, `'${name}' must be a number.`);
  return value;
}

function countOf(raw: JsonRecord, name: string): number | undefined {
  const value = numberOf(raw, name);
  if (value === undefined) return undefined;
  if (!Number.isInteger(value) || value < 1)
    throw invalid(name, `'${name}' must be a positive whole number.`);
  return value;
}

function readStop(raw: JsonRecord): string[] {
  const value = raw["stop"];
  if (value === undefined || value === null) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length > stopMax) throw invalid("stop", `'stop' must hold at most ${stopMax} texts.`);
  for (const text of list) {
    if (typeof text !== "string") throw invalid("stop", "'stop' must be a text or a list of texts.");
  }
  return [...new Set(list as string[])].filter((text) => text !== "");
}

function readFormat(raw: JsonRecord): ResponseFormat {
  const value = raw["response_format"];
  if (value === undefined || value === null) return { kind: "text" };
  const { type, json_schema: given } = recordOf(value);
  if (type === "text" || type === "json_object") return { kind: type };
  if (type !== "json_schema") {
    throw invalid("response_format.type", "'response_format.type' must be text, json_object or json_schema.");
  }
  const { name, description, schema, strict } = recordOf(given);
  if (!isRecord(schema)) {
    throw invalid("response_format.json_schema.schema", "A JSON Schema object is needed here.");
  }
  return {
    kind: "json_schema",
    name: typeof name === "string" && name !== "" ? name : "answer",
    description: typeof description === "string" ? description : undefined,
    schema,
    isStrict: strict === true,
  };
}

function readToolCalls(message: JsonRecord, path: string): ToolCall[] {
  const list = message["tool_calls"] ?? [];
  if (!Array.isArray(list)) throw invalid(`${path}.tool_calls`, "'tool_calls' must be a list.");
  const calls = list.map((value, index): ToolCall => {
    const raw = recordOf(value);
    const isCustom = raw["type"] === "custom";
    const called = recordOf(isCustom ? raw["custom"] : raw["function"]);
    const given = isCustom ? called["input"] : called["arguments"];
    const name = called["name"];
    if (typeof name !== "string" || name === "") {
      throw invalid(`${path}.tool_calls[${index}].function.name`, "A tool call needs the function's name.");
    }
    if (typeof raw["id"] !== "string" || raw["id"] === "") {
      throw invalid(`${path}.tool_calls[${index}].id`, "A tool call needs an id.");
    }
    return { id: raw["id"], name, arguments: typeof given === "string" ? given : "", isCustom, raw };
  });
  const legacy = message["function_call"];
  if (isRecord(legacy)) {
    const { name, arguments: given } = legacy;
    if (typeof name !== "string" || name === "") {
      throw invalid(`${path}.function_call.name`, "A function call needs the function's name.");
    }
    calls.push({
      id: legacyId(path),
      name,
      arguments: typeof given === "string" ? given : "",
      isCustom: false,
      raw: legacy,
    });
  }
  return calls;
}

/** Calls of the old kind have no id: one is made up from where they stand. */
const legacyId = (path: string): string => `call_${path.replace(/\D+/g, "")}`;

/** The calls made so far: names by id, and the last one of the old kind. */
interface Called {
  readonly names: Map<string, string>;
  legacy: string | undefined;
}

function readToolResult(raw: JsonRecord, path: string, called: Called): ChatMessage {
  const isLegacy = raw["role"] === "function";
  const id = isLegacy ? called.legacy : raw["tool_call_id"];
  if (typeof id !== "string" || id === "") {
    throw isLegacy
      ? invalid(path, "A message with the role 'function' must follow the function call it answers.")
      : invalid(`${path}.tool_call_id`, "A tool message needs the id of the call it answers.");
  }
  const given = raw["name"];
  const name = called.names.get(id) ?? (typeof given === "string" && given !== "" ? given : undefined);
  return { raw, path, role: "tool", content: readContent(raw["content"], path), toolCallId: id, name };
}

function readMessage(value: unknown, path: string, called: Called): ChatMessage {
  if (!isRecord(value)) throw invalid(path, `'${path}' must be an object.`);
  const raw = value;
  switch (raw["role"]) {
    case "system":
    case "developer":
      return { raw, path, role: "system", content: readContent(raw["content"], path) };
    case "user":
      return { raw, path, role: "user", content: readContent(raw["content"], path) };
    case "assistant": {
      const toolCalls = readToolCalls(raw, path);
      for (const { id, name } of toolCalls) called.names.set(id, name);
      if (isRecord(raw["function_call"])) called.legacy = toolCalls.at(-1)?.id;
      return { raw, path, role: "assistant", content: readContent(raw["content"], path), toolCalls };
    }
    case "tool":
    case "function":
      return readToolResult(raw, path, called);
    default:
      throw invalid(`${path}.role`, `'${path}.role' must be system, developer, user, assistant or tool.`);
  }
}

function readEffort(raw: JsonRecord): string | undefined {
  const value = raw["reasoning_effort"] ?? recordOf(raw["reasoning"])["effort"];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw invalid("reasoning_effort", "'reasoning_effort' must be a text.");
  return value.toLowerCase();
}

/** Reads a request whose bytes are known to be a JSON object. Throws `Untranslatable` for what no protocol could take. */
export function readChatRequest(request: ProviderRequest): ChatRequest {
  const raw = bodyOf(request.body);
  const list = Array.isArray(raw["messages"]) ? raw["messages"] : [];
  const called: Called = { names: new Map(), legacy: undefined };
  const messages = list.map((message, index) => readMessage(message, `messages[${index}]`, called));
  const asked = countOf(raw, "max_completion_tokens") ?? countOf(raw, "max_tokens");
  const paid = request.outputTokensMax;
  return {
    raw,
    messages,
    toolUse: readTools(raw),
    format: readFormat(raw),
    stop: readStop(raw),
    outputTokens: asked === undefined || paid === undefined ? (asked ?? paid) : Math.min(asked, paid),
    choices: countOf(raw, "n") ?? 1,
    effort: readEffort(raw),
  };
}
