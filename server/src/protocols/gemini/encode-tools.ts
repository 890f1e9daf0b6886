/** Encodes a conversation's tools as Gemini's `tools` and `toolConfig` (docs/wire/gemini.md section 5). */
import { message } from "@plaza/contract/messages/message.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import type { Tool, ToolChoice, ToolUse } from "../../conversation/tools.ts";
import type { Leftovers } from "../leftovers.ts";
import type { ModelFacts } from "./models.ts";
import { parametersSchema } from "./schema.ts";
import type { FunctionCallingConfig, FunctionDeclaration, ToolEntry } from "./wire.ts";

/** Valid names of functions. */
const functionName = /^[a-z_][\w.:-]{0,127}$/i;

function declarationOf(tool: Tool): FunctionDeclaration {
  const parametersJsonSchema = parametersSchema(tool.parameters);
  return {
    name: tool.name,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    ...(parametersJsonSchema === undefined ? {} : { parametersJsonSchema }),
  };
}

/** The tools Gemini can declare; others are refused by name or dropped. */
function expressible({ tools }: ToolUse, leftovers: Leftovers): readonly Tool[] {
  return tools.filter((tool) => {
    if (tool.isCustom) {
      leftovers.leaveOut(`${tool.path}.type`, message("wire.textTools"));
    } else if (!functionName.test(tool.name)) {
      leftovers.leaveOut(`${tool.declarationPath}.name`, message("wire.functionName"));
    } else return true;
    return false;
  });
}

/** Without a tool choice the model decides. If a tool is strict, calls must follow the schemas. */
function autoMode(
  tools: readonly Tool[],
  facts: ModelFacts,
  isJson: boolean,
): FunctionCallingConfig | undefined {
  // Gemini accepts JSON answers together with functions only in mode AUTO.
  const isValidated = facts.takesValidated && !isJson && tools.some(({ isStrict }) => isStrict);
  return isValidated ? { mode: "VALIDATED" } : undefined;
}

function configOf(choice: ToolChoice | undefined): FunctionCallingConfig | undefined {
  switch (choice?.kind) {
    case "required":
      return { mode: "ANY" };
    case "named":
      return { mode: "ANY", allowedFunctionNames: [choice.name] };
    case "allowed":
      return choice.mustCall ? { mode: "ANY", allowedFunctionNames: choice.names } : undefined;
    case "none":
      return { mode: "NONE" };
    default:
      return undefined;
  }
}

export interface ToolSettings {
  readonly entries: readonly ToolEntry[];
  /** Absent: AUTO. */
  readonly config: FunctionCallingConfig | undefined;
}

/**
 * The tools for Gemini. `isJson`: the answer is to be JSON. `searches`: web search is on. Combinations that
 * Gemini does not accept are refused by name or dropped.
 */
export function toolSettings(
  { toolUse: use, names: called }: Conversation,
  leftovers: Leftovers,
  { facts, isJson, searches }: { facts: ModelFacts; isJson: boolean; searches: boolean },
): ToolSettings {
  const known = expressible(use, leftovers);
  const { choice } = use;
  // Only the allowed tools are declared.
  const chosen =
    choice?.kind === "allowed" && !choice.mustCall
      ? known.filter(({ name }) => choice.names.includes(name))
      : known;
  // When no tool may be called and tools would conflict with something else, none is declared.
  const isInTheWay = choice?.kind === "none" && (isJson || searches) && !facts.takesFormatWithTools;
  const tools = isInTheWay ? [] : chosen;
  const entries: ToolEntry[] = [];
  if (tools.length > 0) entries.push({ functionDeclarations: tools.map(declarationOf) });
  if (searches && tools.length > 0 && !facts.takesFormatWithTools) {
    leftovers.leaveOut(called.webSearch, message("wire.searchOrFunctions"));
  } else if (searches) entries.push({ googleSearch: {} });
  const names = new Set(tools.map(({ name }) => name));
  const config = configOf(choice);
  // A dropped tool cannot be required.
  const isThere = config?.allowedFunctionNames?.every((name) => names.has(name)) !== false;
  if (tools.length === 0) return { entries, config: undefined };
  return { entries, config: config !== undefined && isThere ? config : autoMode(tools, facts, isJson) };
}
