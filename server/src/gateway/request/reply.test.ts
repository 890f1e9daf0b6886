/** What a reply writes, in which order and how often, and which watchers are called. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
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
