/**
 * Decodes the tools of a chat request and the choice among them, including the old `functions` and
 * `function_call`.
 */
import { message } from "@plaza/contract/messages/message.ts";
import type { Tool, ToolChoice, ToolUse } from "../../conversation/tools.ts";
import { isRecord, type JsonRecord, recordOf } from "../../lib/record.ts";
import { invalid } from "../untranslatable.ts";
import { cacheOf, extrasOf } from "./decode-content.ts";

const toolsMax = 1_024;

const toolFields = new Set(["type", "function", "custom", "cache_control"]);
const functionFields = new Set(["name", "description", "parameters", "strict", "cache_control"]);

interface Declaration {
  readonly path: string;
  /** Path of the name, for refusals by encoders. */
  readonly at: string;
  readonly declarationPath: string;
  readonly isCustom: boolean;
  readonly cache: Tool["cache"];
  readonly extras: JsonRecord | undefined;
}

function readTool(value: unknown, path: string): Tool {
  const raw = recordOf(value);
  const isCustom = raw["type"] === "custom";
  if (!isCustom && raw["type"] !== "function") {
    throw invalid(`${path}.type`, message("wire.toolType", { param: path }));
  }
  const at = `${path}.${isCustom ? "custom" : "function"}`;
  return readDeclaration(recordOf(isCustom ? raw["custom"] : raw["function"]), {
    path,
    at,
    declarationPath: at,
    isCustom,
    cache: cacheOf(raw, path) ?? cacheOf(recordOf(raw["function"]), at),
    extras: extrasOf(raw, toolFields),
  });
}

function readFunction(value: unknown, path: string): Tool {
  const raw = recordOf(value);
  return readDeclaration(raw, {
    path,
    at: path,
    declarationPath: `${path}.function`,
    isCustom: false,
    cache: cacheOf(raw, path),
    extras: extrasOf(raw, functionFields),
  });
}

/** A custom tool's input grammar; undefined for free text. */
function grammarOf(declared: JsonRecord): JsonRecord | undefined {
  const { format } = declared;
  return isRecord(format) && (format["type"] ?? "text") !== "text" ? format : undefined;
}

function readDeclaration(declared: JsonRecord, { at, isCustom, ...rest }: Declaration): Tool {
  const { name, description, parameters, strict } = declared;
  if (typeof name !== "string" || name === "") throw invalid(`${at}.name`, message("wire.toolWithoutName"));
  if (parameters !== undefined && parameters !== null && !isRecord(parameters)) {
    throw invalid(`${at}.parameters`, message("wire.toolParameters", { param: at }));
  }
  return {
    name,
    description: typeof description === "string" && description !== "" ? description : undefined,
    parameters: isRecord(parameters) ? parameters : undefined,
    isStrict: strict === true,
    isCustom,
    grammar: isCustom ? grammarOf(declared) : undefined,
    ...rest,
  };
}

function choiceOf(value: unknown, at: string): ToolChoice | undefined {
  if (value === undefined || value === null) return undefined;
  if (value === "auto" || value === "none" || value === "required") return { kind: value };
  const choice = recordOf(value);
  if (choice["type"] === "allowed_tools") {
    const { mode, tools } = recordOf(choice["allowed_tools"]);
    const names = (Array.isArray(tools) ? tools : []).map((tool) => {
      const { function: called, custom, name } = recordOf(tool);
      return recordOf(called)["name"] ?? recordOf(custom)["name"] ?? name;
    });
    return {
      kind: "allowed",
      names: names.filter((name) => typeof name === "string"),
      mustCall: mode === "required",
    };
  }
  const name = recordOf(choice["function"])["name"] ?? recordOf(choice["custom"])["name"] ?? choice["name"];
  if (typeof name !== "string" || name === "") {
    throw invalid(at, message("wire.toolChoice", { param: at }));
  }
  return { kind: "named", name };
}

function listOf(raw: JsonRecord, name: string): readonly unknown[] {
  const list = raw[name] ?? [];
  if (!Array.isArray(list)) throw invalid(name, message("wire.notList", { param: name }));
  if (list.length > toolsMax)
    throw invalid(name, message("wire.toolsTooMany", { param: name, max: toolsMax }));
  return list;
}

/**
 * Reads tools, choice and parallelism. A request with `functions` is answered with `function_call`, which
 * allows one call. Throws when the choice names a missing tool or a name occurs twice.
 */
export function decodeTools(raw: JsonRecord): ToolUse {
  const functions = listOf(raw, "functions");
  const isLegacy =
    functions.length > 0 || (raw["function_call"] !== undefined && raw["function_call"] !== null);
  const tools = [
    ...listOf(raw, "tools").map((tool, index) => readTool(tool, `tools[${index}]`)),
    ...functions.map((declared, index) => readFunction(declared, `functions[${index}]`)),
  ];
  const names = new Set<string>();
  for (const { name, path } of tools) {
    if (names.has(name)) throw invalid(path, message("wire.toolsTwice", { name: name.slice(0, 100) }));
    names.add(name);
  }
  const at = isLegacy ? "function_call" : "tool_choice";
  const choice = choiceOf(raw[at], at);
  const wanted = choice?.kind === "named" ? [choice.name] : choice?.kind === "allowed" ? choice.names : [];
  for (const name of wanted) {
    if (!names.has(name)) throw invalid(at, message("wire.toolUnknown", { name: name.slice(0, 100) }));
  }
  if (tools.length === 0 && choice?.kind === "required")
    throw invalid(at, message("wire.toolsNone", { param: at }));
  const parallel = raw["parallel_tool_calls"];
  return {
    tools,
    choice,
    isParallel: typeof parallel === "boolean" ? parallel : undefined,
    hasRoomForOne: isLegacy,
  };
}
