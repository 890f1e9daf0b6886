/** Encodes tools and the tool choice for Responses: without nesting, and with `strict` always set. */
import type { Conversation } from "../../conversation/conversation.ts";
import type { Tool, ToolChoice } from "../../conversation/tools.ts";
import { type JsonRecord, recordOf, textIn } from "../../lib/record.ts";

/** A custom tool's grammar, without chat's nesting. */
function formatOf(grammar: JsonRecord): JsonRecord {
  const { syntax, definition } = recordOf(grammar["grammar"]);
  return definition === undefined ? grammar : { type: "grammar", syntax, definition };
}

/**
 * The tool's extras, without its namespace, which is part of the flat name, and without the description,
 * which is written separately.
 */
function extrasOf({ extras }: Tool, isKept: boolean): JsonRecord {
  if (!isKept || extras === undefined) return {};
  const { namespace: _, description: __, ...rest } = extras;
  return rest;
}

function toolOf(tool: Tool, isKept: boolean): JsonRecord {
  const { name, parameters, isStrict, isCustom, grammar } = tool;
  // For formats without grammars, the grammar was added to the description; here the original one is used.
  const isOwn = isKept && tool.extras?.["format"] !== undefined;
  const description = isOwn ? textIn(tool.extras?.["description"]) : tool.description;
  const described = description === undefined ? {} : { description };
  const more = extrasOf(tool, isKept);
  if (isCustom) {
    const format = grammar === undefined ? {} : { format: formatOf(grammar) };
    return { type: "custom", name, ...described, ...format, ...more };
  }
  // Responses defaults `strict` to true, which the caller's format does not mean.
  const schema = parameters ?? { type: "object", properties: {} };
  return { type: "function", name, ...described, parameters: schema, strict: isStrict, ...more };
}

function choiceOf(choice: ToolChoice, tools: readonly Tool[]): unknown {
  const named = (name: string): JsonRecord => ({
    type: tools.some((tool) => tool.name === name && tool.isCustom) ? "custom" : "function",
    name,
  });
  if (choice.kind === "named") return named(choice.name);
  if (choice.kind !== "allowed") return choice.kind;
  const mode = choice.mustCall ? "required" : "auto";
  return { type: "allowed_tools", mode, tools: choice.names.map(named) };
}

/** `tools`, `tool_choice` and `parallel_tool_calls`; empty without tools. */
export function encodeTools({ toolUse }: Conversation, isKept: boolean): JsonRecord {
  const { tools, choice, isParallel, hasRoomForOne } = toolUse;
  if (tools.length === 0) return {};
  const parallel = hasRoomForOne ? false : isParallel;
  return {
    tools: tools.map((tool) => toolOf(tool, isKept)),
    ...(choice === undefined ? {} : { tool_choice: choiceOf(choice, tools) }),
    ...(parallel === undefined ? {} : { parallel_tool_calls: parallel }),
  };
}
