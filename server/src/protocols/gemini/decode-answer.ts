/**
 * Decodes Gemini's answers (docs/wire/gemini.md sections 3, 4 and 8). Every response object, whole or part of
 * a stream, goes through the same reader, which reports what it finds to a sink. Every field may be missing;
 * unknown ones are ignored.
 */
import type { AnswerSink, StreamSink } from "../../conversation/answer.ts";
import { isShallow, parseExact } from "../../lib/json/exact-json.ts";
import { isRecord, type JsonRecord, parseJson, recordOf } from "../../lib/record.ts";
import { createEventReader } from "../../lib/sse/event-reader.ts";
import type { AnswerDecoder, DecodeContext, EarlyUsage, StreamDecoder } from "../protocol.ts";
import { citationsOf } from "./citations.ts";
import { finishOf } from "./finish.ts";
import { tokensOf, topLogprobsOf } from "./logprobs.ts";
import { searchesWeb } from "./settings.ts";
import { opaqueOf, rememberSignature, type SignedPart } from "./signatures.ts";
import { readUsage } from "./usage.ts";

/** More candidates than can be requested are ignored. */
const candidatesMax = 8;

interface Candidate {
  calls: number;
  images: number;
  hasContent: boolean;
  /** The text so far, kept when citations may refer to it. */
  text: string;
  /** The upstream's finish reason; undefined until the candidate ends. */
  reason: string | undefined;
}

const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

/** Reads the response objects of one answer, in order. */
class AnswerReader {
  readonly #sink: AnswerSink;
  readonly #context: DecodeContext;
  readonly #callsMax: number;
  readonly #isSearch: boolean;
  /** Undefined: the caller did not request log probabilities. */
  readonly #topLogprobs: number | undefined;
  readonly #candidates = new Map<number, Candidate>();
  readonly #callIds = new Set<string>();
  #usage: unknown;

  constructor(sink: AnswerSink, context: DecodeContext) {
    this.#sink = sink;
    this.#context = context;
    const { conversation } = context;
    // Gemini cannot be limited to one call, so only the first is kept.
    this.#callsMax = conversation.toolUse.isParallel === false ? 1 : Number.POSITIVE_INFINITY;
    this.#isSearch = searchesWeb(conversation);
    this.#topLogprobs = topLogprobsOf(conversation);
  }

  /** Reads one response object. */
  take(response: JsonRecord): void {
    if (isRecord(response["usageMetadata"])) this.#usage = response["usageMetadata"];
    const candidates = response["candidates"];
    if (Array.isArray(candidates)) {
      candidates.forEach((candidate, place) => {
        if (isRecord(candidate)) this.#takeCandidate(candidate, place);
      });
    }
    const blocked = recordOf(response["promptFeedback"])["blockReason"];
    if (typeof blocked === "string" && this.#candidates.size === 0) {
      this.#candidate(0).reason = "PROHIBITED_CONTENT";
    }
  }

  /**
   * Reports each candidate's finish reason and the usage. Returns false when the answer is unfinished or must
   * be discarded.
   */
  finish(isWhole: boolean): boolean {
    for (const candidate of this.#candidates.values()) {
      // A whole answer without a finish reason has stopped normally.
      if (isWhole && candidate.hasContent) candidate.reason ??= "STOP";
    }
    if (this.#candidates.size === 0 || this.hasFailed) return false;
    for (const [index, candidate] of this.#candidates) {
      const reason = candidate.reason === undefined ? "failed" : finishOf(candidate.reason, candidate);
      if (reason === "failed") return false;
      this.#sink.finish(reason, index);
    }
    this.account();
    return true;
  }

  /** Reports the usage so far. */
  account(): void {
    const usage = readUsage(this.#usage);
    if (usage !== undefined) this.#sink.usage(usage);
  }

  /** The usage so far, which every object may repeat. */
  get earlyUsage(): EarlyUsage | undefined {
    const usage = readUsage(this.#usage);
    return usage && { usage, isPromptAlone: false };
  }

  /** True when every candidate has ended. */
  get isOver(): boolean {
    for (const { reason } of this.#candidates.values()) if (reason === undefined) return false;
    return this.#candidates.size > 0;
  }

  /** True when the model stopped because of its own mistake. */
  get hasFailed(): boolean {
    for (const candidate of this.#candidates.values()) {
      if (candidate.reason !== undefined && finishOf(candidate.reason, candidate) === "failed") return true;
    }
    return false;
  }

  #candidate(index: number): Candidate {
    let candidate = this.#candidates.get(index);
    if (candidate === undefined) {
      candidate = { calls: 0, images: 0, hasContent: false, text: "", reason: undefined };
      this.#candidates.set(index, candidate);
    }
    return candidate;
  }

  #takeCandidate(value: JsonRecord, place: number): void {
    const given = value["index"];
    const index = typeof given === "number" && Number.isInteger(given) && given >= 0 ? given : place;
    if (index >= candidatesMax) return;
    const candidate = this.#candidate(index);
    if (this.#topLogprobs !== undefined)
      this.#sink.logprobs(tokensOf(value["logprobsResult"], this.#topLogprobs), index);
    const parts = recordOf(value["content"])["parts"];
    if (Array.isArray(parts))
      for (const part of parts) if (isRecord(part)) this.#takePart(part, candidate, index);
    if (this.#isSearch && isRecord(value["groundingMetadata"])) {
      for (const citation of citationsOf(value["groundingMetadata"], candidate.text)) {
        this.#sink.citation(citation, index);
      }
    }
    const reason = value["finishReason"];
    if (typeof reason === "string" && reason !== "") candidate.reason = reason;
  }

  #takePart(part: JsonRecord, candidate: Candidate, index: number): void {
    const signature = textIn(part["thoughtSignature"]);
    if (isRecord(part["functionCall"])) {
      this.#takeCall(part["functionCall"], signature, candidate, index);
      return;
    }
    const text = textIn(part["text"]);
    if (part["thought"] === true) {
      this.#sink.reasoning(text, index);
      return;
    }
    let signed: SignedPart = "text";
    if (isRecord(part["inlineData"])) {
      signed = `image:${candidate.images}`;
      this.#takeImage(part["inlineData"], candidate, index);
    } else {
      this.#emit(text === "" ? codeIn(part) : text, candidate, index);
    }
    if (signature !== "") this.#sink.opaqueReasoning(opaqueOf(signed, signature), index);
  }

  #emit(text: string, candidate: Candidate, index: number): void {
    if (text === "") return;
    candidate.hasContent = true;
    if (this.#isSearch) candidate.text += text;
    this.#sink.text(text, index);
  }

  #takeImage(blob: JsonRecord, candidate: Candidate, index: number): void {
    const type = textIn(blob["mimeType"]);
    if (!/^image\/[\w.+-]{1,60}$/.test(type)) return;
    candidate.hasContent = true;
    candidate.images += 1;
    this.#sink.image(type, textIn(blob["data"]), index);
  }

  #takeCall(call: JsonRecord, signature: string, candidate: Candidate, index: number): void {
    const number = candidate.calls;
    if (number >= this.#callsMax) return;
    candidate.calls += 1;
    candidate.hasContent = true;
    const id = this.#callId(textIn(call["id"]));
    const { memory, model } = this.#context;
    if (signature !== "") rememberSignature(memory, id, { signature, model });
    const name = textIn(call["name"]);
    this.#sink.toolCall(number, { id, name, ...(signature === "" ? {} : { signature }) }, index);
    this.#sink.toolArguments(number, JSON.stringify(call["args"] ?? {}), index);
  }

  /**
   * The upstream's call id, or a generated one when it is missing or a duplicate. Unique in this answer, and
   * independent of how the stream is cut.
   */
  #callId(given: string): string {
    const isFree = given !== "" && !this.#callIds.has(given);
    const id = isFree
      ? given
      : `call_${this.#context.answerId.replace(/^chatcmpl-(?:req_)?/, "")}_${this.#callIds.size}`;
    this.#callIds.add(id);
    return id;
  }
}

/** Code the model ran, and its output, as text. */
function codeIn(part: JsonRecord): string {
  const code = recordOf(part["executableCode"]);
  if (typeof code["code"] === "string") {
    return `\n\`\`\`${textIn(code["language"]).toLowerCase()}\n${code["code"]}\n\`\`\`\n`;
  }
  const output = recordOf(part["codeExecutionResult"])["output"];
  return typeof output === "string" && output !== "" ? `\n\`\`\`\n${output}\n\`\`\`\n` : "";
}

/** Reports the model's name if the first response object names another than the one called. */
function emitModel(sink: AnswerSink, first: JsonRecord): void {
  const model = textIn(first["modelVersion"]);
  if (model !== "") sink.model(model);
}

/** The error in a response, or in a list of one. */
function errorIn(value: unknown): unknown {
  const only: unknown = Array.isArray(value) ? value[0] : value;
  return isRecord(only) && isRecord(only["error"]) ? only : undefined;
}

const broken = { error: { code: 500, status: "INTERNAL", message: "malformed answer of the model" } };

/** Answers nested deeper are rejected, because they cannot be serialized again. */
const depthMax = 256;

/** Keeps the spelling of numbers in call arguments. */
function parsed(text: string): unknown {
  if (!isShallow(text, depthMax)) return broken;
  return text.includes('"functionCall"') ? parseExact(text) : parseJson(text);
}

function decodeStream(context: DecodeContext, sink: StreamSink): StreamDecoder {
  const answer = new AnswerReader(sink, context);
  let hasBegun = false;
  let isBroken = false;
  /** Ends an answer without an end of its own. Its tokens are still counted. */
  const breakOff = (error?: unknown): void => {
    isBroken = true;
    answer.account();
    sink.reportUsage();
    if (error !== undefined) sink.error(JSON.stringify(error));
  };
  const reader = createEventReader((data) => {
    if (isBroken) return;
    const response = parsed(data);
    const error = errorIn(response);
    if (error !== undefined) {
      breakOff(error);
    } else if (isRecord(response)) {
      if (!hasBegun) emitModel(sink, response);
      hasBegun = true;
      answer.take(response);
      if (answer.hasFailed) breakOff(broken);
    }
  });
  return {
    push(chunk) {
      if (!reader.push(chunk) && !isBroken) breakOff(broken);
    },
    end() {
      reader.end();
      if (isBroken) return;
      if (answer.finish(false)) sink.close();
      else breakOff();
    },
    get earlyUsage() {
      return answer.earlyUsage;
    },
    get isWhole() {
      return !isBroken && answer.isOver;
    },
  };
}

function decodeWhole(body: Buffer, context: DecodeContext, sink: AnswerSink): boolean {
  const response = parsed(body.toString("utf8"));
  if (!isRecord(response) || errorIn(response) !== undefined) return false;
  emitModel(sink, response);
  const answer = new AnswerReader(sink, context);
  answer.take(response);
  return answer.finish(true);
}

export const geminiDecoder: AnswerDecoder = {
  streamType: "text/event-stream",
  isUsageGrowing: true,
  stream: decodeStream,
  whole: decodeWhole,
};
