/**
 * Decodes answers of Responses upstreams (docs/wire/openai-responses.md sections 2 and 3), streamed and
 * whole, and reports them to a sink. Unknown events are ignored; only the first terminal event is an end.
 */
import type { AnswerSink, EndReason, StreamSink } from "../../conversation/answer.ts";
import { isShallow } from "../../lib/json/exact-json.ts";
import { isRecord, type JsonRecord, parseJson, recordOf, textIn } from "../../lib/record.ts";
import { createEventReader } from "../../lib/sse/event-reader.ts";
import type { AnswerDecoder, DecodeContext, StreamDecoder } from "../protocol.ts";
import { AnswerItems } from "./answer-items.ts";
import { factsOf } from "./models.ts";
import { readUsage } from "./usage.ts";

/** Events and bodies nested deeper are rejected. */
const depthMax = 256;

/** An error that `fault` reads as an upstream failure. */
const broken = '{"type":"error","error":{"type":"server_error","code":"server_error","message":""}}';

const sayModel = (sink: AnswerSink, { model }: JsonRecord): void => {
  const name = textIn(model);
  if (name !== undefined) sink.model(name);
};

function sayUsage(sink: AnswerSink, { usage }: JsonRecord): void {
  const read = readUsage(usage);
  if (read !== undefined) sink.usage(read);
}

/** The reason why a response ended. */
function endOf(response: JsonRecord, isIncomplete: boolean, calls: number): EndReason {
  const { reason } = recordOf(response["incomplete_details"]);
  if (reason === "content_filter") return "content_filter";
  if (reason === "max_output_tokens" || (isIncomplete && reason === undefined)) return "length";
  return calls > 0 ? "tool_calls" : "stop";
}

const isFailed = ({ status, error }: JsonRecord): boolean =>
  status === "failed" || status === "cancelled" || isRecord(error);

class ResponseStream {
  readonly #sink: StreamSink;
  readonly #items: AnswerItems;
  #hasBegun = false;
  #isOver = false;

  constructor(sink: StreamSink, items: AnswerItems) {
    this.#sink = sink;
    this.#items = items;
  }

  take(data: string, name: string | undefined): void {
    if (this.#isOver || data === "[DONE]") return;
    const event = isShallow(data, depthMax) ? parseJson(data) : undefined;
    if (!isRecord(event)) this.fail(broken);
    // An error without a type, as in the chat format.
    else if (event["type"] === undefined && isRecord(event["error"])) this.fail(data);
    else this.#takeEvent(event, textIn(event["type"]) ?? name ?? "", data);
  }

  /** Reports an error and ignores everything after it. */
  fail(json: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sink.error(json);
  }

  #takeEvent(event: JsonRecord, type: string, data: string): void {
    switch (type) {
      case "response.created":
      case "response.in_progress":
      case "response.queued":
        this.#begin(recordOf(event["response"]));
        break;
      case "response.completed":
      case "response.incomplete":
        this.#end(recordOf(event["response"]), type === "response.incomplete", data);
        break;
      case "response.failed":
      case "response.cancelled":
        sayUsage(this.#sink, recordOf(event["response"]));
        this.#sink.reportUsage();
        this.fail(data);
        break;
      case "error":
        this.fail(data);
        break;
      default:
        this.#takeOfItem(event, type);
    }
  }

  #takeOfItem(event: JsonRecord, type: string): void {
    const items = this.#items;
    switch (type) {
      case "response.output_item.added":
        items.begin(event);
        break;
      case "response.output_item.done":
        items.end(event);
        break;
      case "response.output_text.delta":
        items.text(event, "text");
        break;
      case "response.output_text.done":
        items.rest(event, "message", event["text"]);
        break;
      case "response.refusal.delta":
        items.text(event, "refusal");
        break;
      case "response.reasoning_summary_text.delta":
        items.think(event, "summary");
        break;
      case "response.reasoning_text.delta":
        items.think(event, "content");
        break;
      case "response.function_call_arguments.delta":
        items.fragment(event, "call");
        break;
      case "response.function_call_arguments.done":
        items.rest(event, "call", event["arguments"]);
        break;
      case "response.custom_tool_call_input.delta":
        items.fragment(event, "custom");
        break;
      case "response.output_text.annotation.added":
        items.citation(event);
        break;
      default:
    }
  }

  #begin(response: JsonRecord): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    sayModel(this.#sink, response);
    this.#sink.begin();
  }

  #end(response: JsonRecord, isIncomplete: boolean, data: string): void {
    if (isFailed(response)) {
      sayUsage(this.#sink, response);
      this.#sink.reportUsage();
      this.fail(data);
      return;
    }
    this.#begin(response);
    this.#items.completeAll(Array.isArray(response["output"]) ? response["output"] : []);
    this.#isOver = true;
    this.#sink.finish(
      endOf(response, isIncomplete || response["status"] === "incomplete", this.#items.calls),
    );
    sayUsage(this.#sink, response);
    this.#sink.conclude();
    this.#sink.close();
  }
}

const itemsOf = (sink: AnswerSink, context: DecodeContext, facts: typeof factsOf): AnswerItems =>
  new AnswerItems(sink, context, { model: context.model, facts: facts(context.model) });

function decodeStream(context: DecodeContext, sink: StreamSink, facts: typeof factsOf): StreamDecoder {
  const response = new ResponseStream(sink, itemsOf(sink, context, facts));
  const reader = createEventReader((data, name) => response.take(data, name));
  return {
    push(chunk) {
      if (!reader.push(chunk)) response.fail(broken);
    },
    end() {
      reader.end();
    },
  };
}

function decodeWhole(body: Buffer, context: DecodeContext, sink: AnswerSink, facts: typeof factsOf): boolean {
  const text = body.toString("utf8");
  const response = isShallow(text, depthMax) ? recordOf(parseJson(text)) : {};
  const { output, status } = response;
  const isOver = status === "completed" || status === "incomplete" || status === undefined;
  if (!Array.isArray(output) || isFailed(response) || !isOver) return false;
  sayModel(sink, response);
  const items = itemsOf(sink, context, facts);
  items.completeAll(output);
  sink.finish(endOf(response, status === "incomplete", items.calls));
  sayUsage(sink, response);
  return true;
}

/** Decodes answers. `facts`: the model facts used when the request was encoded. */
export const responsesDecoder = (facts: typeof factsOf = factsOf): AnswerDecoder => ({
  streamType: "text/event-stream",
  stream: (context, sink) => decodeStream(context, sink, facts),
  whole: (body, context, sink) => decodeWhole(body, context, sink, facts),
});
