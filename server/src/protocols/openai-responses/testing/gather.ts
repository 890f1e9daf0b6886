/**
 * For tests: a strict client of a Responses stream, written from docs/wire/openai-responses.md section 3
 * independently of the writer. It assembles the answer from deltas only and checks the order of events.
 */
import assert from "node:assert/strict";
import { createEventReader } from "../../../lib/sse/event-reader.ts";

type Fields = Record<string, unknown>;

export interface WireEvent extends Fields {
  readonly type: string;
}

/** The events of a stream. Checks that each is named by its type; comments are ignored. */
export function eventsOf(bytes: Buffer): WireEvent[] {
  const events: WireEvent[] = [];
  const reader = createEventReader((data, name) => {
    const event = JSON.parse(data) as WireEvent;
    if (name !== "error") assert.equal(event.type, name);
    events.push(event);
  });
  assert.ok(reader.push(bytes));
  reader.end();
  return events;
}

/** The events that callers get, without those for the gateway. */
export const shown = (events: readonly WireEvent[]): WireEvent[] =>
  events.filter(({ type }) => type !== "plaza.usage");

const terminal = new Set(["response.completed", "response.incomplete", "response.failed"]);

interface Gathered {
  readonly item: Fields;
  isDone: boolean;
  /** The open part of content or of a summary. */
  open: Fields | undefined;
}

const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? (value as Fields[]) : []);

/** Applies one event to an added item. */
function takeOfItem(gathered: Gathered, event: WireEvent): void {
  const { item } = gathered;
  assert.equal(gathered.isDone, false, `${event.type} after the item was done`);
  assert.equal(event["item_id"] ?? (event["item"] as Fields)["id"], item["id"]);
  const open = gathered.open;
  switch (event.type) {
    case "response.content_part.added":
    case "response.reasoning_summary_part.added": {
      assert.equal(open, undefined, "two open parts");
      const list = event.type.includes("summary") ? "summary" : "content";
      assert.equal(event["content_index"] ?? event["summary_index"], listOf(item[list]).length);
      gathered.open = structuredClone(event["part"]) as Fields;
      listOf(item[list]).push(gathered.open);
      break;
    }
    case "response.output_text.delta":
      assert.ok(open?.["type"] === "output_text");
      open["text"] = `${open["text"]}${event["delta"]}`;
      open["logprobs"] = [...listOf(open["logprobs"]), ...listOf(event["logprobs"])];
      break;
    case "response.refusal.delta":
      assert.ok(open?.["type"] === "refusal");
      open["refusal"] = `${open["refusal"]}${event["delta"]}`;
      break;
    case "response.reasoning_summary_text.delta":
      assert.ok(open?.["type"] === "summary_text");
      open["text"] = `${open["text"]}${event["delta"]}`;
      break;
    case "response.output_text.annotation.added":
      assert.equal(event["annotation_index"], listOf(open?.["annotations"]).length);
      listOf(open?.["annotations"]).push(event["annotation"] as Fields);
      break;
    case "response.output_text.done":
    case "response.reasoning_summary_text.done":
      assert.equal(event["text"], open?.["text"]);
      // Token probabilities may arrive only at the part's end.
      if (open !== undefined && "logprobs" in event) open["logprobs"] = event["logprobs"];
      break;
    case "response.refusal.done":
      assert.equal(event["refusal"], open?.["refusal"]);
      break;
    case "response.content_part.done":
    case "response.reasoning_summary_part.done":
      assert.deepEqual(event["part"], open);
      gathered.open = undefined;
      break;
    case "response.function_call_arguments.delta":
      item["arguments"] = `${item["arguments"]}${event["delta"]}`;
      break;
    case "response.function_call_arguments.done":
      assert.equal(event["arguments"], item["arguments"]);
      break;
    case "response.custom_tool_call_input.delta":
      item["input"] = `${item["input"]}${event["delta"]}`;
      break;
    case "response.custom_tool_call_input.done":
      assert.equal(event["input"], item["input"]);
      break;
    case "response.image_generation_call.in_progress":
    case "response.image_generation_call.completed":
      break;
    case "response.output_item.done": {
      assert.equal(open, undefined, "an item done with an open part");
      const { encrypted_content, result, status, ...said } = event["item"] as Fields;
      const { status: _, result: __, ...known } = item;
      assert.deepEqual(said, known, "the whole item is what its deltas said");
      if (encrypted_content !== undefined) item["encrypted_content"] = encrypted_content;
      if (result !== undefined) item["result"] = result;
      if (status !== undefined) item["status"] = status;
      gathered.isDone = true;
      break;
    }
    default:
      assert.fail(`unknown event ${event.type}`);
  }
}

/** The response in the last event, checked against the events before it. */
export function gather(events: readonly WireEvent[]): Fields {
  const items: Gathered[] = [];
  let id: unknown;
  let last: Fields | undefined;
  for (const [index, event] of events.entries()) {
    assert.equal(last, undefined, "an event after the terminal one");
    assert.equal(event["sequence_number"], index);
    if (index < 2) {
      assert.equal(event.type, index === 0 ? "response.created" : "response.in_progress");
      const response = event["response"] as Fields;
      id ??= response["id"];
      assert.deepEqual(
        [response["status"], response["output"], response["usage"]],
        ["in_progress", [], null],
      );
    } else if (event.type === "response.output_item.added") {
      assert.equal(event["output_index"], items.length);
      // Arguments of parallel calls may be interleaved; nothing else may.
      assert.ok(items.every((one) => one.isDone || one.item["type"] === "function_call"));
      items.push({ item: structuredClone(event["item"]) as Fields, isDone: false, open: undefined });
    } else if (terminal.has(event.type)) {
      last = event["response"] as Fields;
      assert.equal(last["id"], id);
      assert.equal(`response.${last["status"]}`, event.type);
    } else {
      const gathered = items[event["output_index"] as number];
      assert.ok(gathered !== undefined, `${event.type} before its item was added`);
      takeOfItem(gathered, event);
    }
  }
  assert.ok(last !== undefined, "no terminal event");
  assert.ok(items.every(({ isDone }) => isDone));
  assert.deepEqual(
    last["output"],
    items.map(({ item }) => item),
  );
  return last;
}
