/**
 * Decodes Anthropic's answers, a stream's events (docs/wire/anthropic-messages.md section 4) or a whole
 * message (section 3), and reports them to a sink. Unknown events are ignored; only `message_stop` is an end.
 */
import type { AnswerSink, StreamSink } from "../../conversation/answer.ts";
import { isShallow, parseExact } from "../../lib/json/exact-json.ts";
import { isRecord, type JsonRecord, parseJson, recordOf } from "../../lib/record.ts";
import { createEventReader } from "../../lib/sse/event-reader.ts";
import { type AnswerRules, ClaudeAnswer, customToolsOf } from "../claude/answer.ts";
import { factsOf } from "../claude/models.ts";
import type { AnswerDecoder, DecodeContext, EarlyUsage, StreamDecoder } from "../protocol.ts";
import { planFormat } from "./format.ts";
import { isReport, promptOf, readUsage } from "./usage.ts";

/** Events and bodies nested deeper are rejected, because they cannot be serialized again. */
const depthMax = 256;

/** An error that `fault` reads as an upstream failure. */
const broken = '{"type":"error","error":{"type":"api_error","message":""}}';

/**
 * The rules for reading an answer. They follow from the request and the facts its encoder used for this
 * model.
 */
function answerRules(
  { conversation, model, memory, answerId }: DecodeContext,
  facts: typeof factsOf,
): AnswerRules {
  const plan = planFormat(conversation, facts(model));
  return {
    model,
    customTools: customToolsOf(conversation),
    answerTool: plan.kind === "tool" ? plan.name : undefined,
    isUnfenced: plan.kind === "words",
    memory,
    answerId,
  };
}

/** Reports the usage of a whole message. Implausible usage is not reported. */
function emitUsage(sink: AnswerSink, report: JsonRecord): void {
  const usage = readUsage(report);
  if (usage !== undefined) sink.usage(usage);
}

const isName = (model: unknown): model is string => typeof model === "string" && model !== "";

class MessageStream {
  readonly #sink: StreamSink;
  readonly #answer: ClaudeAnswer;
  /** Counts are cumulative, and the last report may leave out counts of the first. */
  #usage: JsonRecord = {};
  /** True when there is a count that was not reported yet. */
  #hasNewUsage = false;
  #stop: { readonly reason: string; readonly details: unknown; readonly sequence: unknown } | undefined;
  #isConcluded = false;
  #isOver = false;

  constructor(sink: StreamSink, rules: AnswerRules) {
    this.#sink = sink;
    this.#answer = new ClaudeAnswer(sink, rules);
  }

  take(data: string): void {
    if (this.#isOver) return;
    const event = isShallow(data, depthMax) ? parseJson(data) : undefined;
    if (!isRecord(event)) this.fail(broken);
    else this.#takeEvent(event, data);
  }

  /** What is known of the prompt; the output comes with the end. */
  get earlyUsage(): EarlyUsage | undefined {
    const usage = isReport(this.#usage) ? readUsage(promptOf(this.#usage)) : undefined;
    return usage && { usage, isPromptAlone: true };
  }

  /** Reports an error and ignores everything after it. */
  fail(json: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sink.error(json);
  }

  #takeEvent(event: JsonRecord, data: string): void {
    const place = typeof event["index"] === "number" ? event["index"] : 0;
    switch (event["type"]) {
      case "message_start": {
        const message = recordOf(event["message"]);
        this.#usage = recordOf(message["usage"]);
        if (isName(message["model"])) this.#sink.model(message["model"]);
        // Reports the prompt's usage now, because callers of Messages get it at the start; the end may
        // correct it.
        this.#sink.begin(0, readUsage(this.#usage));
        break;
      }
      case "content_block_start":
        this.#answer.begin(place, recordOf(event["content_block"]));
        break;
      case "content_block_delta":
        this.#answer.add(place, recordOf(event["delta"]));
        break;
      case "content_block_stop":
        this.#answer.end(place);
        break;
      case "message_delta":
        this.#takeDelta(event);
        break;
      case "message_stop":
        this.#end();
        break;
      case "ping":
        this.#sink.idle();
        break;
      case "error":
        this.fail(data);
        break;
      default:
    }
  }

  #takeDelta({ delta, usage }: JsonRecord): void {
    const { stop_reason: reason, stop_details: details, stop_sequence: sequence } = recordOf(delta);
    if (typeof reason === "string") this.#stop = { reason, details, sequence };
    if (!isRecord(usage)) return;
    const reported = Object.entries(usage).filter(([, value]) => value !== null && value !== undefined);
    this.#usage = { ...this.#usage, ...Object.fromEntries(reported) };
    this.#hasNewUsage = true;
    this.#conclude();
  }

  /** Reports the finish reason and the usage as soon as they are known. */
  #conclude(): void {
    if (this.#stop === undefined) return;
    // The output count of `message_start` is only an initial value.
    const isCounted = this.#hasNewUsage;
    if (isCounted) emitUsage(this.#sink, this.#usage);
    this.#hasNewUsage = false;
    if (!this.#isConcluded) {
      this.#isConcluded = true;
      this.#answer.finish(this.#stop.reason, this.#stop.details, this.#stop.sequence);
      this.#sink.conclude();
    } else if (isCounted) {
      this.#sink.reportUsage();
    }
  }

  #end(): void {
    this.#isOver = true;
    this.#conclude();
    this.#sink.close();
  }
}

function decodeStream(sink: StreamSink, rules: AnswerRules): StreamDecoder {
  const message = new MessageStream(sink, rules);
  const reader = createEventReader((data) => message.take(data));
  return {
    push(chunk) {
      if (!reader.push(chunk)) message.fail(broken);
    },
    end() {
      reader.end();
    },
    get earlyUsage() {
      return message.earlyUsage;
    },
  };
}

function decodeWhole(body: Buffer, sink: AnswerSink, rules: AnswerRules): boolean {
  const text = body.toString("utf8");
  const message = isShallow(text, depthMax) ? recordOf(parseExact(text)) : {};
  const {
    content,
    model,
    stop_reason: reason,
    stop_details: details,
    stop_sequence: sequence,
    usage,
  } = message;
  if (!Array.isArray(content) || typeof reason !== "string" || message["type"] === "error") return false;
  if (isName(model)) sink.model(model);
  const answer = new ClaudeAnswer(sink, rules);
  content.forEach((block: unknown, place) => {
    answer.begin(place, recordOf(block));
    answer.end(place);
  });
  answer.finish(reason, details, sequence);
  if (isRecord(usage)) emitUsage(sink, usage);
  return true;
}

/** Decodes answers. `facts`: the model facts used when the request was encoded. */
export const messagesDecoder = (facts: typeof factsOf = factsOf): AnswerDecoder => ({
  streamType: "text/event-stream",
  stream: (context, sink) => decodeStream(sink, answerRules(context, facts)),
  whole: (body, context, sink) => decodeWhole(body, sink, answerRules(context, facts)),
});
