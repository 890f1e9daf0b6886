/**
 * Streams: nothing is sent before the first content, the end waits for settlement, an interrupted stream
 * never looks complete, and a slow or absent caller stops the upstream.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Upstream } from "@plaza/contract/catalog.ts";
import type { StreamReader } from "../../../protocols/wire-protocol.ts";
import { prepareEndpoint, type ReadyEndpoint } from "../../endpoints/endpoint.ts";
import { readyEcho } from "../../request/testing/fake-endpoint.ts";
import type { DispatchRequest } from "../dispatch.ts";
import { createDispatchRig, settled } from "../testing/dispatch-rig.ts";

const timeouts = { connectMs: 90_000, firstTokenMs: 90_000, idleMs: 90_000, totalMs: 200_000 };

/** A stream at one upstream, after its response headers. */
function begun(t: TestContext, changes: Partial<DispatchRequest> = {}, upstream: Partial<Upstream> = {}) {
  const rig = createDispatchRig(t);
  const live = rig.upstream("a", { timeouts, ...upstream });
  const dispatched = rig.start(rig.model("m", [live]), { isStream: true, ...changes });
  const call = rig.last().head();
  /** Returns how it ended, and checks that everything was released. */
  const ended = async () => {
    const { end } = await dispatched;
    assert.deepEqual(rig.left(), []);
    return end;
  };
  return { rig, dispatched, call, ended };
}

test("what comes before the first content is kept back, and goes down with it", async (t) => {
  const { rig, call, ended } = begun(t);
  call.bytes(": hello\n\n").events("ROLE", "ROLE");
  assert.deepEqual([rig.caller.status, rig.caller.text], [0, ""]);
  call.events("one");
  assert.equal(rig.caller.status, 200);
  assert.equal(rig.caller.text, ": hello\n\ndata: ROLE\n\ndata: ROLE\n\ndata: one\n\n");
  call.events("END").end();
  assert.equal((await ended()).kind, "stream");
});

test("the end of a stream is kept back for settlement, with what was used and delivered", async (t) => {
  const { rig, call, ended } = begun(t);
  call.events("one", "USED 3 4", "two", "END").end();
  const end = await ended();
  assert.ok(end.kind === "stream");
  assert.equal(end.tail.toString(), "data: END\n\n");
  assert.deepEqual([end.usage?.input, end.usage?.output, end.delivered.events], [3, 4, 3]);
  assert.doesNotMatch(rig.caller.text, /END/);
});

test("events cut anywhere go down whole, in order and once", async (t) => {
  const { rig, call, ended } = begun(t);
  const bytes = "data: one\n\ndata: +plain\n\n: note\n\ndata: +more\n\ndata: two\n\ndata: END\n\n";
  for (const piece of bytes.match(/.{1,3}/gs) ?? []) call.bytes(piece);
  call.end();
  const end = await ended();
  assert.equal(rig.caller.text + (end.kind === "stream" ? end.tail.toString() : ""), bytes);
  assert.equal(end.kind === "stream" && end.delivered.events, 4);
});

test("a run of plain events leaves in one write, and each is counted", async (t) => {
  const { rig, call, ended } = begun(t);
  call.events("one");
  call.events("+a", "+b", "+c", "two", "+d", "END").end();
  const end = await ended();
  assert.deepEqual(rig.caller.sent.map(String), [
    "data: one\n\n",
    "data: +a\n\ndata: +b\n\ndata: +c\n\n",
    "data: two\n\n",
    "data: +d\n\n",
  ]);
  assert.equal(end.kind === "stream" && end.delivered.events, 6);
});

test("usage that was not asked for is read, and not shown", async (t) => {
  const { rig, call, ended } = begun(t, { showsUsage: false });
  call.events("USED 1 1", "one", "USED 3 4", "END").end();
  const end = await ended();
  assert.equal(rig.caller.text, "data: one\n\n");
  assert.equal(end.kind === "stream" && end.usage?.output, 4);
});

test("usage inside other events is taken out by the format, where it was not asked for, and only there", async (t) => {
  for (const [showsUsage, text] of [
    [true, "data: one\n\n"],
    [false, "DATA: ONE\n\n"],
  ] as const) {
    await t.test(String(showsUsage), async (inner) => {
      const withoutUsage = (events: Buffer) => Buffer.from(events.toString().toUpperCase());
      const endpoint = { ...readyEcho, protocol: { ...readyEcho.protocol, withoutUsage } };
      const { rig, call, ended } = begun(inner, { endpoint, showsUsage });
      call.events("one", "END").end();
      await ended();
      assert.equal(rig.caller.text, text);
    });
  }
});

test("a report that cannot be true does not undo the one before it, and is told", async (t) => {
  const { rig, call, ended } = begun(t);
  call.events("one", "USED 3 4", "USED -3 4", "END").end();
  const end = await ended();
  assert.equal(end.kind === "stream" && end.usage?.output, 4);
  assert.deepEqual(
    rig.health.events.map(({ name }) => name),
    ["usage_distrusted"],
  );
});

test("a stream that ends without its marker is cut, with what was delivered; before content it is a fault", async (t) => {
  for (const [words, kind] of [
    [["one", "USED 3 4"], "cut"],
    [["ROLE"], "fault"],
    [[], "fault"],
  ] as const) {
    await t.test(`${words}`, async (inner) => {
      const { rig, call, ended } = begun(inner);
      call.events(...words).end();
      const end = await ended();
      assert.ok(end.kind === kind);
      assert.equal(end.fault.kind, "server");
      assert.equal(rig.caller.text, words.length === 2 ? "data: one\n\ndata: USED 3 4\n\n" : "");
      if (end.kind === "cut") assert.deepEqual([end.usage?.output, end.delivered.events], [4, 2]);
    });
  }
});

test("what says that the answer is over is kept back with the end, and goes where the answer goes on", async (t) => {
  const { rig, call, ended } = begun(t);
  call.events("one", "LAST", "ROLE").bytes(": note\n\n");
  assert.equal(rig.caller.text, "data: one\n\n");
  call.events("+two");
  const on = "data: one\n\ndata: LAST\n\ndata: ROLE\n\n: note\n\ndata: +two\n\n";
  assert.equal(rig.caller.text, on);
  call.events("+three", "LAST", "USED 3 4", "END").end();
  const end = await ended();
  assert.ok(end.kind === "stream");
  assert.equal(rig.caller.text, `${on}data: +three\n\n`);
  assert.equal(String(end.tail), "data: LAST\n\ndata: USED 3 4\n\ndata: END\n\n");
  assert.deepEqual([end.usage?.output, end.delivered.events], [4, 5]);
});

test("an answer that says it is over and is cut then has no end", async (t) => {
  for (const words of [["LAST"], ["LAST", "OOPS x"], ["LAST", "HALT"]]) {
    await t.test(`${words}`, async (inner) => {
      const { rig, call, ended } = begun(inner);
      call.events("one", ...words).end();
      assert.equal((await ended()).kind, "cut");
      assert.equal(rig.caller.text, "data: one\n\n");
    });
  }
});

test("after an answer says that it is over only so much may come", async (t) => {
  const { rig, call, ended } = begun(t);
  call.events("one", "LAST");
  const comment = `: ${"x".repeat(1_000)}\n\n`;
  for (let index = 0; index < 300 && call.aborted === undefined; index += 1) call.bytes(comment);
  assert.equal((await ended()).kind, "cut");
  assert.deepEqual([call.aborted, rig.caller.text], ["attempt failed", "data: one\n\n"]);
});

test("an answer whose end is all of it begins with its end, held back like any other", async (t) => {
  const { rig, call, ended } = begun(t);
  call.events("ROLE", "ALL 3 4").end();
  const end = await ended();
  assert.ok(end.kind === "stream");
  assert.deepEqual([rig.caller.status, rig.caller.text], [200, ""]);
  assert.equal(String(end.tail), "data: ROLE\n\ndata: ALL 3 4\n\n");
  assert.deepEqual([end.usage?.input, end.usage?.output, end.delivered.events], [3, 4, 1]);
  await t.test("nothing but an end has a head, too", async (inner) => {
    const scene = begun(inner);
    scene.call.events("ROLE", "END").end();
    const only = await scene.ended();
    assert.ok(only.kind === "stream");
    assert.deepEqual([scene.rig.caller.status, String(only.tail)], [200, "data: ROLE\n\ndata: END\n\n"]);
  });
});

test("an error in a stream may say what was used, before content and after", async (t) => {
  for (const [words, kind] of [
    [["one", "OOPS 3 4"], "cut"],
    [["ROLE", "OOPS 3 4"], "fault"],
  ] as const) {
    await t.test(kind, async (inner) => {
      const { call, ended } = begun(inner);
      call.events(...words).end();
      const end = await ended();
      assert.ok(end.kind === kind);
      assert.equal(end.usage?.output, 4);
    });
  }
});

test("how much may be kept back before the content is the format's to say, by the request", async (t) => {
  const endpoint = {
    ...readyEcho,
    protocol: { ...readyEcho.protocol, heldBytesMax: (bytes: number) => bytes * 10 },
  };
  for (const [text, isTaken] of [
    // The request has 13 bytes.
    [`: ${"x".repeat(126)}\n\n`, true],
    [`: ${"x".repeat(127)}\n\n`, false],
  ] as const) {
    await t.test(String(isTaken), async (inner) => {
      const { rig, call, ended } = begun(inner, { endpoint });
      call.bytes(text).events("one", "END").end();
      assert.equal((await ended()).kind, isTaken ? "stream" : "fault");
      assert.equal(rig.caller.text === "", !isTaken);
    });
  }
});

/** A format without a terminal marker: an answer is complete once its last event says so. */
function markerless(): ReadyEndpoint {
  const readStream = (): StreamReader => {
    const reader = readyEcho.protocol.readStream();
    const { read } = reader;
    return Object.assign(reader, {
      lastReport: { in: 7, out: 8 },
      read(...event: Parameters<StreamReader["read"]>) {
        const told = read(...event);
        if (told.hasContent) Object.assign(reader, { isWhole: told.isClosing });
        return told;
      },
    });
  };
  return { ...readyEcho, protocol: { ...readyEcho.protocol, readStream } };
}

test("the event that says that the answer is over may be as large as any other", async (t) => {
  const { protocol, ...rest } = markerless();
  const endpoint = { ...rest, protocol: { ...protocol, heldBytesMax: () => 1_000 } };
  for (const before of [["one"], []]) {
    await t.test(`after ${before.length}`, async (inner) => {
      const { rig, call, ended } = begun(inner, { endpoint });
      // More than may be kept back: an image, say.
      const last = `LAST ${"x".repeat(5_000)}`;
      call.events(...before, last, "ROLE").end();
      const end = await ended();
      assert.ok(end.kind === "stream");
      assert.equal(String(end.tail), `data: ${last}\n\ndata: ROLE\n\n`);
      assert.equal(rig.caller.text, before.length === 0 ? "" : "data: one\n\n");
    });
  }
});

test("a stream without a marker ends with its connection, once its answer is over", async (t) => {
  const { rig, call, ended } = begun(t, { endpoint: markerless() });
  call.events("one", "LAST", "ROLE");
  assert.equal(rig.caller.text, "data: one\n\n");
  call.end();
  const end = await ended();
  assert.ok(end.kind === "stream");
  assert.equal(String(end.tail), "data: LAST\n\ndata: ROLE\n\n");
  assert.equal(end.usage?.output, 8, "of the last report");
  for (const [name, words, finish] of [
    ["not over", ["one"], "end"],
    ["gone on", ["one", "LAST", "two"], "end"],
    ["broken", ["one", "LAST"], "break"],
  ] as const) {
    await t.test(name, async (inner) => {
      const scene = begun(inner, { endpoint: markerless() });
      scene.call.events(...words)[finish]();
      const cut = await scene.ended();
      assert.ok(cut.kind === "cut");
      assert.equal(cut.usage?.output, 8);
      assert.ok(words.length === 3 || !scene.rig.caller.text.includes("LAST"));
    });
  }
});

test("a stream without a marker that is left open ends a second after its answer was over", async (t) => {
  const { rig, call, ended } = begun(t, { endpoint: markerless() });
  call.events("one", "LAST");
  await rig.pass(900);
  assert.equal(call.aborted, undefined);
  await rig.pass(200);
  assert.equal((await ended()).kind, "stream");
  assert.equal(call.aborted, "open after the end");
  await t.test("but not while it goes on", async (inner) => {
    const scene = begun(inner, { endpoint: markerless() });
    scene.call.events("one", "LAST");
    await scene.rig.pass(900);
    scene.call.events("two");
    await scene.rig.pass(2_000);
    assert.equal(scene.call.aborted, undefined);
    scene.call.events("LAST").end();
    assert.equal((await scene.ended()).kind, "stream");
    assert.equal(scene.rig.caller.text, "data: one\n\ndata: LAST\n\ndata: two\n\n");
  });
});

test("an event whose end never came is not sent, though its connection closed in order", async (t) => {
  const { rig, call, ended } = begun(t);
  call.events("one").bytes("data: END").end();
  const end = await ended();
  assert.ok(["cut", "stream"].includes(end.kind));
  assert.equal(rig.caller.text, "data: one\n\n");
});

test("a connection that breaks after content cuts the stream; before it another deployment serves", async (t) => {
  const { call, ended } = begun(t);
  call.events("one").break();
  const end = await ended();
  assert.ok(end.kind === "cut");
  assert.equal(end.fault.kind, "network");
  await t.test("before", async (inner) => {
    const rig = createDispatchRig(inner);
    const dispatched = rig.start(["a", "b"], { isStream: true });
    rig.last().head().events("ROLE").break();
    await settled();
    rig.last().head().events("two", "END").end();
    assert.equal((await dispatched).end.kind, "stream");
    assert.equal(rig.caller.text, "data: two\n\n");
    assert.deepEqual(rig.left(), []);
  });
});

test("an error told in the stream is a fault before content, and a cut after it; it is never relayed", async (t) => {
  const { rig, call, ended } = begun(t);
  call.events("one", "OOPS x", "two", "END").end();
  assert.equal((await ended()).kind, "cut");
  assert.equal(rig.caller.text, "data: one\n\n");
  assert.equal(call.aborted, "attempt failed");
  await t.test("before", async (inner) => {
    const scene = begun(inner);
    scene.call.events("OOPS x");
    assert.equal((await scene.ended()).kind, "fault");
    assert.equal(scene.rig.caller.text, "");
  });
});

test("a marker that comes too early is no end", async (t) => {
  const { rig, call, ended } = begun(t);
  call.events("one", "HALT");
  const end = await ended();
  assert.ok(end.kind === "cut");
  assert.equal(rig.caller.text, "data: one\n\n");
});

test("an answer that is no stream is a fault: JSON is read for its error, a page is not", async (t) => {
  for (const [type, body, kind] of [
    ["application/json", '{"error":{"code":"insufficient_quota"}}', "upstream_quota"],
    ["application/json", '{"said":"whole"}', "server"],
    ["text/html", "<html>", "server"],
    ["text/event-streams", "data: x\n\n", "server"],
  ] as const) {
    await t.test(`${type} ${body}`, async (inner) => {
      const rig = createDispatchRig(inner);
      const dispatched = rig.start(["a"], { isStream: true });
      rig.last().head(200, { "content-type": type }).bytes(body).end();
      await rig.pass(300);
      const { end } = await dispatched;
      assert.equal(end.kind === "fault" && end.fault.kind, kind);
      assert.deepEqual([rig.caller.text, rig.left()], ["", []]);
    });
  }
});

test("an upstream that sends all but content is stopped, so that nothing piles up", async (t) => {
  const { rig, call, ended } = begun(t);
  const comment = `: ${"x".repeat(1_000)}\n\n`;
  for (let index = 0; index < 300 && call.aborted === undefined; index += 1) call.bytes(comment);
  assert.equal((await ended()).kind, "fault");
  assert.deepEqual([call.aborted, rig.caller.text], ["attempt failed", ""]);
});

test("an event larger than the limit is refused; what came before it goes down", async (t) => {
  const settings = { jsonDepthMax: 8, jsonValuesMax: 100, eventBytesMax: 100 };
  const { rig, call, ended } = begun(t, { endpoint: prepareEndpoint(readyEcho, settings) });
  call.bytes(`data: one\n\ndata: ${"x".repeat(200)}`);
  assert.equal((await ended()).kind, "cut");
  assert.deepEqual([rig.caller.text, call.aborted], ["data: one\n\n", "attempt failed"]);
});

test("a slow caller stops the upstream's bytes until it has taken what waits, and is not taken for silence", async (t) => {
  const { rig, call, ended } = begun(t, {}, { timeouts: { ...timeouts, idleMs: 500 } });
  rig.caller.write = () => false;
  call.events("one");
  assert.equal(call.isPaused, true);
  await rig.pass(800);
  rig.caller.listener?.drained();
  assert.equal(call.isPaused, false);
  await rig.pass(400);
  call.events("END").end();
  assert.equal((await ended()).kind, "stream");
});

test("a caller that takes nothing for too long is cut off, and its upstream stopped", async (t) => {
  const { rig, call, ended } = begun(t);
  rig.caller.write = () => false;
  call.events("one");
  await rig.pass(1_000);
  assert.equal(call.aborted, undefined);
  await rig.pass(100);
  const end = await ended();
  assert.deepEqual([end.kind, call.aborted], ["aborted", "the caller left"]);
});

test("a caller that leaves while its stream is paused: what is kept for it is read on", async (t) => {
  const { rig, call, ended } = begun(t, { isKept: true });
  const { write } = rig.caller;
  rig.caller.write = () => false;
  call.events("one");
  rig.caller.write = write;
  rig.caller.leave();
  assert.equal(call.isPaused, false);
  call.events("END").end();
  assert.equal((await ended()).kind, "stream");
});

test("a stream says that it lives while its upstream is silent, before and after its first content", async (t) => {
  const { rig, call, ended } = begun(t);
  await rig.pass(14_900);
  assert.equal(rig.caller.text, "");
  await rig.pass(100);
  assert.deepEqual([rig.caller.status, rig.caller.text], [200, ": keep-alive\n\n"]);
  call.events("one");
  await rig.pass(14_900);
  assert.equal(rig.caller.sent.length, 2);
  await rig.pass(200);
  assert.equal(rig.caller.sent.length, 3);
  call.events("END").end();
  assert.equal((await ended()).kind, "stream");
});

test("a stream that begins late in the life of its process is not told at once that it lives", async (t) => {
  const rig = createDispatchRig(t);
  rig.health.nowMs = 1_000_000;
  const dispatched = rig.start(["a"], { isStream: true });
  await rig.pass(1_000);
  assert.equal(rig.caller.text, "");
  rig.last().head().events("one", "END").end();
  await dispatched;
});

test("the time to the first content is taken once, and the deployment is known by it", async (t) => {
  const { rig, call, dispatched } = begun(t);
  rig.health.nowMs = 300;
  call.events("ROLE");
  rig.health.nowMs = 700;
  call.events("one");
  rig.health.nowMs = 900;
  call.events("two", "END").end();
  const { firstContentMs, waitedMs } = await dispatched;
  assert.deepEqual([firstContentMs, waitedMs], [700, 700]);
});

test("after its end a stream may close by itself for a second, and send a little, but not go on", async (t) => {
  const { rig, call, dispatched } = begun(t);
  call.events("one", "END");
  await dispatched;
  await rig.pass(900);
  call.bytes(": bye\n\n");
  assert.equal(call.aborted, undefined);
  await rig.pass(200);
  assert.equal(call.aborted, "open after the end");
  await t.test("too much", async (inner) => {
    const scene = begun(inner);
    scene.call.events("one", "END");
    await scene.dispatched;
    scene.call.bytes("x".repeat(64 * 1024));
    assert.equal(scene.call.aborted, undefined);
    scene.call.bytes("x");
    assert.equal(scene.call.aborted, "bytes after the end");
  });
  await t.test("closed in order", async (inner) => {
    const scene = begun(inner);
    scene.call.events("one", "END").end();
    await scene.dispatched;
    await scene.rig.pass(2_000);
    assert.equal(scene.call.aborted, undefined);
  });
});
