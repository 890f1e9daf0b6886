/**
 * Gemini's answers → OpenAI's (docs/wire/gemini.md sections 3, 4 and 8): every response object, whole or one
 * of a stream, goes through the same reader, which tells a writer what it finds. Every field may be missing;
 * what is not known is skipped.
 */

import { isShallow, parseExact } from "../../lib/json/exact-json.ts";
import { isRecord, type JsonRecord, parseJson, recordOf } from "../../lib/record.ts";
import { createEventReader } from "../../lib/sse/event-reader.ts";
import { ChunkWriter } from "../openai-chat/chunks.ts";
import { MessageBuilder } from "../openai-chat/message.ts";
import { readChatRequest } from "../openai-chat/request.ts";
import type { AnswerWriter } from "../openai-chat/writer.ts";
import type { AnswerContext, AnswerTranslation, StreamTranslator } from "../protocol.ts";
import { citationsOf } from "./citations.ts";
import { finishOf } from "./finish.ts";
import { tokensOf, topLogprobsOf } from "./logprobs.ts";
import { detailOf, extraOf, rememberSignature, type SignedPart } from "./signatures.ts";
import { readUsage } from "./usage.ts";

/** More candidates than can be asked for are not read. */
const candidatesMax = 8;

interface Candidate {
  calls: number;
  images: number;
  hasContent: boolean;
  /** What was said, where sources may be named that point into it. */
  text: string;
  /** As the upstream wrote it; undefined until it is over. */
  reason: string | undefined;
}

const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

/** Reads the response objects of one answer, in order. */
class AnswerReader {
  readonly #writer: AnswerWriter;
  readonly #context: AnswerContext;
  readonly #callsMax: number;
  readonly #isSearch: boolean;
  /** undefined: log probabilities were not asked for. */
  readonly #topLogprobs: number | undefined;
  readonly #candidates = new Map<number, Candidate>();
  readonly #callIds = new Set<string>();
  #usage: unknown;

  constructor(writer: AnswerWriter, context: AnswerContext) {
    this.#writer = writer;
    this.#context = context;
    const { raw, toolUse } = readChatRequest(context.request);
    // There is no way to ask for one call only: the first is kept.
    this.#callsMax = toolUse.isParallel === false ? 1 : Number.POSITIVE_INFINITY;
    this.#isSearch = isRecord(raw["web_search_options"]);
    this.#topLogprobs = topLogprobsOf(raw);
  }

  /** One response object. */
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

  /** Says how each candidate ended and what was used. False: the answer is unfinished, or to be thrown away. */
  finish(isWhole: boolean): boolean {
    for (const candidate of this.#candidates.values()) {
      // A whole answer that is over without saying why has said what it had to say.
      if (isWhole && candidate.hasContent) candidate.reason ??= "STOP";
    }
    if (this.#candidates.size === 0 || this.hasFailed) return false;
    for (const [index, candidate] of this.#candidates) {
      const reason = candidate.reason === undefined ? "failed" : finishOf(candidate.reason, candidate);
      if (reason === "failed") return false;
      this.#writer.finish(reason, index);
    }
    this.account();
    return true;
  }

  /** Says what was used so far. */
  account(): void {
    const usage = readUsage(this.#usage);
    if (usage !== undefined) this.#writer.usage(usage);
  }

  /** Did the model break off because of a mistake of its own? */
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
      this.#writer.logprobs(tokensOf(value["logprobsResult"], this.#topLogprobs), index);
    const parts = recordOf(value["content"])["parts"];
    if (Array.isArray(parts))
      for (const part of parts) if (isRecord(part)) this.#takePart(part, candidate, index);
    if (this.#isSearch && isRecord(value["groundingMetadata"])) {
      for (const citation of citationsOf(value["groundingMetadata"], candidate.text)) {
        this.#writer.annotation(citation, index);
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
      this.#writer.reasoning(text, index);
      return;
    }
    let signed: SignedPart = "text";
    if (isRecord(part["inlineData"])) {
      signed = `image:${candidate.images}`;
      this.#takeImage(part["inlineData"], candidate, index);
    } else {
      this.#say(text === "" ? codeIn(part) : text, candidate, index);
    }
    if (signature !== "") this.#writer.reasoningDetail(detailOf(signed, signature), index);
  }

  #say(text: string, candidate: Candidate, index: number): void {
    if (text === "") return;
    candidate.hasContent = true;
    if (this.#isSearch) candidate.text += text;
    this.#writer.text(text, index);
  }

  #takeImage(blob: JsonRecord, candidate: Candidate, index: number): void {
    const type = textIn(blob["mimeType"]);
    if (!/^image\/[\w.+-]{1,60}$/.test(type)) return;
    candidate.hasContent = true;
    candidate.images += 1;
    this.#writer.image(`data:${type};base64,${textIn(blob["data"])}`, index);
  }

  #takeCall(call: JsonRecord, signature: string, candidate: Candidate, index: number): void {
    const number = candidate.calls;
    if (number >= this.#callsMax) return;
    candidate.calls += 1;
    candidate.hasContent = true;
    const id = this.#callId(textIn(call["id"]));
    const { request, model } = this.#context;
    if (signature !== "") rememberSignature(request.memory, id, { signature, model });
    const extra = signature === "" ? {} : { extra: extraOf(signature) };
    this.#writer.toolCall(number, { id, name: textIn(call["name"]), ...extra }, index);
    this.#writer.toolArguments(number, JSON.stringify(call["args"] ?? {}), index);
  }

  /** The upstream's id, or one of ours where it gave none or one twice: unique to this answer, and the same however it is cut. */
  #callId(given: string): string {
    const isFree = given !== "" && !this.#callIds.has(given);
    const id = isFree
      ? given
      : `call_${this.#context.id.replace(/^chatcmpl-(?:req_)?/, "")}_${this.#callIds.size}`;
    this.#callIds.add(id);
    return id;
  }
}

/** Code the model ran by itself, and what came of it, as text. */
function codeIn(part: JsonRecord): string {
  const code = recordOf(part["executableCode"]);
  if (typeof code["code"] === "string") {
    return `\n\`\`\`${textIn(code["language"]).toLowerCase()}\n${code["code"]}\n\`\`\`\n`;
  }
  const output = recordOf(part["codeExecutionResult"])["output"];
  return typeof output === "string" && output !== "" ? `\n\`\`\`\n${output}\n\`\`\`\n` : "";
}

/** `first`: the response object that came first, which names the model that serves; one that does not is from the one called. */
const headOf = ({ id, createdSeconds, model, request }: AnswerContext, first: JsonRecord) => ({
  id,
  createdSeconds,
  model: textIn(first["modelVersion"]) || model,
  isLegacy: readChatRequest(request).toolUse.isLegacy,
});

/** The error in a response, or in a list of one. */
function errorIn(value: unknown): unknown {
  const only: unknown = Array.isArray(value) ? value[0] : value;
  return isRecord(only) && isRecord(only["error"]) ? only : undefined;
}

const broken = { error: { code: 500, status: "INTERNAL", message: "malformed answer of the model" } };

/** Deeper nested answers are none: they could not be written again. */
const depthMax = 256;

/** Arguments of calls keep their numbers as they are written. */
function parsed(text: string): unknown {
  if (!isShallow(text, depthMax)) return broken;
  return text.includes('"functionCall"') ? parseExact(text) : parseJson(text);
}

const nothing = Buffer.alloc(0);

function stream(context: AnswerContext): StreamTranslator {
  let begun: { writer: ChunkWriter; answer: AnswerReader } | undefined;
  const begin = (first: JsonRecord) => {
    const writer = new ChunkWriter(headOf(context, first));
    return { writer, answer: new AnswerReader(writer, context) };
  };
  let isBroken = false;
  /** The answer comes to no end of its own. Its tokens are counted all the same. */
  const breakOff = (error?: unknown): void => {
    isBroken = true;
    begun ??= begin({});
    const { writer, answer } = begun;
    answer.account();
    writer.tellUsage();
    if (error !== undefined) writer.error(JSON.stringify(error));
  };
  const reader = createEventReader((data) => {
    if (isBroken) return;
    const response = parsed(data);
    const error = errorIn(response);
    if (error !== undefined) {
      breakOff(error);
    } else if (isRecord(response)) {
      begun ??= begin(response);
      begun.answer.take(response);
      if (begun.answer.hasFailed) breakOff(broken);
    }
  });
  const written = (): Buffer => begun?.writer.take() ?? nothing;
  return {
    push(chunk) {
      if (!reader.push(chunk) && !isBroken) breakOff();
      return written();
    },
    end() {
      reader.end();
      if (!isBroken && begun?.answer.finish(false) === true) begun.writer.close();
      else if (!isBroken) breakOff();
      return written();
    },
  };
}

function whole(body: Buffer, context: AnswerContext): Buffer | undefined {
  const response = parsed(body.toString("utf8"));
  if (!isRecord(response) || errorIn(response) !== undefined) return undefined;
  const builder = new MessageBuilder(headOf(context, response));
  const answer = new AnswerReader(builder, context);
  answer.take(response);
  return answer.finish(true) ? builder.build() : undefined;
}

export const translation: AnswerTranslation = { streamType: "text/event-stream", stream, whole };
