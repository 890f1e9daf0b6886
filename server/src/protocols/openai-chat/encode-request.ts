/**
 * A conversation → a chat request, for upstreams that speak chat and callers that do not. Everything a caller
 * of chat itself set goes back as it was sent.
 */
import type { Conversation, Parameter } from "../../conversation/conversation.ts";
import type { Tool, ToolChoice } from "../../conversation/tools.ts";
import type { EncodeContext } from "../protocol.ts";
import { encodeTurns, markOf } from "./encode-turns.ts";

type Fields = Record<string, unknown>;

function toolOf(tool: Tool, isKept: boolean): Fields {
  const { name, description, parameters, isStrict, isCustom, grammar, cache, extras } = tool;
  const declared = {
    name,
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(isStrict ? { strict: true } : {}),
    ...(grammar === undefined ? {} : { format: grammar }),
  };
  const made = isCustom ? { type: "custom", custom: declared } : { type: "function", function: declared };
  return { ...made, ...markOf(cache), ...(isKept ? extras : {}) };
}

function choiceOf(choice: ToolChoice, tools: readonly Tool[]): unknown {
  const named = (name: string): Fields =>
    tools.some((tool) => tool.name === name && tool.isCustom)
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

/** What is asked for at most, cut down to what is paid for. */
function outputOf({ outputTokens }: Conversation, { outputTokensMax }: EncodeContext): number | undefined {
  if (outputTokens === undefined || outputTokensMax === undefined) return outputTokens ?? outputTokensMax;
  return Math.min(outputTokens, outputTokensMax);
}

/** Settings that are written from the model; all others are written as they were sent. */
function written(conversation: Conversation, context: EncodeContext): Fields {
  const { toolUse, stop, choices, reasoning, sampling } = conversation;
  const { tools, choice } = toolUse;
  const isKept = conversation.protocol === "openai-chat";
  const values: Fields = {
    messages: encodeTurns(conversation.turns, isKept),
    max_completion_tokens: outputOf(conversation, context),
    tools: tools.length === 0 ? undefined : tools.map((tool) => toolOf(tool, isKept)),
    tool_choice: choice === undefined ? undefined : choiceOf(choice, tools),
    parallel_tool_calls: toolUse.hasRoomForOne && tools.length > 0 ? false : toolUse.isParallel,
    response_format: conversation.format.kind === "text" ? undefined : formatOf(conversation),
    stop: stop.length === 0 ? undefined : stop,
    n: choices === 1 ? undefined : choices,
    stream: context.isStream ? true : undefined,
  };
  if (isKept) return values;
  return {
    ...values,
    reasoning_effort: reasoning.effort,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    seed: sampling.seed,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
  };
}

/** What of the model has been written already, by setting. */
const readWhole: ReadonlySet<Parameter["setting"]> = new Set([
  "model",
  "fallbackModels",
  "turns",
  "isStream",
  "outputTokens",
  "tools",
  "toolChoice",
  "parallelCalls",
  "format",
  "stop",
  "choices",
]);

/**
 * The body of a call. What another protocol's caller set that chat has no word
 * for is not in it: check settings first.
 */
export function encodeRequest(conversation: Conversation, context: EncodeContext, model: string): Fields {
  const body: Fields = { model };
  for (const [name, value] of Object.entries(written(conversation, context)))
    if (value !== undefined) body[name] = value;
  if (conversation.protocol !== "openai-chat") return body;
  for (const { name, setting, value } of conversation.parameters) {
    if (readWhole.has(setting)) continue;
    // A field may be called `__proto__`.
    Object.defineProperty(body, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return body;
}
