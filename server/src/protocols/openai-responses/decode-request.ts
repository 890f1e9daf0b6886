/**
 * A caller's Responses request → a conversation (docs/wire/openai-responses.md sections 1 and 4), parsed once
 * and checked for shape. What every protocol would refuse is refused here by field name.
 */
import { message } from "@plaza/contract/messages/message.ts";
import type { AnswerFormat, Conversation, ReasoningRequest } from "../../conversation/conversation.ts";
import { isRecord, type JsonRecord, recordOf } from "../../lib/record.ts";
import { plainSeal, type Seal } from "../payloads/seal.ts";
import { invalid, unsupported } from "../untranslatable.ts";
import { type Echo, echoOf } from "./echo.ts";
import { decodeItems } from "./request/decode-items.ts";
import { decodeTools } from "./request/decode-tools.ts";
import { logprobsIncluded, names, parametersOf } from "./request/names.ts";
import { type StateRequest, stateOf } from "./request/state.ts";
import type { ToolNames } from "./request/tool-names.ts";

const stopMax = 16;

/** A decoded request. */
export interface DecodedRequest {
  readonly conversation: Conversation;
  /** The caller's names of its tools, for the answer. */
  readonly toolNames: ToolNames;
  /** The request's values that the answer repeats. */
  readonly echo: Echo;
}

/** A number; undefined when absent or null; NaN for anything else. */
function numberIn(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "number" && Number.isFinite(value) ? value : Number.NaN;
}

/** A positive whole number; undefined when absent or null. Throws for anything else. */
function countOf(raw: JsonRecord, name: string): number | undefined {
  const value = numberIn(raw[name]);
  if (value === undefined) return undefined;
  if (Number.isNaN(value)) throw invalid(name, message("body.notNumber", { path: name }));
  if (!Number.isInteger(value) || value < 1)
    throw invalid(name, message("wire.positiveWhole", { param: name }));
  return value;
}

function stopOf({ stop }: JsonRecord): string[] {
  if (stop === undefined || stop === null) return [];
  const list: readonly unknown[] = Array.isArray(stop) ? stop : [stop];
  if (list.length > stopMax) throw invalid("stop", message("wire.stopTooMany", { max: stopMax }));
  if (list.some((text) => typeof text !== "string")) throw invalid("stop", message("wire.stopForm"));
  return [...new Set(list as string[])].filter((text) => text !== "");
}

function formatOf({ text }: JsonRecord): AnswerFormat {
  const { format } = recordOf(text);
  if (format === undefined || format === null) return { kind: "text" };
  const { type, name, description, schema, strict } = recordOf(format);
  if (type === "text" || type === "json_object") return { kind: type };
  if (type !== "json_schema") throw invalid("text.format.type", message("responses.format"));
  const schemaPath = "text.format.schema";
  if (!isRecord(schema)) throw invalid(schemaPath, message("wire.schemaMissing"));
  return {
    kind: "json_schema",
    name: typeof name === "string" && name !== "" ? name : "answer",
    description: typeof description === "string" ? description : undefined,
    schema,
    isStrict: strict === true,
    schemaPath,
  };
}

function reasoningOf({ reasoning }: JsonRecord): ReasoningRequest {
  const { effort, max_tokens: budget, summary, generate_summary: older } = recordOf(reasoning);
  if (effort !== undefined && effort !== null && typeof effort !== "string")
    throw invalid("reasoning.effort", message("responses.effort"));
  const detail = summary ?? older;
  return {
    effort: effort?.toLowerCase(),
    budget: numberIn(budget),
    isOn: undefined,
    isHidden: false,
    summary: typeof detail === "string" ? detail : undefined,
  };
}

/** The response store must have resolved and removed these before a request is decoded. */
function refuseState(raw: JsonRecord): void {
  const state: StateRequest = stateOf(raw);
  const stored =
    (state.previousResponseId !== undefined && "previous_response_id") ||
    (state.conversation !== undefined && "conversation") ||
    (state.prompt !== undefined && "prompt");
  if (stored !== false) throw unsupported(stored, message("responses.stored", { param: stored }));
  if (state.isBackground) throw unsupported("background", message("responses.background"));
}

function conversationOf(raw: JsonRecord, seal: Seal): DecodedRequest {
  refuseState(raw);
  const { toolUse, names: toolNames, apart } = decodeTools(raw);
  const { turns, foreign } = decodeItems(raw, { names: toolNames, seal });
  const parameters = [...parametersOf(raw), ...apart, ...foreign];
  const alternatives = numberIn(raw["top_logprobs"]);
  const isIncluded = Array.isArray(raw["include"]) && raw["include"].includes(logprobsIncluded);
  const conversation: Conversation = {
    protocol: "openai-responses",
    names,
    parameters,
    turns,
    outputTokens: countOf(raw, "max_output_tokens"),
    toolUse,
    format: formatOf(raw),
    stop: stopOf(raw),
    choices: 1,
    reasoning: reasoningOf(raw),
    sampling: {
      temperature: numberIn(raw["temperature"]),
      topP: numberIn(raw["top_p"]),
      topK: numberIn(raw["top_k"]),
      seed: numberIn(raw["seed"]),
      presencePenalty: numberIn(raw["presence_penalty"]),
      frequencyPenalty: numberIn(raw["frequency_penalty"]),
    },
    logprobs: { isWanted: isIncluded || (alternatives ?? 0) > 0, alternatives },
    cache: undefined,
  };
  return { conversation, toolNames, echo: echoOf(raw) };
}

export type RequestReader = (body: Buffer, seal?: Seal) => DecodedRequest;

/**
 * Reads bodies known to be JSON objects. A body is parsed once, however many attempts and answers read it.
 * Throws `Untranslatable` for what no protocol accepts. `seal`: of payloads sent back by callers.
 */
export function createRequestReader(): RequestReader {
  const decoded = new WeakMap<Buffer, DecodedRequest>();
  return (body, seal = plainSeal) => {
    let request = decoded.get(body);
    if (request === undefined) {
      request = conversationOf(recordOf(JSON.parse(body.toString("utf8"))), seal);
      decoded.set(body, request);
    }
    return request;
  };
}

const readPlain = createRequestReader();

/** Like `createRequestReader`, without a seal. */
export const decodeRequest = (body: Buffer): Conversation => readPlain(body).conversation;
