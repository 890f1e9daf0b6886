/**
 * The events of Anthropic's streams (docs/wire/anthropic-messages.md section 4) → chunks. Unknown events are
 * passed over; only `message_stop` is an end.
 */

import { isShallow } from "../../lib/json/exact-json.ts";
import { isRecord, type JsonRecord, parseJson, recordOf } from "../../lib/record.ts";
import { createEventReader } from "../../lib/sse/event-reader.ts";
import { factsOf } from "../claude/models.ts";
import { ChunkWriter } from "../openai-chat/chunks.ts";
import type { AnswerContext, StreamTranslator } from "../protocol.ts";
import { type AnswerRules, answerRules, ClaudeAnswer } from "./answer.ts";

/** Deeper nested events are none: what is in them could not be written again. */
const depthMax = 256;

/** What `fault` reads as a broken upstream. */
const broken = '{"type":"error","error":{"type":"api_error","message":""}}';

class MessageStream {
  readonly #context: AnswerContext;
  readonly #rules: AnswerRules;
  #writer: ChunkWriter | undefined;
  #answer: ClaudeAnswer | undefined;
  /** Counts are cumulative, and an end may leave out what the start said. */
  #usage: JsonRecord = {};
  /** There is a count that was not passed on yet. */
  #hasNewUsage = false;
  #stop: { readonly reason: string; readonly details: unknown } | undefined;
  #isConcluded = false;
  #isOver = false;

  constructor(context: AnswerContext, facts: typeof factsOf) {
    this.#context = context;
    this.#rules = answerRules(context.request, context.model, facts(context.model));
  }

  take(data: string): void {
    if (this.#isOver) return;
    const event = isShallow(data, depthMax) ? parseJson(data) : undefined;
    if (!isRecord(event)) this.fail(broken);
    else this.#takeEvent(event, data);
  }

  /** Nothing more can be trusted, or comes. */
  fail(json: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#writing(undefined).writer.error(json);
  }

  written(): Buffer {
    return this.#writer?.take() ?? Buffer.alloc(0);
  }

  #takeEvent(event: JsonRecord, data: string): void {
    const place = typeof event["index"] === "number" ? event["index"] : 0;
    switch (event["type"]) {
      case "message_start": {
        const message = recordOf(event["message"]);
        this.#usage = recordOf(message["usage"]);
        this.#writing(message["model"]).writer.begin();
        break;
      }
      case "content_block_start":
        this.#writing(undefined).answer.begin(place, recordOf(event["content_block"]));
        break;
      case "content_block_delta":
        this.#writing(undefined).answer.add(place, recordOf(event["delta"]));
        break;
      case "content_block_stop":
        this.#writing(undefined).answer.end(place);
        break;
      case "message_delta":
        this.#takeDelta(event);
        break;
      case "message_stop":
        this.#end();
        break;
      case "ping":
        this.#writing(undefined).writer.comment();
        break;
      case "error":
        this.fail(data);
        break;
      default:
    }
  }

  #takeDelta({ delta, usage }: JsonRecord): void {
    const { stop_reason: reason, stop_details: details } = recordOf(delta);
    if (typeof reason === "string") this.#stop = { reason, details };
    if (!isRecord(usage)) return;
    const said = Object.entries(usage).filter(([, value]) => value !== null && value !== undefined);
    this.#usage = { ...this.#usage, ...Object.fromEntries(said) };
    this.#hasNewUsage = true;
    this.#conclude();
  }

  /** Says how it ended and what it used, as soon as that is known. */
  #conclude(): void {
    if (this.#stop === undefined) return;
    const { writer, answer } = this.#writing(undefined);
    // What the start says of the output is a beginning, not a count.
    const isCounted = this.#hasNewUsage;
    if (isCounted) answer.usage(this.#usage);
    this.#hasNewUsage = false;
    if (!this.#isConcluded) {
      this.#isConcluded = true;
      answer.finish(this.#stop.reason, this.#stop.details);
      writer.conclude();
    } else if (isCounted) {
      writer.tellUsage();
    }
  }

  #end(): void {
    this.#isOver = true;
    this.#conclude();
    this.#writer?.close();
  }

  #writing(model: unknown): { writer: ChunkWriter; answer: ClaudeAnswer } {
    const { id, createdSeconds, model: called } = this.#context;
    this.#writer ??= new ChunkWriter({
      id,
      createdSeconds,
      model: typeof model === "string" && model !== "" ? model : called,
      isLegacy: this.#rules.isLegacy,
    });
    this.#answer ??= new ClaudeAnswer(this.#writer, this.#rules);
    return { writer: this.#writer, answer: this.#answer };
  }
}

/** Translates one stream. `facts`: what was known of models when the request was written. */
export function translateStream(context: AnswerContext, facts: typeof factsOf = factsOf): StreamTranslator {
  const message = new MessageStream(context, facts);
  const reader = createEventReader((data) => message.take(data));
  return {
    push(chunk) {
      if (!reader.push(chunk)) message.fail(broken);
      return message.written();
    },
    end() {
      reader.end();
      return message.written();
    },
  };
}
