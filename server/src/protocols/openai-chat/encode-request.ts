/**
 * A conversation → a chat request, for chat upstreams with callers of other formats. Settings from a caller
 * of chat are sent back as they came.
 */
import { type Conversation, type Parameter, settingOf } from "../../conversation/conversation.ts";
import { withInlined } from "../../conversation/media.ts";
import type { Tool, ToolChoice } from "../../conversation/tools.ts";
import { recordOf } from "../../lib/record.ts";
import { Leftovers } from "../leftovers.ts";
import type { EncodeContext, Encoded } from "../protocol.ts";
import { checkSettings } from "../settings.ts";
import { type ChatDialect, openaiDialect, type TurnRules } from "./dialect.ts";
import { settingRules, settingsOf, stopOf } from "./encode-settings.ts";
import { encodeTurns, marksOf } from "./encode-turns.ts";

type Fields = Record<string, unknown>;

/** A custom tool's text, for upstreams with functions only. The decoder extracts it again. */
const textSchema = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
  additionalProperties: false,
};

function customToolOf(tool: Tool, { isKept, dialect }: TurnRules, leftovers: Leftovers): Fields {
  const { name, description, grammar, declarationPath } = tool;
  const described = description === undefined ? { name } : { name, description };
  if (isKept || dialect.takesCustomTools)
    return { type: "custom", custom: grammar === undefined ? described : { ...described, format: grammar } };
  if (grammar !== undefined) leftovers.leaveOut(`${declarationPath}.format`);
  return { type: "function", function: { ...described, parameters: textSchema } };
}

function toolOf(tool: Tool, rules: TurnRules, leftovers: Leftovers): Fields {
  const { name, description, parameters, isStrict, isCustom, cache, extras } = tool;
  const more = { ...marksOf(cache, rules), ...(rules.isKept ? extras : {}) };
  if (isCustom) return { ...customToolOf(tool, rules, leftovers), ...more };
  const declared = {
    name,
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(isStrict ? { strict: true } : {}),
  };
  return { type: "function", function: declared, ...more };
}

function choiceOf(choice: ToolChoice, tools: readonly Tool[], { isKept, dialect }: TurnRules): unknown {
  const hasCustom = isKept || dialect.takesCustomTools;
  const named = (name: string): Fields =>
    hasCustom && tools.some((tool) => tool.name === name && tool.isCustom)
      ? { type: "custom", custom: { name } }
      : { type: "function", function: { name } };
  if (choice.kind === "named") return named(choice.name);
  if (choice.kind !== "allowed") return choice.kind;
  const mode = choice.mustCall ? "required" : "auto";
  return { type: "allowed_tools", allowed_tools: { mode, tools: choice.names.map(named) } };
}

function formatOf({ format }: Conversation): Fields {
  if (format.kind !== "json_schema") return { type: format.kind };
  const { name, description, schema, isStrict } = format;
  const described = description === undefined ? {} : { description };
  const json_schema = { name, ...described, schema, ...(isStrict ? { strict: true } : {}) };
  return { type: "json_schema", json_schema };
}

/** The requested output limit, lowered to what is paid for. */
function outputOf({ outputTokens }: Conversation, { outputTokensMax }: EncodeContext): number | undefined {
  if (outputTokens === undefined || outputTokensMax === undefined) return outputTokens ?? outputTokensMax;
  return Math.min(outputTokens, outputTokensMax);
}

/** Always asks for usage, because the charge is computed from it. */
function streamOptionsOf(conversation: Conversation, isKept: boolean): Fields {
  const given = isKept ? recordOf(settingOf(conversation, "streamOptions")) : {};
  return { ...given, include_usage: true };
}

interface Writing {
  readonly conversation: Conversation;
  readonly context: EncodeContext;
  readonly rules: TurnRules;
  readonly leftovers: Leftovers;
}

/** Settings encoded from the conversation; all others are written as they came. */
function written({ conversation, context, rules, leftovers }: Writing): Fields {
  const { toolUse, stop, choices } = conversation;
  const { tools, choice } = toolUse;
  const { isKept, dialect } = rules;
  // Without tools OpenAI accepts neither a choice nor `parallel_tool_calls`.
  const hasTools = tools.length > 0;
  const isParallel = toolUse.hasRoomForOne && hasTools ? false : toolUse.isParallel;
  return {
    messages: encodeTurns(conversation.turns, rules),
    [isKept ? "max_completion_tokens" : dialect.outputName]: outputOf(conversation, context),
    tools: hasTools ? tools.map((tool) => toolOf(tool, rules, leftovers)) : undefined,
    tool_choice: choice === undefined || !(isKept || hasTools) ? undefined : choiceOf(choice, tools, rules),
    parallel_tool_calls: isKept || hasTools ? isParallel : undefined,
    response_format: conversation.format.kind === "text" ? undefined : formatOf(conversation),
    stop: isKept ? (stop.length === 0 ? undefined : stop) : stopOf(conversation, leftovers),
    n: choices === 1 ? undefined : choices,
    stream: context.isStream ? true : undefined,
    stream_options: context.isStream ? streamOptionsOf(conversation, isKept) : undefined,
    ...(isKept ? {} : settingsOf(conversation, dialect, leftovers)),
  };
}

/** Settings that `written` and `encodeRequest` write from the conversation. */
const readWhole: ReadonlySet<Parameter["setting"]> = new Set([
  "model",
  "fallbackModels",
  "turns",
  "isStream",
  "streamOptions",
  "outputTokens",
  "tools",
  "toolChoice",
  "parallelCalls",
  "format",
  "stop",
  "choices",
]);

/**
 * The body of a call. What a caller of another protocol set that chat has no word for is refused by name, or
 * left out and told. `dialect`: of the upstream; asked only where the caller spoke another format.
 */
export function encodeRequest(
  conversation: Conversation,
  context: EncodeContext,
  model: string,
  dialect: ChatDialect = openaiDialect,
): Encoded<Fields> {
  const isKept = conversation.protocol === "openai-chat";
  const leftovers = new Leftovers(context.dropsParams === true);
  if (!isKept) checkSettings(conversation, settingRules, leftovers);
  const inlined = withInlined(conversation, context.media);
  const rules: TurnRules = { isKept, dialect, model, memory: context.memory, leftovers };
  const body: Fields = { model };
  const fields = written({ conversation: inlined, context, rules, leftovers });
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) body[name] = value;
  if (!isKept) return { body, dropped: leftovers.dropped };
  for (const { name, setting, value } of conversation.parameters) {
    if (readWhole.has(setting)) continue;
    // Set this way because a field may be called `__proto__`.
    Object.defineProperty(body, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return { body, dropped: leftovers.dropped };
}
