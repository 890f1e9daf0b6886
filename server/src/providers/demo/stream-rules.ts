/**
 * For tests: reads a script as a strict client would and checks the order and invariants of
 * docs/wire/openai-chat.md section 5. Throws at the first violation.
 */
import assert from "node:assert/strict";
import { isRecord, type JsonRecord, recordOf } from "../../lib/record.ts";
import type { ProviderRequest } from "../../protocols/protocol.ts";
import type { Script } from "../provider.ts";

/** A request as the gateway passes it on. The demo needs no spans. */
export function requestOf(body: object): ProviderRequest {
  const bytes = Buffer.from(JSON.stringify(body));
  return { body: bytes, isStream: recordOf(body)["stream"] === true, spans: { model: { start: 0, end: 0 } } };
}

/** The data of every event of a stream. */
export function eventsOf(script: Script): string[] {
  const text = Buffer.concat(script.steps.map(({ bytes }) => bytes)).toString("utf8");
  const events = text.split("\n\n");
  assert.equal(events.pop(), "", "the stream ends with an empty line");
  return events.map((event) => {
    assert(event.startsWith("data: ") && !event.includes("\n"), `one data line: ${event}`);
    return event.slice("data: ".length);
  });
}

/** One choice assembled from its deltas, as SDKs do. */
export interface Assembled {
  readonly message: Record<string, unknown>;
  finish: string | null;
  logprobs: number;
  chunks: number;
}

const record = (value: unknown): JsonRecord => {
  assert(isRecord(value), `an object: ${JSON.stringify(value)}`);
  return value;
};

const list = (value: unknown): readonly unknown[] => {
  assert(Array.isArray(value), `an array: ${JSON.stringify(value)}`);
  return value;
};

function addText(message: Record<string, unknown>, key: string, text: unknown): void {
  assert.equal(typeof text, "string");
  message[key] = `${message[key] ?? ""}${text as string}`;
}

/** Rule 3: every fragment has an index, counted from 0; only the first has id, type and name. */
function addCall(message: Record<string, unknown>, fragment: JsonRecord): void {
  message["tool_calls"] ??= [];
  const calls = message["tool_calls"] as Record<string, unknown>[];
  const index = fragment["index"] as number;
  const isNew = index === calls.length;
  assert(isNew || index === calls.length - 1, "calls are counted from 0 and finished one by one");
  const type = isNew ? (fragment["type"] as string) : (calls[index]?.["type"] as string);
  assert(type === "function" || type === "custom");
  const inner = record(fragment[type]);
  const key = type === "custom" ? "input" : "arguments";
  if (isNew) {
    assert.match(String(fragment["id"]), /^call_\w+$/);
    assert.equal(typeof inner["name"], "string");
    calls.push({ id: fragment["id"], type, [type]: { name: inner["name"], [key]: inner[key] ?? "" } });
  } else {
    assert.deepEqual([fragment["id"], fragment["type"], inner["name"]], [undefined, undefined, undefined]);
    addText(calls[index]?.[type] as Record<string, unknown>, key, inner[key]);
  }
}

function addDelta(choice: Assembled, delta: JsonRecord): void {
  const { message } = choice;
  if (choice.chunks === 0) assert.equal(delta["role"], "assistant", "the first delta carries the role");
  else assert.equal(delta["role"], undefined, "only the first delta carries the role");
  for (const [key, value] of Object.entries(delta)) {
    if (value === null || key === "role") message[key] ??= value;
    else if (key === "tool_calls") for (const call of list(value)) addCall(message, record(call));
    else if (key === "function_call" || key === "audio") {
      message[key] ??= {};
      const whole = message[key] as Record<string, unknown>;
      for (const [name, part] of Object.entries(record(value))) {
        if (typeof part === "string" && name in whole) addText(whole, name, part);
        else whole[name] = part;
      }
    } else addText(message, key, value);
  }
}

export interface CheckedStream {
  readonly choices: readonly Assembled[];
  readonly usage: JsonRecord | undefined;
  readonly id: string;
}

/** Checks a complete stream and assembles its choices. */
export function checkStream(script: Script, choices: number): CheckedStream {
  assert.equal(script.status, 200);
  assert.match(script.headers["content-type"] ?? "", /^text\/event-stream/);
  assert.equal(script.ending, "end");
  const events = eventsOf(script);
  assert.equal(events.pop(), "[DONE]", "the terminal marker comes last");
  const chunks = events.map((event) => record(JSON.parse(event)));
  const same = ({ id, created, model, object }: JsonRecord) => [id, created, model, object];
  const found: Assembled[] = [];
  let usage: JsonRecord | undefined;
  for (const chunk of chunks) {
    assert.equal(usage, undefined, "nothing comes after the usage chunk but the marker");
    assert.deepEqual(same(chunk), same(chunks[0] ?? {}), "one id, created and model");
    assert.equal(chunk["object"], "chat.completion.chunk");
    const entries = list(chunk["choices"]);
    if (entries.length === 0) usage = record(chunk["usage"]);
    else assert.equal(chunk["usage"] ?? null, null);
    for (const entry of entries.map(record)) {
      const index = entry["index"] as number;
      found[index] ??= { message: {}, finish: null, logprobs: 0, chunks: 0 };
      const choice = found[index];
      assert.equal(choice.finish, null, "nothing comes after a choice's finish");
      addDelta(choice, record(entry["delta"]));
      choice.chunks += 1;
      choice.logprobs += list(recordOf(entry["logprobs"])["content"] ?? []).length;
      choice.finish = (entry["finish_reason"] ?? null) as string | null;
      if (choice.finish !== null) assert.deepEqual(entry["delta"], {}, "the finish has an empty delta");
    }
  }
  assert.equal(found.length, choices);
  const reasons = ["stop", "length", "tool_calls", "content_filter", "function_call"];
  for (const { finish } of found) assert(reasons.includes(String(finish)), `finish ${finish}`);
  return { choices: found, usage, id: String(chunks[0]?.["id"]) };
}
