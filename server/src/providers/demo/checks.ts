/**
 * Refuses what OpenAI would refuse, with OpenAI's messages (docs/wire/openai-chat.md sections 1, 2, 3 and 7),
 * so that client code can be tested against the demo model. Fields not checked here are accepted.
 */
import { isRecord, type JsonRecord } from "../../lib/record.ts";

/** The content of a 400 from the demo. */
export interface Problem {
  readonly message: string;
  readonly param: string | null;
  readonly code: string | null;
}

/** Most choices per answer. OpenAI allows 128. */
const choicesMax = 8;

const problem = (message: string, param: string | null, code: string | null = null): Problem => ({
  message,
  param,
  code,
});

const roles = ["system", "assistant", "user", "function", "tool", "developer"];
const partTypes = ["text", "image_url", "input_audio", "file", "refusal"];
const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
const namePattern = /^[A-Za-z0-9_-]{1,64}$/;

const listed = (words: readonly string[]): string =>
  words.map((word, index) => `${index === words.length - 1 && index > 0 ? "and " : ""}'${word}'`).join(", ");

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

const kindOf = (value: unknown): string => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  return `a ${typeof value}`;
};

const wrongType = (param: string, wanted: string, value: unknown): Problem =>
  problem(
    `Invalid type for '${param}': expected ${wanted}, but got ${kindOf(value)} instead.`,
    param,
    "invalid_type",
  );

const wrongValue = (param: string, value: unknown, allowed: readonly string[]): Problem =>
  problem(
    `Invalid value: '${String(value).slice(0, 60)}'. Supported values are: ${listed(allowed)}.`,
    param,
    "invalid_value",
  );

const missing = (param: string): Problem =>
  problem(`Missing required parameter: '${param}'.`, param, "missing_required_parameter");

/** Checks a number from `least` to `most`. `kind` selects OpenAI's error code. */
function range(body: JsonRecord, param: string, kind: "decimal" | "integer", least: number, most: number) {
  const value = body[param];
  if (isAbsent(value)) return undefined;
  if (typeof value !== "number" || (kind === "integer" && !Number.isInteger(value))) {
    return wrongType(param, kind === "integer" ? "an integer" : "a decimal", value);
  }
  if (value > most) {
    const message = `Invalid '${param}': ${kind} above maximum value. Expected a value <= ${most}, but got ${value} instead.`;
    return problem(message, param, `${kind}_above_max_value`);
  }
  if (value >= least) return undefined;
  const message = `Invalid '${param}': ${kind} below minimum value. Expected a value >= ${least}, but got ${value} instead.`;
  return problem(message, param, `${kind}_below_min_value`);
}

function checkNumbers(body: JsonRecord): Problem | undefined {
  return (
    range(body, "temperature", "decimal", 0, 2) ??
    range(body, "top_p", "decimal", 0, 1) ??
    range(body, "frequency_penalty", "decimal", -2, 2) ??
    range(body, "presence_penalty", "decimal", -2, 2) ??
    range(body, "n", "integer", 1, choicesMax) ??
    range(body, "max_tokens", "integer", 1, 1e9) ??
    range(body, "max_completion_tokens", "integer", 1, 1e9) ??
    range(body, "top_logprobs", "integer", 0, 20)
  );
}

function checkOptions(body: JsonRecord): Problem | undefined {
  if (!isAbsent(body["top_logprobs"]) && body["logprobs"] !== true) {
    return problem("'top_logprobs' is only allowed when 'logprobs' is true.", "top_logprobs");
  }
  const { stop, reasoning_effort: effort, modalities } = body;
  if (Array.isArray(stop) && stop.length > 4) {
    const message = `Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length ${stop.length} instead.`;
    return problem(message, "stop", "array_above_max_length");
  }
  const isStop = isAbsent(stop) || typeof stop === "string" || Array.isArray(stop);
  if (!isStop || (Array.isArray(stop) && !stop.every((text) => typeof text === "string"))) {
    return wrongType("stop", "a string or an array of strings", stop);
  }
  if (!isAbsent(effort) && !efforts.includes(String(effort)))
    return wrongValue("reasoning_effort", effort, efforts);
  const hasAudio = Array.isArray(modalities) && modalities.includes("audio");
  return hasAudio && !isRecord(body["audio"]) ? missing("audio") : undefined;
}

function checkContent(content: unknown, path: string): Problem | undefined {
  if (typeof content === "string") return undefined;
  if (!Array.isArray(content)) return wrongType(path, "a string or an array of content parts", content);
  for (const [index, part] of content.entries()) {
    const param = `${path}[${index}]`;
    if (!isRecord(part)) return wrongType(param, "an object", part);
    const type = part["type"];
    if (isAbsent(type)) return missing(`${param}.type`);
    if (!partTypes.includes(String(type))) return wrongValue(`${param}.type`, type, partTypes);
    if (type === "text" && typeof part["text"] !== "string") return missing(`${param}.text`);
  }
  return undefined;
}

function checkMessage(message: unknown, index: number): Problem | undefined {
  const path = `messages[${index}]`;
  if (!isRecord(message)) return wrongType(path, "an object", message);
  const { role, content } = message;
  if (isAbsent(role)) return missing(`${path}.role`);
  if (!roles.includes(String(role))) return wrongValue(`${path}.role`, role, roles);
  if (role === "tool" && typeof message["tool_call_id"] !== "string") {
    return problem(`Missing parameter 'tool_call_id'`, `messages.[${index}].tool_call_id`);
  }
  if (role === "assistant" || role === "function") {
    return isAbsent(content) ? undefined : checkContent(content, `${path}.content`);
  }
  if (content === undefined) return missing(`${path}.content`);
  return checkContent(content, `${path}.content`);
}

/** The call ids of an assistant message. */
function callIds(message: JsonRecord): string[] {
  const calls = message["tool_calls"];
  if (message["role"] !== "assistant" || !Array.isArray(calls)) return [];
  return calls.map((call) => (isRecord(call) ? String(call["id"]) : ""));
}

/** Checks that tool messages answer every call before the next other message, and answer nothing else. */
function checkPairing(messages: readonly JsonRecord[]): Problem | undefined {
  let open = new Set<string>();
  let isAfterCalls = false;
  for (const [index, message] of [...messages, {}].entries()) {
    if (message["role"] === "tool") {
      if (!isAfterCalls || !open.delete(String(message["tool_call_id"]))) {
        const text =
          "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
        return problem(`Invalid parameter: ${text}`, `messages.[${index}].role`);
      }
      continue;
    }
    if (open.size > 0) {
      const rule = "must be followed by tool messages responding to each 'tool_call_id'.";
      const ids = [...open].join(", ").slice(0, 200);
      const text = `An assistant message with 'tool_calls' ${rule} The following tool_call_ids did not have response messages: ${ids}`;
      return problem(text, "messages");
    }
    open = new Set(callIds(message));
    isAfterCalls = open.size > 0;
  }
  return undefined;
}

function checkMessages(messages: unknown): Problem | undefined {
  if (isAbsent(messages)) return missing("messages");
  if (!Array.isArray(messages)) return wrongType("messages", "an array of objects", messages);
  if (messages.length === 0) {
    const message =
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.";
    return problem(message, "messages", "empty_array");
  }
  for (const [index, message] of messages.entries()) {
    const found = checkMessage(message, index);
    if (found !== undefined) return found;
  }
  return checkPairing(messages as JsonRecord[]);
}

function checkFormat(format: unknown): Problem | undefined {
  if (isAbsent(format)) return undefined;
  if (!isRecord(format)) return wrongType("response_format", "an object", format);
  const types = ["text", "json_object", "json_schema"];
  if (!types.includes(String(format["type"])))
    return wrongValue("response_format.type", format["type"], types);
  if (format["type"] !== "json_schema") return undefined;
  const schema = format["json_schema"];
  if (!isRecord(schema)) return missing("response_format.json_schema");
  if (isAbsent(schema["name"])) return missing("response_format.json_schema.name");
  if (!namePattern.test(String(schema["name"]))) {
    const pattern = "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$' of at most 64 characters.";
    const param = "response_format.json_schema.name";
    return problem(`Invalid '${param}': string does not match pattern. ${pattern}`, param, "invalid_value");
  }
  const inner = schema["schema"];
  return isAbsent(inner) || isRecord(inner)
    ? undefined
    : wrongType("response_format.json_schema.schema", "an object", inner);
}

/** Checks a declared tool: its `function` or `custom` part. */
function checkTool(tool: unknown, path: string): Problem | undefined {
  if (!isRecord(tool)) return wrongType(path, "an object", tool);
  const type = tool["type"];
  if (type !== "function" && type !== "custom")
    return wrongValue(`${path}.type`, type, ["function", "custom"]);
  const inner = tool[type];
  if (!isRecord(inner)) return missing(`${path}.${type}`);
  if (isAbsent(inner["name"])) return missing(`${path}.${type}.name`);
  if (namePattern.test(String(inner["name"]))) return undefined;
  const message = `Invalid '${path}.${type}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
  return problem(message, `${path}.${type}.name`, "invalid_value");
}

function checkTools(body: JsonRecord): Problem | undefined {
  const { tools, tool_choice: choice } = body;
  if (!isAbsent(tools) && !Array.isArray(tools)) return wrongType("tools", "an array of objects", tools);
  const list: readonly unknown[] = Array.isArray(tools) ? tools : [];
  for (const [index, tool] of list.entries()) {
    const found = checkTool(tool, `tools[${index}]`);
    if (found !== undefined) return found;
  }
  if (isAbsent(choice) || choice === "none") return undefined;
  if (list.length === 0) {
    return problem("'tool_choice' is only allowed when 'tools' are specified.", "tool_choice");
  }
  if (typeof choice === "string") {
    const words = ["none", "auto", "required"];
    return words.includes(choice) ? undefined : wrongValue("tool_choice", choice, words);
  }
  if (!isRecord(choice))
    return wrongType("tool_choice", "one of 'none', 'auto', 'required' or an object", choice);
  return checkChoice(choice, list as JsonRecord[]);
}

/** Checks that each of the old `functions` has a name; their other members are not checked. */
function checkFunctions(functions: unknown): Problem | undefined {
  if (isAbsent(functions)) return undefined;
  if (!Array.isArray(functions)) return wrongType("functions", "an array of objects", functions);
  const index = functions.findIndex(
    (tool) => !isRecord(tool) || !namePattern.test(String(tool["name"] ?? "")),
  );
  return index < 0 ? undefined : missing(`functions[${index}].name`);
}

/** Checks that a tool named in `tool_choice` is declared. */
function checkChoice(choice: JsonRecord, tools: readonly JsonRecord[]): Problem | undefined {
  const type = choice["type"];
  if (type === "allowed_tools")
    return isRecord(choice[type]) ? undefined : missing("tool_choice.allowed_tools");
  if (type !== "function" && type !== "custom") {
    return wrongValue("tool_choice.type", type, ["function", "custom", "allowed_tools"]);
  }
  const named = choice[type];
  const name = isRecord(named) ? named["name"] : undefined;
  if (isAbsent(name)) return missing(`tool_choice.${type}.name`);
  const isDeclared = tools.some((tool) => isRecord(tool[type]) && tool[type]["name"] === name);
  return isDeclared
    ? undefined
    : problem(`Tool choice '${String(name).slice(0, 64)}' not found in 'tools' parameter.`, "tool_choice");
}

/** The first problem OpenAI would report; undefined when the request is valid. */
export function findProblem(body: unknown): Problem | undefined {
  if (!isRecord(body)) {
    return problem("We could not parse the JSON body of your request. It must be an object.", null);
  }
  return (
    checkMessages(body["messages"]) ??
    checkNumbers(body) ??
    checkOptions(body) ??
    checkFormat(body["response_format"]) ??
    checkTools(body) ??
    checkFunctions(body["functions"])
  );
}
