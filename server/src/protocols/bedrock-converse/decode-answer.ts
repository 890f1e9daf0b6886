/**
 * What Converse answers, whole or streamed (docs/wire/bedrock-converse.md sections 2 and 3). Its blocks are
 * those of Anthropic's Messages in other clothes, whatever model is behind them, and are said as those are.
 */
import type { AnswerSink, StreamSink } from "../../conversation/answer.ts";
import { isShallow, parseExact } from "../../lib/json/exact-json.ts";
import { isRecord, type JsonRecord, parseJson, recordOf } from "../../lib/record.ts";
import { type AnswerRules, ClaudeAnswer, customToolsOf } from "../claude/answer.ts";
import type { AnswerDecoder, DecodeContext, StreamDecoder } from "../protocol.ts";
import { jsonToolOf } from "./encode-tools.ts";
import { createFrameReader, type Frame } from "./frames.ts";
import { rulesOf } from "./models.ts";
import { readUsage } from "./usage.ts";

/** Stop reasons Anthropic's table says otherwise; the rest are told as they are. */
const stopReasons: Readonly<Record<string, string>> = {
  guardrail_intervened: "refusal",
  content_filtered: "refusal",
};

/** The model wrote something Bedrock could not read: its failure, and no answer. */
export const isMalformed = (reason: unknown): boolean =>
  reason === "malformed_model_output" || reason === "malformed_tool_use";

function readingRules({ conversation, model, memory }: DecodeContext): AnswerRules {
  return {
    model,
    customTools: customToolsOf(conversation),
    answerTool: jsonToolOf(conversation, rulesOf(model)),
    isUnfenced: conversation.format.kind === "json_object",
    memory,
  };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/**
 * Names the model to the sink where it is not to be called as it was. Converse names none, so it is the one
 * that was called; of an ARN the last part, because the rest is the operator's account.
 */
function emitModel(sink: AnswerSink, model: string): void {
  if (model.startsWith("arn:")) sink.model(model.slice(model.lastIndexOf("/") + 1));
}

/** Converse's pieces, said as Anthropic's. */
class ConverseAnswer {
  readonly #answer: ClaudeAnswer;
  readonly #sink: AnswerSink;
  /** Blocks that have begun, by their place: texts and thoughts come without a beginning. */
  readonly #begun = new Map<number, string>();

  constructor(sink: AnswerSink, rules: AnswerRules) {
    this.#sink = sink;
    this.#answer = new ClaudeAnswer(sink, rules);
  }

  beginTool(place: number, { toolUseId, name, type }: JsonRecord, input: unknown = {}): void {
    // Tools that Bedrock runs itself are none of the caller's.
    const isOwn = type === "server_tool_use";
    this.#begin(place, { type: isOwn ? "server_tool_use" : "tool_use", id: toolUseId, name, input });
  }

  /** A piece of a block. Pieces of unknown kinds are passed over. */
  add(place: number, delta: JsonRecord): void {
    const { text, toolUse, reasoningContent } = delta;
    if (typeof text === "string") {
      this.#ensure(place, "text", { type: "text", text: "" });
      this.#answer.add(place, { type: "text_delta", text });
    } else if (isRecord(toolUse)) {
      this.#answer.add(place, { type: "input_json_delta", partial_json: textOf(toolUse["input"]) });
    } else if (isRecord(reasoningContent)) this.#think(place, reasoningContent);
  }

  end(place: number): void {
    if (this.#begun.delete(place)) this.#answer.end(place);
  }

  finish(reason: string): void {
    this.#answer.finish((Object.hasOwn(stopReasons, reason) ? stopReasons[reason] : undefined) ?? reason, {});
  }

  usage(report: unknown): void {
    const usage = readUsage(report);
    if (usage !== undefined) this.#sink.usage(usage);
  }

  #think(place: number, { text, signature, redactedContent }: JsonRecord): void {
    if (typeof redactedContent === "string") {
      this.#ensure(place, "redacted", { type: "redacted_thinking", data: redactedContent });
      return;
    }
    this.#ensure(place, "thinking", { type: "thinking", thinking: "", signature: "" });
    if (typeof text === "string") this.#answer.add(place, { type: "thinking_delta", thinking: text });
    if (typeof signature === "string") this.#answer.add(place, { type: "signature_delta", signature });
  }

  #ensure(place: number, kind: string, block: JsonRecord): void {
    if (!this.#begun.has(place)) this.#begin(place, block, kind);
  }

  #begin(place: number, block: JsonRecord, kind = "tool"): void {
    this.end(place);
    this.#begun.set(place, kind);
    this.#answer.begin(place, block);
  }
}

/** Says a block of a whole message. Kinds a chat answer has no place for are passed over. */
function emitBlock(answer: ConverseAnswer, place: number, block: JsonRecord): void {
  const { text, toolUse, reasoningContent, citationsContent } = block;
  if (typeof text === "string") answer.add(place, { text });
  else if (isRecord(toolUse)) answer.beginTool(place, toolUse, toolUse["input"]);
  else if (isRecord(reasoningContent)) {
    const { reasoningText, redactedContent } = reasoningContent;
    answer.add(place, { reasoningContent: isRecord(reasoningText) ? reasoningText : { redactedContent } });
  } else if (isRecord(citationsContent) && Array.isArray(citationsContent["content"])) {
    for (const part of citationsContent["content"].map(recordOf))
      answer.add(place, { text: textOf(part["text"]) });
  }
  answer.end(place);
}

/** Deeper nested bodies are no answers: they could not be written again. */
const depthMax = 256;

/** Says a whole answer. False: it is none. */
function decodeWhole(body: Buffer, context: DecodeContext, sink: AnswerSink): boolean {
  const text = body.toString("utf8");
  // Arguments of calls keep their numbers as they are written.
  const value = isShallow(text, depthMax) ? recordOf(parseExact(text)) : {};
  const { content } = recordOf(recordOf(value["output"])["message"]);
  const reason = value["stopReason"];
  if (!Array.isArray(content) || typeof reason !== "string" || isMalformed(reason)) return false;
  emitModel(sink, context.model);
  const answer = new ConverseAnswer(sink, readingRules(context));
  for (const [place, block] of content.entries()) if (isRecord(block)) emitBlock(answer, place, block);
  answer.finish(reason);
  answer.usage(value["usage"]);
  return true;
}

/** An error as `fault` reads it: what Bedrock's JSON errors look like. */
const errorJson = (type: string, message: string): string => JSON.stringify({ __type: type, message });

class ConverseStream implements StreamDecoder {
  readonly #sink: StreamSink;
  readonly #answer: ConverseAnswer;
  readonly #frames = createFrameReader((frame) => this.#take(frame));

  constructor(context: DecodeContext, sink: StreamSink) {
    this.#sink = sink;
    emitModel(sink, context.model);
    this.#answer = new ConverseAnswer(sink, readingRules(context));
  }

  push(chunk: Buffer): void {
    if (!this.#frames.push(chunk)) this.#sink.error(errorJson("ModelStreamErrorException", ""));
  }

  end(): void {
    // Usage comes after the message's own end; without it the answer is whole all the same.
    // Without that end this closes nothing.
    this.#sink.close();
  }

  #take({ headers, payload }: Frame): void {
    const text = payload.toString("utf8");
    if (headers[":message-type"] === "error") {
      this.#sink.error(errorJson(headers[":error-code"] ?? "", headers[":error-message"] ?? ""));
      return;
    }
    const name = headers[":exception-type"] ?? headers[":event-type"] ?? "";
    const value = recordOf(parseJson(text));
    if (headers[":message-type"] === "exception" || name.endsWith("Exception")) {
      this.#sink.error(errorJson(name, textOf(value["message"] ?? value["Message"])));
    } else this.#takeEvent(name, value);
  }

  #takeEvent(name: string, value: JsonRecord): void {
    const place = typeof value["contentBlockIndex"] === "number" ? value["contentBlockIndex"] : 0;
    switch (name) {
      case "messageStart":
        this.#sink.begin();
        break;
      case "contentBlockStart": {
        const { toolUse } = recordOf(value["start"]);
        if (isRecord(toolUse)) this.#answer.beginTool(place, toolUse);
        break;
      }
      case "contentBlockDelta":
        this.#answer.add(place, recordOf(value["delta"]));
        break;
      case "contentBlockStop":
        this.#answer.end(place);
        break;
      case "messageStop":
        this.#stop(textOf(value["stopReason"]));
        break;
      case "metadata":
        this.#answer.usage(value["usage"]);
        this.#sink.close();
        break;
      default:
      // Whatever is invented next says nothing we know.
    }
  }

  #stop(reason: string): void {
    if (isMalformed(reason)) {
      this.#sink.error(errorJson("ModelErrorException", ""));
      return;
    }
    this.#answer.finish(reason);
  }
}

/** The media type of Converse's streams. */
export const streamType = "application/vnd.amazon.eventstream";

export const converseDecoder: AnswerDecoder = {
  streamType,
  stream: (context, sink) => new ConverseStream(context, sink),
  whole: decodeWhole,
};
