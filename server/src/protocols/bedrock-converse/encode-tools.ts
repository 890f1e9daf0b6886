/**
 * Encodes tools, their choice and call ids as Converse's `toolConfig` (docs/wire/bedrock-converse.md section
 * 5).
 */

import { createHash } from "node:crypto";
import { message } from "@plaza/contract/messages/message.ts";
import type { ToolCallBlock } from "../../conversation/blocks.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import { mustCall, type Tool } from "../../conversation/tools.ts";
import { isShallow, parseExact } from "../../lib/json/exact-json.ts";
import { isRecord, type JsonRecord } from "../../lib/record.ts";
import { closedSchema } from "../claude/schema.ts";
import type { Leftovers } from "../leftovers.ts";
import { invalid } from "../untranslatable.ts";
import { cachePointAfter } from "./cache.ts";
import type { ModelRules } from "./models.ts";
import type { ToolChoice, ToolConfig, ToolEntry } from "./wire.ts";

const toolName = /^[A-Za-z0-9_-]{1,64}$/;

/** A tool name from an earlier turn, limited to the allowed characters. */
export const cleanName = (name: string): string =>
  toolName.test(name) ? name : name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64);

/**
 * The tools, among those the choice allows, that Converse can declare. Others are refused by name or dropped.
 */
function offeredTools({ toolUse: { tools, choice } }: Conversation, leftovers: Leftovers): readonly Tool[] {
  if (choice?.kind === "none") return [];
  const allowed = choice?.kind === "allowed" ? new Set(choice.names) : undefined;
  return tools.filter((tool) => {
    if (allowed?.has(tool.name) === false) return false;
    if (toolName.test(tool.name)) return true;
    leftovers.leaveOut(`${tool.declarationPath}.name`, message("wire.toolName64"));
    return false;
  });
}

/**
 * A custom tool takes plain text. Here it becomes the only member of an object; the decoder extracts it
 * again.
 */
const customSchema: JsonRecord = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
};

function schemaOf({ parameters, declarationPath, isCustom }: Tool): JsonRecord {
  if (isCustom) return customSchema;
  if (parameters === undefined) return { type: "object", properties: {} };
  const type = parameters["type"] ?? "object";
  if (type !== "object") {
    throw invalid(`${declarationPath}.parameters.type`, message("wire.argumentsNotObject"));
  }
  return { ...parameters, type };
}

function declare(tool: Tool, rules: ModelRules, leftovers: Leftovers): ToolEntry[] {
  const { name, description, isStrict, isCustom, grammar, declarationPath: at } = tool;
  if (grammar !== undefined) leftovers.leaveOut(`${at}.format`);
  const schema = schemaOf(tool);
  const enforced = isStrict && !isCustom ? enforceable(schema, rules) : undefined;
  if (isStrict && !isCustom && enforced === undefined) leftovers.note(`${at}.strict`);
  const toolSpec = {
    name,
    ...(description === undefined ? {} : { description }),
    inputSchema: { json: enforced ?? schema },
    ...(enforced === undefined ? {} : { strict: true }),
  };
  const mark = cachePointAfter([tool.cache], rules, "tools");
  return mark === undefined ? [{ toolSpec }] : [{ toolSpec }, mark];
}

/** The schema in a form the model can enforce; undefined when it cannot. */
export function enforceable(schema: JsonRecord, { takesSchema }: ModelRules): JsonRecord | undefined {
  if (takesSchema === "none") return undefined;
  return takesSchema === "closed" ? closedSchema(schema) : schema;
}

/**
 * The name of the tool whose arguments are the answer, for models that can be made to call a tool but not to
 * follow a JSON Schema. Undefined when none is needed.
 */
export function jsonToolOf(conversation: Conversation, rules: ModelRules): string | undefined {
  const { format, toolUse } = conversation;
  if (format.kind !== "json_schema" || rules.forcedTool === "none" || mustCall(conversation.toolUse))
    return undefined;
  if (enforceable(format.schema, rules) !== undefined) return undefined;
  const { type } = format.schema;
  if (type !== undefined && type !== "object") return undefined;
  let name = "json";
  while (toolUse.tools.some((tool) => tool.name === name)) name += "_";
  return name;
}

function jsonToolEntry(name: string, { format }: Conversation): ToolEntry {
  const schema = format.kind === "json_schema" ? format.schema : {};
  return {
    toolSpec: {
      name,
      description:
        (format.kind === "json_schema" ? format.description : undefined) ??
        "Gives the answer. Call it exactly once, with the whole answer.",
      inputSchema: { json: { ...schema, type: "object" } },
    },
  };
}

function choiceOf(
  conversation: Conversation,
  rules: ModelRules,
  leftovers: Leftovers,
): ToolChoice | undefined {
  const { choice } = conversation.toolUse;
  if (!mustCall(conversation.toolUse)) return choice === undefined ? undefined : { auto: {} };
  if (rules.forcedTool === "none" || (choice?.kind === "named" && rules.forcedTool === "any")) {
    leftovers.leaveOut(
      conversation.names.toolChoice,
      rules.forcedTool === "none" ? message("wire.noForcedTool") : message("wire.noCertainTool"),
    );
    return { auto: {} };
  }
  return choice?.kind === "named" ? { tool: { name: choice.name } } : { any: {} };
}

export interface ToolPlan {
  /** Undefined: there are no tools, and earlier calls cannot be sent as calls. */
  readonly config: ToolConfig | undefined;
  /** True when the model must call a tool. */
  readonly isForced: boolean;
  /** Native fields for what Converse has no field for. */
  readonly fields: JsonRecord;
}

/** Anthropic's own setting for one call at a time; Converse has none. */
function parallelFields(
  { toolUse: { isParallel, hasRoomForOne }, names }: Conversation,
  rules: ModelRules,
  choice: ToolChoice | undefined,
  leftovers: Leftovers,
): JsonRecord {
  if (isParallel !== false && !hasRoomForOne) return {};
  if (!rules.canForbidParallel) {
    if (isParallel === false) leftovers.leaveOut(names.parallelCalls);
    return {};
  }
  const type = choice === undefined ? "auto" : (Object.keys(choice)[0] ?? "auto");
  const name = choice !== undefined && "tool" in choice ? { name: choice.tool.name } : {};
  return { tool_choice: { type, ...name, disable_parallel_tool_use: true } };
}

/** The tools and the tool choice. */
export function planTools(conversation: Conversation, rules: ModelRules, leftovers: Leftovers): ToolPlan {
  const offered = offeredTools(conversation, leftovers);
  const jsonTool = jsonToolOf(conversation, rules);
  const tools = offered.flatMap((tool) => declare(tool, rules, leftovers));
  if (jsonTool !== undefined) {
    const toolChoice: ToolChoice =
      tools.length === 0 && rules.forcedTool === "named" ? { tool: { name: jsonTool } } : { any: {} };
    const config = { tools: [...tools, jsonToolEntry(jsonTool, conversation)], toolChoice };
    return { config, isForced: true, fields: {} };
  }
  if (tools.length === 0) return { config: undefined, isForced: false, fields: {} };
  const made = choiceOf(conversation, rules, leftovers);
  const isThere =
    made === undefined || !("tool" in made) || offered.some(({ name }) => name === made.tool.name);
  const choice = isThere ? made : undefined;
  return {
    config: choice === undefined ? { tools } : { tools, toolChoice: choice },
    isForced: choice !== undefined && !("auto" in choice),
    fields: parallelFields(conversation, rules, choice, leftovers),
  };
}

/** Arguments nested deeper than any caller's body may be are kept as text. */
const depthMax = 64;

/**
 * Arguments as the object the protocol needs. Anything else is kept as text instead of refused, because a
 * model wrote it.
 */
export function inputOf({ arguments: text, isCustom }: ToolCallBlock): JsonRecord {
  if (isCustom) return { input: text };
  if (text.trim() === "") return {};
  const input = isShallow(text, depthMax) ? parseExact(text) : undefined;
  return isRecord(input) ? input : { _raw: text };
}

const plainId = /^[A-Za-z0-9_-]{1,64}$/;
const shortId = /^[A-Za-z0-9]{9}$/;

/**
 * The ids of a conversation's calls, in the allowed characters and each used once. Some clients count from 0
 * in every turn.
 */
export class ToolIds {
  readonly #isShort: boolean;
  readonly #used = new Set<string>();
  /** Calls that wait for their results: the caller's id → our id. */
  readonly #open = new Map<string, string>();

  constructor({ hasShortToolIds }: ModelRules) {
    this.#isShort = hasShortToolIds;
  }

  /** The id for a new call. */
  call(id: string): string {
    let made = this.#clean(id);
    for (let copy = 2; this.#used.has(made); copy += 1) made = this.#clean(`${id}\u0000${copy}`);
    this.#used.add(made);
    this.#open.set(id, made);
    return made;
  }

  /** The id of the call a result belongs to; undefined when no call waits for it. */
  result(id: string): string | undefined {
    const made = this.#open.get(id);
    this.#open.delete(id);
    return made;
  }

  get isAwaitingResults(): boolean {
    return this.#open.size > 0;
  }

  #clean(id: string): string {
    if ((this.#isShort ? shortId : plainId).test(id)) return id;
    const digest = createHash("sha256").update(id).digest("hex");
    if (this.#isShort) return digest.slice(0, 9);
    return `${id.slice(0, 40).replace(/[^A-Za-z0-9_-]/g, "_")}_${digest.slice(0, 12)}`;
  }
}
