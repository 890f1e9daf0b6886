/** For tests: what clients of the four formats make of what they get (docs/wire/). */
import assert from "node:assert/strict";
import { gather as gatherMessage } from "../../../../protocols/anthropic-messages/testing/gather.ts";
import { countOf, eventsIn, type Fields, fieldsOf, type Got, listOf, type ToolCall, textOf } from "./talk.ts";

const nothing: Got = {
  text: "",
  thoughts: "",
  refusal: "",
  calls: [],
  finish: "",
  input: undefined,
  output: undefined,
  error: undefined,
  replay: undefined,
};

const argsOf = (value: unknown): ToolCall["args"] => fieldsOf(JSON.parse(textOf(value) || "{}"));
const joined = (list: readonly Fields[], member: string): string =>
  list.map((one) => textOf(one[member])).join("");

/** The code of an error object, whole or an event. */
const errorIn = (value: Fields): string | undefined => {
  const error = fieldsOf(value["error"]);
  return Object.keys(error).length === 0 ? undefined : String(error["code"] ?? error["type"]);
};

/* Chat completions. */

/** Pieces of one call or detail have its index; their texts are joined. */
function mergeByIndex(into: Fields[], pieces: readonly Fields[]): void {
  for (const piece of pieces) {
    const known = into.find(({ index }) => index === piece["index"]);
    if (known === undefined) into.push(structuredClone(piece));
    else mergeTexts(known, piece);
  }
}

function mergeTexts(known: Fields, piece: Fields): void {
  for (const [name, value] of Object.entries(piece)) {
    if (name === "function") mergeTexts(fieldsOf(known[name]), fieldsOf(value));
    else if (["arguments", "text", "signature", "data", "summary"].includes(name))
      known[name] = `${textOf(known[name])}${textOf(value)}`;
    else known[name] ??= value;
  }
}

function chatMessage(chunks: readonly Fields[]): { message: Fields; finish: unknown; usage: Fields } {
  const message: Fields = { role: "assistant", content: "" };
  const calls: Fields[] = [];
  const details: Fields[] = [];
  let finish: unknown;
  let usage: Fields = {};
  for (const chunk of chunks) {
    if (chunk["usage"]) usage = fieldsOf(chunk["usage"]);
    const [choice] = listOf(chunk["choices"]);
    if (choice === undefined) continue;
    finish = choice["finish_reason"] ?? finish;
    const delta = fieldsOf(choice["delta"]);
    for (const name of ["content", "reasoning_content", "refusal"])
      if (typeof delta[name] === "string") message[name] = `${textOf(message[name])}${delta[name]}`;
    mergeByIndex(calls, listOf(delta["tool_calls"]));
    mergeByIndex(details, listOf(delta["reasoning_details"]));
  }
  if (calls.length > 0) message["tool_calls"] = calls.map(({ index: _, ...call }) => call);
  if (details.length > 0) message["reasoning_details"] = details;
  return { message, finish, usage };
}

export function gatherChat(text: string, isStream: boolean): Got {
  const events = isStream && !text.startsWith("{") ? eventsIn(text) : [fieldsOf(JSON.parse(text))];
  const error = events.map(errorIn).find(Boolean);
  const [whole = {}] = events;
  const [choice = {}] = listOf(whole["choices"]);
  const { message, finish, usage } = isStream
    ? chatMessage(events)
    : {
        message: fieldsOf(choice["message"]),
        finish: choice["finish_reason"],
        usage: fieldsOf(whole["usage"]),
      };
  const isWhole = !isStream || /^data: \[DONE\]$/m.test(text);
  return {
    text: textOf(message["content"]),
    thoughts: textOf(message["reasoning_content"]),
    refusal: textOf(message["refusal"]),
    calls: listOf(message["tool_calls"]).map((call) => {
      const { name, arguments: args } = fieldsOf(call["function"]);
      return { id: textOf(call["id"]), name: textOf(name), args: argsOf(isWhole ? args : "") };
    }),
    finish: isWhole && finish !== undefined ? `finish_reason: ${finish}` : "",
    input: countOf(usage["prompt_tokens"]),
    output: countOf(usage["completion_tokens"]),
    error,
    replay: message,
  };
}

/* Responses. */

export function gatherResponses(text: string, isStream: boolean): Got {
  const events = isStream && !text.startsWith("{") ? eventsIn(text) : [];
  const whole = events.length > 0 ? fieldsOf(events.at(-1)?.["response"]) : fieldsOf(JSON.parse(text));
  const failed = events.find(({ type }) => type === "error");
  const error = failed === undefined ? errorIn(whole) : String(failed["code"] ?? errorIn(failed));
  const isEnded =
    error === undefined && (whole["status"] === "completed" || whole["status"] === "incomplete");
  // Where it failed, what was shown before: a client has put it on the screen.
  const deltas = (kind: string): string =>
    joined(
      events.filter(({ type }) => type === `response.${kind}.delta`),
      "delta",
    );
  const output = listOf(whole["output"]);
  const content = output.flatMap((item) => (item["type"] === "message" ? listOf(item["content"]) : []));
  const ofType = (list: readonly Fields[], type: string): Fields[] =>
    list.filter((one) => one["type"] === type);
  const { reason } = fieldsOf(whole["incomplete_details"]);
  if (isEnded && isStream) {
    assert.equal(deltas("output_text"), joined(ofType(content, "output_text"), "text"));
    assert.equal(deltas("refusal"), joined(ofType(content, "refusal"), "refusal"));
  }
  const usage = fieldsOf(whole["usage"]);
  return {
    text: isStream ? deltas("output_text") : joined(ofType(content, "output_text"), "text"),
    thoughts: joined(
      ofType(output, "reasoning").flatMap((item) => listOf(item["summary"])),
      "text",
    ),
    refusal: joined(ofType(content, "refusal"), "refusal"),
    calls: ofType(output, "function_call").map((call) => ({
      id: textOf(call["call_id"]),
      name: textOf(call["name"]),
      args: argsOf(isEnded ? call["arguments"] : ""),
    })),
    finish: isEnded ? `status: ${whole["status"]}${reason === undefined ? "" : ` (${reason})`}` : "",
    input: countOf(usage["input_tokens"]),
    output: countOf(usage["output_tokens"]),
    error,
    replay: output,
  };
}

/* Messages. */

export function gatherMessages(text: string, isStream: boolean): Got {
  const events = isStream && !text.startsWith("{") ? eventsIn(text) : [];
  const whole = events.length > 0 ? undefined : fieldsOf(JSON.parse(text));
  const error = [...events, ...(whole === undefined ? [] : [whole])]
    .filter(({ type }) => type === "error")
    .map(errorIn)
    .find(Boolean);
  const said = events.filter(({ type }) => type !== "error") as (Fields & { type: string })[];
  const isCut = !said.some(({ type }) => type === "message_stop");
  const hasBegun = said.some(({ type }) => type === "message_start");
  const message = whole ?? (hasBegun ? gatherMessage(said, isCut) : {});
  const content = listOf(message["content"]);
  const usage = fieldsOf(message["usage"]);
  const isEnded = error === undefined && (whole !== undefined || !isCut);
  const stopReason = message["stop_reason"];
  return {
    ...nothing,
    text: joined(content, "text"),
    thoughts: joined(content, "thinking"),
    calls: content
      .filter(({ type }) => type === "tool_use")
      .map(({ id, name, input }) => ({ id: textOf(id), name: textOf(name), args: fieldsOf(input) })),
    refusal: textOf(fieldsOf(message["stop_details"])["explanation"]),
    finish: isEnded && typeof stopReason === "string" ? `stop_reason: ${stopReason}` : "",
    input: isEnded ? countOf(usage["input_tokens"]) : undefined,
    output: isEnded ? countOf(usage["output_tokens"]) : undefined,
    error,
    replay: content,
  };
}

/* Gemini. */

export function gatherGemini(text: string, isStream: boolean): Got {
  const objects = isStream && !text.startsWith("{") ? eventsIn(text) : [fieldsOf(JSON.parse(text))];
  const error = objects.map((one) => fieldsOf(one["error"])).find((one) => Object.keys(one).length > 0);
  const parts: Fields[] = [];
  let finish = "";
  let usage: Fields = {};
  for (const object of objects) {
    const [candidate = {}] = listOf(object["candidates"]);
    parts.push(...listOf(fieldsOf(candidate["content"])["parts"]));
    const blocked = fieldsOf(object["promptFeedback"])["blockReason"];
    if (candidate["finishReason"] !== undefined) finish = `finishReason: ${candidate["finishReason"]}`;
    if (blocked !== undefined) finish = `blockReason: ${blocked}`;
    if (object["usageMetadata"] !== undefined) usage = fieldsOf(object["usageMetadata"]);
  }
  const info = listOf(error?.["details"]).find((one) => textOf(one["@type"]).endsWith("ErrorInfo"));
  const thoughts = countOf(usage["thoughtsTokenCount"]) ?? 0;
  const candidates = countOf(usage["candidatesTokenCount"]);
  return {
    ...nothing,
    text: joined(
      parts.filter(({ thought }) => thought !== true),
      "text",
    ),
    thoughts: joined(
      parts.filter(({ thought }) => thought === true),
      "text",
    ),
    calls: parts
      .map(({ functionCall }) => fieldsOf(functionCall))
      .filter(({ name }) => name !== undefined)
      .map(({ id, name, args }) => ({ id: textOf(id), name: textOf(name), args: fieldsOf(args) })),
    finish: error === undefined ? finish : "",
    input: countOf(usage["promptTokenCount"]),
    output: candidates === undefined ? undefined : candidates + thoughts,
    error: error === undefined ? undefined : textOf(info?.["reason"] ?? error["status"]),
    replay: parts,
  };
}
