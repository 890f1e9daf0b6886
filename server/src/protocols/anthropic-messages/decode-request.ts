/**
 * A caller's Messages request → a conversation (docs/wire/anthropic-messages.md section 13), parsed once and
 * checked for shape. What every protocol would refuse is refused here by field name. Settings that other
 * formats lack are kept as style settings: they are reported when dropped and never refused.
 */
import { message } from "@plaza/contract/messages/message.ts";
import type { AnswerFormat, Conversation, ReasoningRequest } from "../../conversation/conversation.ts";
import { parseExact } from "../../lib/json/exact-json.ts";
import { isRecord, type JsonRecord, recordOf } from "../../lib/record.ts";
import { plainSeal, type Seal } from "../payloads/seal.ts";
import { invalid, unsupported } from "../untranslatable.ts";
import { cacheOf, type Notes } from "./request/content.ts";
import { names, parametersOf } from "./request/names.ts";
import { decodeTools } from "./request/tools.ts";
import { decodeTurns } from "./request/turns.ts";

const stopMax = 256;

/** A decoded request. */
export interface DecodedRequest {
  readonly conversation: Conversation;
  /** True when the caller asked for thoughts. Other callers do not expect them in the answer. */
  readonly showsThoughts: boolean;
}

/** A number; undefined when absent or null; NaN for anything else. */
function numberIn(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "number" && Number.isFinite(value) ? value : Number.NaN;
}

/** Most tokens of the answer; a request to count tokens has no such limit. */
function outputTokensOf(raw: JsonRecord, isCount: boolean): number | undefined {
  const value = numberIn(raw["max_tokens"]);
  if (value === undefined) {
    if (isCount) return undefined;
    throw invalid("max_tokens", message("wire.maxTokensMissing"));
  }
  if (!Number.isInteger(value) || value < 0) throw invalid("max_tokens", message("wire.maxTokensWhole"));
  if (value === 0) throw unsupported("max_tokens", message("wire.warmUpOnly"));
  return value;
}

function stopOf({ stop_sequences: value }: JsonRecord): string[] {
  if (value === undefined || value === null) return [];
  const isList = Array.isArray(value) && value.length <= stopMax;
  if (!isList || value.some((text) => typeof text !== "string"))
    throw invalid("stop_sequences", message("wire.stopList", { max: stopMax }));
  return [...new Set(value as string[])].filter((text) => text !== "");
}

/** The answer's format. `output_format` is the older name of the field. */
function formatOf(raw: JsonRecord): AnswerFormat {
  const own = recordOf(raw["output_config"])["format"] ?? undefined;
  const path = own === undefined ? "output_format" : names.format;
  const given = own ?? raw["output_format"];
  if (given === undefined || given === null) return { kind: "text" };
  const { type, schema } = recordOf(given);
  if (type !== "json_schema") throw invalid(`${path}.type`, message("wire.schemaOnly", { param: path }));
  const schemaPath = `${path}.schema`;
  if (!isRecord(schema)) throw invalid(schemaPath, message("wire.schemaMissing"));
  return {
    kind: "json_schema",
    name: "answer",
    description: undefined,
    schema,
    isStrict: true,
    schemaPath,
  };
}

/** The effort that replaces a thinking budget for models that take an effort. */
const effortOf = (budget: number): string => (budget <= 2_048 ? "low" : budget <= 16_384 ? "medium" : "high");

function reasoningOf(raw: JsonRecord): ReasoningRequest {
  const effort = recordOf(raw["output_config"])["effort"] ?? undefined;
  if (effort !== undefined && typeof effort !== "string")
    throw invalid(names.effort, message("wire.missingText", { param: names.effort }));
  const said = effort?.toLowerCase();
  const { thinking } = raw;
  // Clients say it to every model, whatever it can do.
  const none = { effort: said, budget: undefined, isOn: undefined, isHidden: false, isOptional: true };
  if (thinking === undefined || thinking === null) return none;
  const { type, budget_tokens: given, display } = recordOf(thinking);
  const isHidden = display === "omitted";
  switch (type) {
    case "enabled": {
      const budget = numberIn(given);
      if (budget === undefined || !Number.isInteger(budget) || budget < 1) {
        const param = names.reasoningBudget;
        throw invalid(param, message("wire.positiveWhole", { param }));
      }
      return { ...none, effort: said ?? effortOf(budget), budget, isOn: true, isHidden };
    }
    case "adaptive":
      return { ...none, isOn: true, isHidden };
    // Only the models with this setting think between tools. For all others it means that thinking is off.
    case "disabled":
    case "between_tools":
      return { ...none, effort: undefined, isOn: false, isHidden };
    default:
      throw invalid("thinking.type", message("wire.thinkingKind"));
  }
}

/** Keeps the spelling of numbers with many digits where a model wrote them. */
function exactMessages(text: string, raw: JsonRecord): JsonRecord {
  if (!text.includes('"tool_use"') || !/\d{16}/.test(text)) return raw;
  return { ...raw, messages: recordOf(parseExact(text))["messages"] };
}

function decode(body: Buffer, seal: Seal, isCount: boolean): DecodedRequest {
  const text = body.toString("utf8");
  const raw = recordOf(JSON.parse(text));
  const notes: Notes = [];
  const { toolUse, foreign } = decodeTools(raw);
  const turns = decodeTurns(exactMessages(text, raw), seal, notes);
  const reasoning = reasoningOf(raw);
  const conversation: Conversation = {
    protocol: "anthropic-messages",
    names,
    parameters: [...parametersOf(raw), ...foreign, ...notes],
    turns,
    outputTokens: outputTokensOf(raw, isCount),
    toolUse,
    format: formatOf(raw),
    stop: stopOf(raw),
    choices: 1,
    reasoning,
    sampling: {
      temperature: numberIn(raw["temperature"]),
      topP: numberIn(raw["top_p"]),
      topK: numberIn(raw["top_k"]),
      seed: undefined,
      presencePenalty: undefined,
      frequencyPenalty: undefined,
    },
    logprobs: { isWanted: false, alternatives: undefined },
    cache: cacheOf(raw, ""),
  };
  return { conversation, showsThoughts: reasoning.isOn === true };
}

/** `seal`: of payloads in thinking blocks; absent: plain. */
export type RequestReader = (body: Buffer, seal?: Seal) => DecodedRequest;

export interface RequestReaderOptions {
  /** True for a request to count tokens, which has no output limit. */
  readonly isCount?: boolean;
}

/**
 * Reads bodies known to be JSON objects. A body is parsed once, however many attempts and answers read it.
 * Throws `Untranslatable` for what no protocol accepts.
 */
export function createRequestReader({ isCount = false }: RequestReaderOptions = {}): RequestReader {
  const decoded = new WeakMap<Buffer, DecodedRequest>();
  return (body, seal = plainSeal) => {
    let request = decoded.get(body);
    if (request === undefined) {
      request = decode(body, seal, isCount);
      decoded.set(body, request);
    }
    return request;
  };
}

const readPlain = createRequestReader();

/** Like `createRequestReader`, without a seal. */
export const decodeRequest = (body: Buffer): Conversation => readPlain(body).conversation;
