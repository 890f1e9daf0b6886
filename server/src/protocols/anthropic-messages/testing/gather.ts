/**
 * For tests: a strict client of a Messages stream, written from docs/wire/anthropic-messages.md section 4
 * independently of the writer. It assembles the message from deltas only and checks the order of events.
 */
import assert from "node:assert/strict";
import { createEventReader } from "../../../lib/sse/event-reader.ts";

type Fields = Record<string, unknown>;

export interface WireEvent extends Fields {
  readonly type: string;
}

/** The events of a stream. Checks that each is named by its type and that there is nothing else. */
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

const texts: Readonly<Record<string, readonly [block: string, member: string]>> = {
  text_delta: ["text", "text"],
  thinking_delta: ["thinking", "thinking"],
  signature_delta: ["thinking", "signature"],
};

function takeDelta(block: Fields, delta: Fields): void {
  const type = String(delta["type"]);
  const text = texts[type];
  if (text !== undefined) {
    const [kind, member] = text;
    assert.equal(block["type"], kind, `${type} in a ${block["type"]} block`);
    assert.notEqual(delta[member], undefined);
    // Clients keep the last signature, and some concatenate them.
    if (member === "signature") assert.equal(block[member], "", "a second signature");
    block[member] = `${block[member]}${delta[member]}`;
  } else if (type === "input_json_delta") {
    assert.equal(block["type"], "tool_use");
    block["json"] = `${block["json"] ?? ""}${delta["partial_json"]}`;
  } else if (type === "citations_delta") {
    assert.equal(block["type"], "text");
    block["citations"] = [...((block["citations"] as unknown[]) ?? []), delta["citation"]];
  } else assert.fail(`unknown delta ${type}`);
}

/** The message these events contain. `isCut`: it may be incomplete. */
export function gather(events: readonly WireEvent[], isCut = false): Fields {
  let message: Fields | undefined;
  let open: Fields | undefined;
  let isOver = false;
  let hasEnding = false;
  for (const event of events) {
    assert.equal(isOver, false, `${event.type} after message_stop`);
    if (event.type === "ping") continue;
    if (event.type === "message_start") {
      assert.equal(message, undefined, "two message_start");
      message = structuredClone(event["message"]) as Fields;
      assert.deepEqual(message["content"], []);
      continue;
    }
    assert.ok(message !== undefined, `${event.type} before message_start`);
    const content = message["content"] as Fields[];
    switch (event.type) {
      case "content_block_start":
        assert.equal(open, undefined, "two open blocks");
        assert.equal(hasEnding, false, "a block after the message's end");
        assert.equal(event["index"], content.length);
        open = structuredClone(event["content_block"]) as Fields;
        content.push(open);
        break;
      case "content_block_delta":
        assert.ok(open !== undefined, "a delta outside of a block");
        assert.equal(event["index"], content.length - 1);
        takeDelta(open, event["delta"] as Fields);
        break;
      case "content_block_stop":
        assert.ok(open !== undefined);
        assert.equal(event["index"], content.length - 1);
        if (open["type"] === "tool_use") {
          const json = open["json"] as string | undefined;
          if (json !== undefined) open["input"] = JSON.parse(json);
          delete open["json"];
        }
        if (open["type"] === "text") assert.notEqual(open["text"], "");
        open = undefined;
        break;
      case "message_delta":
        assert.equal(open, undefined, "an ending inside of a block");
        hasEnding ||= (event["delta"] as Fields)["stop_reason"] !== null;
        Object.assign(message, event["delta"]);
        message["usage"] = { ...(message["usage"] as Fields), ...(event["usage"] as Fields) };
        break;
      case "message_stop":
        isOver = true;
        break;
      default:
        assert.fail(`unknown event ${event.type}`);
    }
  }
  assert.ok(message !== undefined && (isCut || (isOver && hasEnding)));
  return message;
}
