/** Encodes tools, the tool choice and call ids for Anthropic (docs/wire/anthropic-messages.md section 5). */

import { createHash } from "node:crypto";
import { message } from "@plaza/contract/messages/message.ts";
import type { ToolCallBlock } from "../../conversation/blocks.ts";
import type { Conversation, Turn } from "../../conversation/conversation.ts";
import { mustCall, type Tool } from "../../conversation/tools.ts";
import { isShallow, parseExact } from "../../lib/json/exact-json.ts";
import { isRecord } from "../../lib/record.ts";
import { controlOf } from "../claude/cache.ts";
import type { ModelFacts } from "../claude/models.ts";
import { closedSchema } from "../claude/schema.ts";
import type { Leftovers } from "../leftovers.ts";
import { invalid, unsupported } from "../untranslatable.ts";
import { mark } from "./cache.ts";
import type { ToolChoice, ToolDeclaration } from "./wire.ts";

/** True for a name the protocol allows. */
export const isToolName = (name: string): boolean => /^[A-Za-z0-9_-]{1,128}$/.test(name);

/**
 * A custom tool takes plain text. Here it becomes the only member of an object; `answer.ts` extracts it
 * again.
 */
const customSchema = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
  additionalProperties: false,
} as const;

function schemaOf({ parameters, declarationPath }: Tool): ToolDeclaration["input_schema"] {
  if (parameters === undefined) return { type: "object", properties: {} };
  const type = parameters["type"] ?? "object";
  if (type !== "object") {
    throw invalid(`${declarationPath}.parameters.type`, message("wire.argumentsNotObject"));
  }
  return { ...parameters, type };
}

function declare(tool: Tool, facts: ModelFacts, leftovers: Leftovers): ToolDeclaration {
  const { name, description, isStrict, isCustom, grammar, cache, declarationPath: at } = tool;
  if (!isToolName(name)) throw unsupported(`${at}.name`, message("wire.toolName128", { at: `${at}.name` }));
  if (grammar !== undefined) leftovers.leaveOut(`${at}.format`);
  const declaration: ToolDeclaration = {
    name,
    input_schema: isCustom ? { ...customSchema, required: ["input"] } : schemaOf(tool),
  };
  if (description !== undefined) declaration.description = description;
  if (isStrict && !isCustom) {
    const closed = facts.takesSchema ? closedSchema(declaration.input_schema) : undefined;
    if (closed === undefined) leftovers.note(`${at}.strict`);
    else {
      declaration.input_schema = { ...closed, type: "object" };
      declaration.strict = true;
    }
  }
  return mark(declaration, controlOf(cache));
}

/**
 * Tools that the conversation called but no longer declares. The protocol requires a declaration for them.
 */
function formerTools(turns: readonly Turn[]): ToolDeclaration[] {
  const names = new Set<string>();
  for (const { blocks } of turns) {
    for (const block of blocks) if (block.kind === "tool call") names.add(block.name);
  }
  return [...names].map((name) => ({ name, input_schema: { type: "object", properties: {} } }));
}

export interface ToolPlan {
  readonly tools: ToolDeclaration[];
  readonly choice: ToolChoice | undefined;
  /** True when the model must call a tool; it cannot think then. */
  readonly isForced: boolean;
}

function choiceOf({ toolUse, names }: Conversation, facts: ModelFacts, leftovers: Leftovers): ToolChoice {
  const { choice, tools } = toolUse;
  const isForced = mustCall(toolUse);
  if (isForced && !facts.forcesTools) {
    leftovers.leaveOut(names.toolChoice, message("wire.noForcedTool"));
    return { type: "auto" };
  }
  if (choice?.kind === "named") return { type: "tool", name: choice.name };
  if (choice?.kind === "none" || tools.length === 0) return { type: "none" };
  return { type: isForced ? "any" : "auto" };
}

/** The tools and the tool choice; both absent when there are no tools. */
export function planTools(conversation: Conversation, facts: ModelFacts, leftovers: Leftovers): ToolPlan {
  const { toolUse, turns } = conversation;
  const { choice, isParallel, hasRoomForOne } = toolUse;
  const names = choice?.kind === "allowed" ? new Set(choice.names) : undefined;
  const offered = toolUse.tools.filter(({ name }) => names?.has(name) ?? true);
  if (offered.length === 0) {
    const tools = formerTools(turns);
    return { tools, choice: tools.length === 0 ? undefined : { type: "none" }, isForced: false };
  }
  // Other members that callers of this format put on a tool are passed on as they were sent.
  const isOwn = conversation.protocol === "anthropic-messages";
  const tools = offered.map((tool) => {
    const declaration = declare(tool, facts, leftovers);
    return isOwn ? { ...tool.extras, ...declaration } : declaration;
  });
  const made = choiceOf(conversation, facts, leftovers);
  const isForced = made.type === "any" || made.type === "tool";
  const isSingle = isParallel === false || hasRoomForOne;
  if (isSingle && made.type !== "none")
    return { tools, choice: { ...made, disable_parallel_tool_use: true }, isForced };
  const isDefault = made.type === "auto" && choice === undefined;
  return { tools, choice: isDefault ? undefined : made, isForced };
}

/** Arguments nested deeper than any caller's body may be are kept as text. */
const depthMax = 64;

/**
 * Arguments as the object the protocol needs. Anything else is kept as text instead of refused, because a
 * model wrote it.
 */
export function inputOf({ arguments: text, isCustom }: ToolCallBlock): unknown {
  if (isCustom) return { input: text };
  if (text.trim() === "") return {};
  const input = isShallow(text, depthMax) ? parseExact(text) : undefined;
  return isRecord(input) ? input : { _raw: text };
}

const wellFormed = /^[A-Za-z0-9_-]{1,200}$/;

/** An id the protocol allows; the same input always gives the same id. */
function cleanId(id: string): string {
  if (wellFormed.test(id)) return id;
  const digest = createHash("sha256").update(id).digest("hex").slice(0, 12);
  return `${id.slice(0, 40).replace(/[^A-Za-z0-9_-]/g, "_")}_${digest}`;
}

/** The ids of a conversation's calls, each used once. Some clients count from 0 again in every turn. */
export class ToolIds {
  /** How often each id was used. */
  readonly #made = new Map<string, number>();
  /** Calls that wait for their results: the caller's id → our ids, in order. */
  readonly #open = new Map<string, string[]>();

  call(id: string): string {
    const clean = cleanId(id);
    const copies = this.#made.get(clean) ?? 0;
    this.#made.set(clean, copies + 1);
    // Hashed, so that the second use of `x` cannot collide with the id `x_2`.
    const made = copies === 0 ? clean : cleanId(`${clean} ${copies}`);
    const others = this.#open.get(id);
    if (others === undefined) this.#open.set(id, [made]);
    else others.push(made);
    return made;
  }

  /** The id of the call a result belongs to; undefined when no call waits for it. */
  answer(id: string): string | undefined {
    const waiting = this.#open.get(id);
    const made = waiting?.shift();
    if (waiting?.length === 0) this.#open.delete(id);
    return made;
  }

  get isAwaitingResults(): boolean {
    return this.#open.size > 0;
  }
}
