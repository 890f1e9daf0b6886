/**
 * Decodes Converse's answers, whole or streamed (docs/wire/bedrock-converse.md sections 2 and 3). For every
 * model, its blocks correspond to those of Anthropic's Messages and are reported through the same code.
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

/** Stop reasons with another name in Anthropic's table; the others are the same. */
const stopReasons: Readonly<Record<string, string>> = {
  guardrail_intervened: "refusal",
  content_filtered: "refusal",
};

/** True when the model wrote output Bedrock could not parse: the model failed and there is no answer. */
export const isMalformed = (reason: unknown): boolean =>
  reason === "malformed_model_output" || reason === "malformed_tool_use";

function readingRules({ conversation, model, memory, answerId }: DecodeContext): AnswerRules {
  return {
    model,
    customTools: customToolsOf(conversation),
    answerTool: jsonToolOf(conversation, rulesOf(model)),
    isUnfenced: conversation.format.kind === "json_object",
    memory,
    answerId,
  };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/**
 * Reports the model's name if the sink needs it. Converse returns none, so it is the name that was called; of
 * an ARN only the last part, because the rest contains the operator's account.
 */
function emitModel(sink: AnswerSink, model: string): void {
  if (model.startsWith("arn:")) sink.model(model.slice(model.lastIndexOf("/") + 1));
}

/** Reports Converse's pieces as Anthropic's. */
class ConverseAnswer {
  readonly #answer: ClaudeAnswer;
  readonly #sink: AnswerSink;
  /** Blocks that have begun, by index. Text and thinking have no start event. */
  readonly #begun = new Map<number, string>();

  constructor(sink: AnswerSink, rules: AnswerRules) {
    this.#sink = sink;
    this.#answer = new ClaudeAnswer(sink, rules);
  }

  beginTool(place: number, { toolUseId, name, type }: JsonRecord, input: unknown = {}): void {
    // Tools that Bedrock runs itself are not the caller's.
    const isOwn = type === "server_tool_use";
    this.#begin(place, { type: isOwn ? "server_tool_use" : "tool_use", id: toolUseId, name, input });
  }

  /** Adds a piece of a block; unknown kinds are ignored. */
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

/** Reports one block of a whole message. Kinds that a chat answer cannot hold are ignored. */
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

/** Bodies nested deeper are not answers: they could not be serialized again. */
const depthMax = 256;

/** Reports a whole answer. Returns false when the body is not one. */
function decodeWhole(body: Buffer, context: DecodeContext, sink: AnswerSink): boolean {
  const text = body.toString("utf8");
  // Keeps the spelling of numbers in call arguments.
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

/** An error in the shape of Bedrock's JSON errors, for `fault` to read. */
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
    // Usage comes after the message's end; an answer without usage is complete. Without that end, `close`
    // writes no end.
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
      // Unknown events are ignored.
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
