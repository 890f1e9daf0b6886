/**
 * A caller's generateContent request → a conversation (docs/wire/gemini.md section 12), parsed once and
 * checked for shape, in either spelling. The model is in the path, not in the body.
 */
import { message } from "@plaza/contract/messages/message.ts";
import type { AnswerFormat, Conversation, ReasoningRequest } from "../../conversation/conversation.ts";
import { parseExact } from "../../lib/json/exact-json.ts";
import { isRecord, type JsonRecord, textIn } from "../../lib/record.ts";
import { plainSeal, type Seal } from "../payloads/seal.ts";
import { invalid } from "../untranslatable.ts";
import { decodeContents } from "./request/decode-contents.ts";
import { schemaOf } from "./request/decode-schema.ts";
import { decodeTools } from "./request/decode-tools.ts";
import { names, parametersOf } from "./request/names.ts";
import { membersOf, numberIn } from "./request/spelling.ts";

const stopMax = 16;

/** A positive whole number; undefined when absent. Throws for anything else. */
function countOf(config: JsonRecord, member: string): number | undefined {
  const value = numberIn(config[member]);
  const param = `generationConfig.${member}`;
  if (value === undefined) return undefined;
  if (Number.isNaN(value)) throw invalid(param, message("body.notNumber", { path: param }));
  if (!Number.isInteger(value) || value < 1) throw invalid(param, message("wire.positiveWhole", { param }));
  return value;
}

function stopOf({ stopSequences }: JsonRecord): string[] {
  if (stopSequences === undefined) return [];
  const isList = Array.isArray(stopSequences) && stopSequences.every((text) => typeof text === "string");
  if (!isList || stopSequences.length > stopMax)
    throw invalid(names.stop, message("wire.geminiStops", { param: names.stop, max: stopMax }));
  return [...new Set(stopSequences as string[])].filter((text) => text !== "");
}

function formatOf(config: JsonRecord): AnswerFormat {
  const { responseMimeType, responseSchema, responseJsonSchema } = config;
  const at = "generationConfig.responseSchema";
  const other = "generationConfig.responseJsonSchema";
  if (responseSchema !== undefined && responseJsonSchema !== undefined)
    throw invalid(other, message("wire.geminiSchemas", { param: at, other }));
  const schema = responseJsonSchema ?? schemaOf(responseSchema);
  if (schema === undefined || textIn(responseMimeType)?.startsWith("text/") === true)
    return { kind: responseMimeType === "application/json" ? "json_object" : "text" };
  const schemaPath = responseJsonSchema === undefined ? at : other;
  if (!isRecord(schema)) throw invalid(schemaPath, message("wire.schemaMissing"));
  // Google enforces the schema but does not require closed objects, unlike `strict` elsewhere.
  return { kind: "json_schema", name: "answer", description: undefined, schema, isStrict: false, schemaPath };
}

/** Thoughts are shown on request. A budget of −1 lets the model decide. */
function reasoningOf({ thinkingConfig }: JsonRecord): ReasoningRequest {
  const { includeThoughts, thinkingBudget, thinkingLevel } = membersOf(thinkingConfig);
  const budget = numberIn(thinkingBudget);
  const level = textIn(thinkingLevel)?.toLowerCase();
  return {
    effort: level === "thinking_level_unspecified" ? undefined : level,
    budget: budget === -1 || budget === 0 ? undefined : budget,
    isOn: budget === undefined ? undefined : budget !== 0,
    isHidden: includeThoughts !== true,
  };
}

function conversationOf(raw: JsonRecord, seal: Seal): Conversation {
  const config = membersOf(raw["generationConfig"]);
  const { turns, apart } = decodeContents(raw, seal);
  return {
    protocol: "gemini",
    names,
    parameters: [...parametersOf(raw), ...apart],
    turns,
    toolUse: decodeTools(raw),
    format: formatOf(config),
    sampling: {
      temperature: numberIn(config["temperature"]),
      topP: numberIn(config["topP"]),
      topK: numberIn(config["topK"]),
      seed: numberIn(config["seed"]),
      presencePenalty: numberIn(config["presencePenalty"]),
      frequencyPenalty: numberIn(config["frequencyPenalty"]),
    },
    stop: stopOf(config),
    outputTokens: countOf(config, "maxOutputTokens"),
    choices: countOf(config, "candidateCount") ?? 1,
    reasoning: reasoningOf(config),
    logprobs: {
      isWanted: config["responseLogprobs"] === true,
      alternatives: numberIn(config["logprobs"]),
    },
    cache: undefined,
  };
}

export type RequestReader = (body: Buffer, seal?: Seal) => Conversation;

/**
 * Reads bodies known to be JSON objects. A body is parsed once, however many attempts and answers read it.
 * Throws `Untranslatable` for what no protocol accepts. `seal`: of payloads sent back by callers.
 */
function createRequestReader(): RequestReader {
  const decoded = new WeakMap<Buffer, Conversation>();
  return (body, seal = plainSeal) => {
    let conversation = decoded.get(body);
    if (conversation === undefined) {
      // Keeps the spelling of numbers in call arguments.
      conversation = conversationOf(membersOf(parseExact(body.toString("utf8"))), seal);
      decoded.set(body, conversation);
    }
    return conversation;
  };
}

/** Like `createRequestReader`, without a seal. */
export const decodeRequest = createRequestReader();
