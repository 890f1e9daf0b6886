/**
 * How a JSON answer is obtained from a model (docs/wire/anthropic-messages.md section 5): by its schema
 * setting, by forcing a tool whose arguments are the answer, or by an instruction in the prompt. Encoder and
 * decoder both use this file, so they agree.
 */

import { message } from "@plaza/contract/messages/message.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import { mustCall } from "../../conversation/tools.ts";
import type { ModelFacts } from "../claude/models.ts";
import { closedSchema } from "../claude/schema.ts";
import type { Leftovers } from "../leftovers.ts";
import type { ToolPlan } from "./encode-tools.ts";
import type { MessagesBody, ToolChoice } from "./wire.ts";

export type FormatPlan =
  | { readonly kind: "text" }
  /** Requested in the prompt; text around the object is removed from the answer. */
  | { readonly kind: "words" }
  | { readonly kind: "schema"; readonly schema: { [key: string]: unknown } }
  /** `name`: the tool whose arguments are the answer. */
  | { readonly kind: "tool"; readonly name: string }
  /** The format can neither be enforced nor forced by a tool. */
  | { readonly kind: "impossible" };

/** A name that none of the caller's tools has. */
function freeName({ toolUse }: Conversation): string {
  const names = new Set(toolUse.tools.map(({ name }) => name));
  let name = "json";
  while (names.has(name)) name += "_";
  return name;
}

export function planFormat(conversation: Conversation, facts: ModelFacts): FormatPlan {
  const { format } = conversation;
  if (format.kind !== "json_schema") return { kind: format.kind === "text" ? "text" : "words" };
  const schema = facts.takesSchema ? closedSchema(format.schema) : undefined;
  if (schema !== undefined) return { kind: "schema", schema: { ...schema } };
  // A forced tool call means that there is no text answer to format.
  if (mustCall(conversation.toolUse)) return { kind: "text" };
  const { type } = format.schema;
  const isObject = type === undefined || type === "object";
  return facts.forcesTools && isObject
    ? { kind: "tool", name: freeName(conversation) }
    : { kind: "impossible" };
}

const askForJson = "Answer with one JSON object only: no words before or after it, no code fence.";

/** Adds the tool that stands for the answer to the caller's tools. */
function withTool(conversation: Conversation, name: string, { tools, choice }: ToolPlan): ToolPlan {
  const { format } = conversation;
  if (format.kind !== "json_schema") return { tools, choice, isForced: false };
  const description = format.description ?? "Gives the answer. Call it exactly once, with the whole answer.";
  const schema = { ...format.schema, type: "object" as const };
  const hasOwn = tools.length > 0 && choice?.type !== "none";
  const made: ToolChoice = hasOwn ? { type: "any" } : { type: "tool", name };
  const isSingle = choice !== undefined && "disable_parallel_tool_use" in choice;
  return {
    tools: [...(hasOwn ? tools : []), { name, description, input_schema: schema }],
    choice: isSingle || !hasOwn ? { ...made, disable_parallel_tool_use: true } : made,
    isForced: true,
  };
}

const schemaPathOf = ({ format, names }: Conversation): string =>
  format.kind === "json_schema" ? format.schemaPath : names.format;

/**
 * Writes the format into the body and returns the resulting tools. Throws when this model cannot produce the
 * format.
 */
export function applyFormat(
  {
    conversation,
    plan,
    tools,
    leftovers,
  }: { conversation: Conversation; plan: FormatPlan; tools: ToolPlan; leftovers: Leftovers },
  body: Pick<MessagesBody, "system" | "output_config">,
): ToolPlan {
  switch (plan.kind) {
    case "schema":
      body.output_config = { ...body.output_config, format: { type: "json_schema", schema: plan.schema } };
      return tools;
    case "tool":
      return withTool(conversation, plan.name, tools);
    case "words":
      body.system = [...(body.system ?? []), { type: "text", text: askForJson }];
      return tools;
    case "impossible":
      leftovers.leaveOut(schemaPathOf(conversation), message("wire.closedSchemas"));
      return tools;
    default:
      return tools;
  }
}
