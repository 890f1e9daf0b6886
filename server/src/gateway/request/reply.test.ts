/** What a reply writes, in which order and how often, and which watchers are called. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { anthropicMessages } from "../../protocols/anthropic-messages/answers/answers.ts";
import { gemini } from "../../protocols/gemini/answers/answers.ts";
import { JsonArrayStream } from "../../protocols/gemini/answers/json-array.ts";
import { openaiChat } from "../../protocols/openai-chat/answers/answers.ts";
import { openaiResponses } from "../../protocols/openai-responses/answers/answers.ts";
import type { WireProtocol } from "../../protocols/wire-protocol.ts";
import { answerType, type CallerWatcher, Reply, streamHeaders } from "./reply.ts";
import { FakeExchange } from "./testing/fake-exchange.ts";

function setUp(headers?: readonly string[]) {
  const exchange = new FakeExchange();
  const reply = new Reply(exchange, "req_1", headers);
  return { exchange, reply };
}

/** A watcher that records its events. */
function watcherOf(events: string[], name: string): CallerWatcher {
  return {
    callerLeft: () => void events.push(`${name} left`),
    callerCaughtUp: () => void events.push(`${name} caught up`),
  };
}

const body = Buffer.from('{"ok":true}');
const refusal = new GatewayError("request_too_large", { message: message("body.largerThan", { max: 5 }) });

test("a whole answer is sent once, with its length, the id and what was added", () => {
  const { exchange, reply } = setUp(["vary", "origin"]);
  reply.addHeader("x-plaza-model", "other");
  reply.addPassingHeaders(["x-ratelimit-limit-requests", "5"]);
  reply.send(200, answerType, body, ["x-plaza-charge", "0.1"]);
  reply.send(500, "text/plain", Buffer.from("again"));
  reply.sendEmpty(204, []);
  reply.fail(refusal);
  reply.refuse(refusal);
  reply.beginStream();
  reply.endStream(body);
  assert.deepEqual(exchange.did, ["head 200", "end"]);
  assert.deepEqual(exchange.sent, [
    ...["content-type", answerType, "content-length", "11", "x-request-id", "req_1", "vary", "origin"],
    ...["x-plaza-model", "other", "x-ratelimit-limit-requests", "5", "x-plaza-charge", "0.1"],
  ]);
  assert.equal(exchange.text, body.toString());
  assert.deepEqual([reply.status, reply.isEnded, reply.isStream, reply.isGone], [200, true, false, false]);
  assert.deepEqual(reply.addedHeaders, ["x-plaza-model", "other"], "what is kept for a repeated call");
});

test("an answer without a body has only a head", () => {
  const { exchange, reply } = setUp();
  reply.sendEmpty(204, ["access-control-max-age", "1"]);
  assert.deepEqual(exchange.did, ["head 204", "end"]);
  assert.deepEqual(exchange.sent, ["x-request-id", "req_1", "access-control-max-age", "1"]);
});

test("a stream has one head, its pieces, and one end", () => {
  const { exchange, reply } = setUp();
  reply.beginStream(["x-plaza-model", "other"]);
  reply.beginStream();
  assert.equal(reply.write(Buffer.from("data: 1\n\n")), true);
  exchange.takes = false;
  assert.equal(reply.write(Buffer.from("data: 2\n\n")), false, "the caller is slow");
  reply.endStream(Buffer.from("data: [DONE]\n\n"));
  reply.endStream(Buffer.from("data: [DONE]\n\n"));
  assert.equal(reply.write(Buffer.from("data: 3\n\n")), true, "after the end there is nothing to wait for");
  reply.comment();
  assert.deepEqual(exchange.did, ["head 200", "write", "write", "end"]);
  assert.deepEqual(exchange.sent, [...streamHeaders, "x-request-id", "req_1", "x-plaza-model", "other"]);
  assert.equal(exchange.text, "data: 1\n\ndata: 2\n\ndata: [DONE]\n\n");
  assert.equal(reply.isStream, true);
});

test("a comment begins the stream where nothing was sent yet", () => {
  const { exchange, reply } = setUp();
  reply.comment();
  reply.comment();
  assert.deepEqual(exchange.did, ["head 200", "write", "write"]);
  assert.equal(exchange.text, ": keep-alive\n\n: keep-alive\n\n");
});

test("an error is an answer while nothing was sent, and the stream's last event afterwards", () => {
  const before = setUp();
  before.reply.fail(refusal, ["x-more", "1"]);
  assert.deepEqual(before.exchange.did, ["head 413", "end"]);
  assert.equal(before.exchange.header("content-type"), answerType);
  assert.equal(before.exchange.header("x-should-retry"), "false");
  assert.equal(before.exchange.header("x-more"), "1");
  assert.equal(JSON.parse(before.exchange.text).error.code, "request_too_large");
  assert.equal(before.reply.status, 413);

  const after = setUp();
  after.reply.beginStream();
  after.reply.fail(refusal);
  after.reply.fail(refusal);
  assert.deepEqual(after.exchange.did, ["head 200", "end"]);
  assert.match(after.exchange.text, /^data: \{"error":.*"request_too_large".*\}\n\n$/s);
  assert.equal(after.reply.status, 200);
});

const throttled = new GatewayError("rate_limit_exceeded", { retryAfterMs: 1_500, param: "model" });

/** The reply of an endpoint with this wire format. */
function setUpIn(format: WireProtocol) {
  const made = setUp();
  made.reply.speak(format);
  return made;
}

test("an error is told in the format of the path, with the same status and headers", () => {
  const plain = setUp();
  plain.reply.fail(throttled);
  const shared = plain.exchange.sent.slice(plain.exchange.sent.indexOf("x-should-retry"));
  const told = (format: WireProtocol): unknown => {
    const { exchange, reply } = setUpIn(format);
    reply.fail(throttled);
    assert.deepEqual(exchange.did, ["head 429", "end"]);
    assert.deepEqual(exchange.sent.slice(exchange.sent.indexOf("x-should-retry")), shared);
    assert.equal(exchange.header("content-length"), String(exchange.pieces[0]?.length));
    assert.equal(exchange.header("request-id"), format === anthropicMessages ? "req_1" : undefined);
    return JSON.parse(exchange.text);
  };
  const { message: text } = throttled;
  const inner = { message: text, type: "rate_limit_error", param: "model", code: "rate_limit_exceeded" };
  assert.deepEqual(told(openaiChat), { error: inner });
  assert.deepEqual(told(openaiResponses), { error: { ...inner, request_id: "req_1" } });
  assert.deepEqual(told(anthropicMessages), {
    type: "error",
    error: { type: "rate_limit_error", message: text, code: "rate_limit_exceeded", param: "model" },
    request_id: "req_1",
  });
  const { error } = told(gemini) as { error: Record<string, unknown> };
  assert.deepEqual([error["code"], error["status"], error["message"]], [429, "RESOURCE_EXHAUSTED", text]);
  assert.match(JSON.stringify(error["details"]), /"requestId":"req_1".*"retryDelay":"2s"/);
});

test("an upstream's refusal that is passed on has its own code in every format", () => {
  const long = new GatewayError("invalid_request", { passedCode: "context_length_exceeded" });
  for (const format of [openaiChat, openaiResponses, anthropicMessages, gemini]) {
    const { exchange, reply } = setUpIn(format);
    reply.fail(long);
    assert.match(exchange.text, /"code":"context_length_exceeded"/);
  }
});

test("a refusal of a request that is still sent is in the format of the path too", () => {
  const { exchange, reply } = setUpIn(anthropicMessages);
  reply.refuse(refusal);
  assert.deepEqual(exchange.did, ["head 413", "write", "end after body"]);
  assert.equal(JSON.parse(exchange.text).error.type, "request_too_large");
});

test("whole answers and streams of Messages say the request's id where its SDKs look for it", () => {
  const whole = setUpIn(anthropicMessages);
  whole.reply.speak(anthropicMessages);
  whole.reply.send(200, answerType, body);
  const stream = setUpIn(anthropicMessages);
  stream.reply.beginStream();
  for (const { exchange } of [whole, stream])
    assert.deepEqual(
      exchange.sent.filter((one) => one === "request-id" || one === "req_1"),
      ["req_1", "request-id", "req_1"],
    );
});

test("a stream that failed before its content ends in the format of the path", () => {
  const ended = (format: WireProtocol): string => {
    const { exchange, reply } = setUpIn(format);
    reply.comment();
    reply.fail(throttled);
    assert.deepEqual(exchange.did, ["head 200", "write", "end"]);
    return exchange.text;
  };
  assert.match(ended(openaiChat), /^: keep-alive\n\ndata: \{"error":/);
  assert.match(
    ended(openaiResponses),
    /^: keep-alive\n\nevent: error\ndata: .*\n\nevent: response\.failed\n/,
  );
  assert.match(ended(anthropicMessages), /^event: ping\ndata: \{"type": "ping"\}\n\nevent: error\ndata: /);
  assert.match(ended(gemini), /^\n\ndata: \{"error":\{"code":429,/);
});

test("a stream that failed after its content ends as its reader says, and is kept so", () => {
  const { exchange, reply } = setUpIn(openaiResponses);
  const reader = openaiResponses.readStream();
  reply.keepStream(10_000);
  const created = '{"type":"response.created","response":{"id":"resp_7","created_at":7,"model":"m"}}';
  reader.read(created, 0, "response.created");
  reply.follow(reader);
  reply.beginStream();
  reply.write(Buffer.from(`event: response.created\ndata: ${created}\n\n`));
  const kept = String(reply.keptStream(reply.failureOf(throttled)));
  reply.fail(throttled);
  assert.equal(exchange.text, kept);
  assert.match(kept, /"sequence_number":1,.*"sequence_number":2,"response":\{"id":"resp_7"/s);
});

test("a stream that is no event stream is framed from its head to its end, kept or sent, whole or failed", () => {
  const framed: WireProtocol = {
    ...gemini,
    streamFrame: { contentType: answerType, create: () => new JsonArrayStream() },
  };
  for (const isFailed of [false, true]) {
    const { exchange, reply } = setUpIn(framed);
    reply.keepStream(10_000);
    reply.comment();
    reply.write(Buffer.from('data: {"n":1}\n\n'));
    const tail = isFailed ? reply.failureOf(throttled) : Buffer.from('data: {"n":2}\n\n');
    const kept = JSON.parse(String(reply.keptStream(tail)));
    if (isFailed) reply.fail(throttled);
    else reply.endStream(tail);
    assert.equal(exchange.header("content-type"), answerType);
    assert.equal(reply.streamHeaders[1], answerType);
    const [first, last] = JSON.parse(exchange.text);
    assert.deepEqual(first, { n: 1 });
    assert.deepEqual(isFailed ? last.error.code : last, isFailed ? 429 : { n: 2 });
    assert.deepEqual(kept, [first, last]);
  }
});

test("a refusal waits for a body that is still on its way, and only for that", () => {
  const sending = setUp();
  sending.reply.refuse(refusal);
  assert.deepEqual(sending.exchange.did, ["head 413", "write", "end after body"]);
  assert.equal(sending.exchange.header("content-length"), String(sending.exchange.text.length));
  assert.equal(sending.reply.status, 413);

  const sent = setUp();
  sent.exchange.finishBody();
  sent.reply.refuse(refusal);
  assert.deepEqual(sent.exchange.did, ["head 413", "end"]);

  const streaming = setUp();
  streaming.reply.beginStream();
  streaming.reply.refuse(refusal);
  assert.deepEqual(streaming.exchange.did, ["head 200", "end"]);
});

test("nothing is written for a caller that is gone, but what is kept goes on", () => {
  const { exchange, reply } = setUp();
  reply.keepStream(100);
  reply.beginStream();
  const reused = Buffer.from("one,");
  reply.write(reused);
  reused.fill(0);
  exchange.leave();
  assert.equal(reply.write(Buffer.from("two,")), true);
  reply.endStream(Buffer.from("end"));
  assert.deepEqual(exchange.did, ["head 200", "write"]);
  assert.deepEqual([reply.isGone, reply.isEnded], [true, true]);
  assert.equal(String(reply.keptStream(Buffer.from("end"))), "one,two,end");
});

test("a stream larger than may be kept is not kept, nor one nobody asked to keep", () => {
  const { reply } = setUp();
  assert.equal(reply.keptStream(Buffer.from("end")), undefined);
  reply.keepStream(10);
  reply.beginStream();
  reply.write(Buffer.alloc(7));
  assert.equal(reply.keptStream(Buffer.alloc(3))?.length, 10);
  assert.equal(reply.keptStream(Buffer.alloc(4)), undefined, "with its end it is too large");
  reply.write(Buffer.alloc(4));
  reply.write(Buffer.alloc(1));
  assert.equal(reply.keptStream(Buffer.alloc(0)), undefined);
});

test("every watcher hears of a caller that leaves, once, and of one that caught up", () => {
  const { exchange, reply } = setUp();
  const events: string[] = [];
  const [one, two, three, four] = ["one", "two", "three", "four"].map((name) => watcherOf(events, name));
  assert.ok(one && two && three && four);
  for (const watcher of [one, two, three]) reply.watch(watcher);
  exchange.listener?.drained();
  assert.deepEqual(events.splice(0), ["one caught up", "two caught up", "three caught up"]);
  reply.unwatch(one);
  reply.unwatch(four);
  reply.unwatch(three);
  exchange.listener?.drained();
  assert.deepEqual(events.splice(0), ["two caught up"]);
  reply.watch(four);
  reply.watch({ callerLeft: () => void events.push("five left") });
  exchange.listener?.drained();
  assert.deepEqual(events.splice(0), ["two caught up", "four caught up"]);
  exchange.leave();
  assert.deepEqual(events, ["two left", "four left", "five left"]);
});

test("a watcher that is told may stop watching, itself or others", () => {
  const { exchange, reply } = setUp();
  const events: string[] = [];
  const others = ["two", "three"].map((name) => watcherOf(events, name));
  const first: CallerWatcher = {
    callerLeft() {
      events.push("one left");
      reply.unwatch(first);
    },
  };
  for (const watcher of [first, ...others]) reply.watch(watcher);
  exchange.leave();
  assert.deepEqual(events, ["one left", "two left", "three left"]);
});

test("an exchange that ended well tells nobody that its caller left", () => {
  const { exchange, reply } = setUp();
  const events: string[] = [];
  reply.watch(watcherOf(events, "one"));
  reply.whenOver(() => void events.push("over"));
  reply.send(200, answerType, body);
  assert.equal(events.length, 0, "the last byte is not on its way yet");
  exchange.close();
  assert.deepEqual(events.splice(0), ["over"]);
  reply.whenOver(() => void events.push("over already"));
  assert.deepEqual(events, ["over already"]);
  assert.equal(reply.isGone, false);
});

test("an answer that was ended but did not reach its caller counts as one whose caller left", () => {
  const { exchange, reply } = setUp();
  const events: string[] = [];
  reply.watch(watcherOf(events, "one"));
  reply.send(200, answerType, body);
  exchange.leave();
  assert.deepEqual(events, ["one left"]);
  assert.equal(reply.isGone, true);
});

test("what another part answers is not answered here", () => {
  const { exchange, reply } = setUp();
  reply.handOver();
  reply.send(200, answerType, body);
  reply.fail(refusal);
  assert.deepEqual(exchange.did, []);
  assert.equal(reply.isEnded, true);
});

test("it closes the connection after the answer, or at once", () => {
  const { exchange, reply } = setUp();
  reply.closeAfter();
  reply.fail(refusal);
  reply.destroy();
  assert.deepEqual(exchange.did, ["close after", "head 413", "end", "destroy"]);
});
