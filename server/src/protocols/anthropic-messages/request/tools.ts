/**
 * Decodes the tools of a Messages request and their choice (docs/wire/anthropic-messages.md sections 2 and
 * 13). Tools with a type of Anthropic's own are returned as data, because only Anthropic has their schema or
 * runs them.
 */
import { message } from "@plaza/contract/messages/message.ts";
import type { Parameter } from "../../../conversation/conversation.ts";
import type { Tool, ToolChoice, ToolUse } from "../../../conversation/tools.ts";
import { isRecord, type JsonRecord, recordOf, textIn } from "../../../lib/record.ts";
import { invalid } from "../../untranslatable.ts";
import { definitionName } from "../endpoint/fields.ts";
import { cacheOf, othersOf } from "./content.ts";

const toolsMax = 1_024;

const toolFields = new Set(["type", "name", "description", "input_schema", "strict", "cache_control"]);

/** A tool that only Anthropic knows. */
interface ServerTool {
  /** Like `tools[2]`. */
  readonly path: string;
  readonly name: string | undefined;
  /** As the caller sent it. */
  readonly raw: JsonRecord;
}

const isOwnTool = (type: unknown): boolean => type === undefined || type === null || type === "custom";

function listOf({ tools = [] }: JsonRecord): readonly JsonRecord[] {
  if (tools === null) return [];
  if (!Array.isArray(tools)) throw invalid("tools", message("wire.notList", { param: "tools" }));
  if (tools.length > toolsMax)
    throw invalid("tools", message("wire.toolsTooMany", { param: "tools", max: toolsMax }));
  return tools.map(recordOf);
}

interface Declared {
  readonly path: string;
  readonly raw: JsonRecord;
}

/** Tools that are defined among the messages. Only the newest Claude takes them there. */
function inlineOf({ messages }: JsonRecord): Declared[] {
  const found: Declared[] = [];
  for (const [index, said] of (Array.isArray(messages) ? messages : []).entries()) {
    const { role, content } = recordOf(said);
    for (const [at, block] of (role === "system" && Array.isArray(content) ? content : []).entries()) {
      const { type, tool } = recordOf(block);
      const { definition } = recordOf(tool);
      const path = `messages[${index}].content[${at}].tool.${definitionName}`;
      if (type === "tool_addition" && isRecord(definition)) found.push({ path, raw: definition });
    }
  }
  return found;
}

function declaredIn(raw: JsonRecord): Declared[] {
  const listed = listOf(raw).map((tool, index) => ({ path: `tools[${index}]`, raw: tool }));
  return [...listed, ...inlineOf(raw)];
}

function readTool(raw: JsonRecord, path: string): Tool {
  const { description, input_schema: schema, strict } = raw;
  const name = textIn(raw["name"]);
  if (name === undefined) throw invalid(`${path}.name`, message("wire.toolWithoutName"));
  const schemaPath = `${path}.input_schema`;
  if (!isRecord(schema)) throw invalid(schemaPath, message("wire.inputSchema", { param: schemaPath }));
  // Other formats allow other types; this one allows objects only.
  if ((schema["type"] ?? "object") !== "object")
    throw invalid(`${schemaPath}.type`, message("wire.inputSchema", { param: schemaPath }));
  return {
    name,
    description: textIn(description),
    parameters: schema,
    isStrict: strict === true,
    isCustom: false,
    grammar: undefined,
    cache: cacheOf(raw, path),
    path,
    declarationPath: path,
    extras: othersOf(raw, toolFields),
  };
}

function choiceOf(value: unknown): ToolChoice | undefined {
  if (value === undefined || value === null) return undefined;
  const { type, name } = recordOf(value);
  switch (type) {
    case "auto":
    case "none":
      return { kind: type };
    case "any":
      return { kind: "required" };
    case "tool": {
      const named = textIn(name);
      if (named === undefined) throw invalid("tool_choice.name", message("wire.toolWithoutName"));
      return { kind: "named", name: named };
    }
    default:
      throw invalid("tool_choice.type", message("wire.toolChoiceType"));
  }
}

export interface DecodedTools {
  readonly toolUse: ToolUse;
  /**
   * Tools that only Anthropic knows, and the choice of one. One that is only offered beside the caller's own
   * tools is a manner: other upstreams do without it. All others are refused there.
   */
  readonly foreign: readonly Parameter[];
}

/**
 * Reads tools, those among the messages too, and choice. Throws when the choice names a missing tool or a
 * name occurs twice.
 */
export function decodeTools(raw: JsonRecord): DecodedTools {
  const declared = declaredIn(raw);
  const serverTools = declared
    .filter((tool) => !isOwnTool(tool.raw["type"]))
    .map((tool): ServerTool => ({ ...tool, name: textIn(tool.raw["name"]) }));
  const tools = declared
    .filter((tool) => isOwnTool(tool.raw["type"]))
    .map((tool) => readTool(tool.raw, tool.path));
  const names = new Set<string>();
  for (const { name, path } of tools) {
    if (names.has(name)) throw invalid(path, message("wire.toolsTwice", { name: name.slice(0, 100) }));
    names.add(name);
  }
  const choice = choiceOf(raw["tool_choice"]);
  const wanted = choice?.kind === "named" ? choice.name : undefined;
  const isServerChoice = wanted !== undefined && serverTools.some(({ name }) => name === wanted);
  if (wanted !== undefined && !isServerChoice && !names.has(wanted))
    throw invalid("tool_choice.name", message("wire.toolUnknown", { name: wanted.slice(0, 100) }));
  if (choice?.kind === "required" && tools.length + serverTools.length === 0)
    throw invalid("tool_choice", message("wire.toolsNone", { param: "tool_choice" }));
  const isSingle = recordOf(raw["tool_choice"])["disable_parallel_tool_use"] === true;
  const toolUse: ToolUse = {
    tools,
    choice: isServerChoice ? undefined : choice,
    isParallel: isSingle ? false : undefined,
    hasRoomForOne: false,
  };
  const foreign = serverTools.map(({ path: name, name: called, raw: value }): Parameter => {
    const isOffer = tools.length > 0 && !(isServerChoice && called === wanted);
    return { name, setting: isOffer ? "manner" : undefined, value };
  });
  if (isServerChoice) foreign.push({ name: "tool_choice", setting: undefined, value: raw["tool_choice"] });
  return { toolUse, foreign };
}
