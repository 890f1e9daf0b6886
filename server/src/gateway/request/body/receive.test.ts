/** Receiving a body: what is read, why and when it is refused, and that everything is released at the end. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { GatewayError } from "@plaza/contract/errors.ts";
import type { RequestHeaders } from "../../../lib/net/exchange.ts";
import type { Tickable } from "../../../lib/time/ticker.ts";
import type { GatewaySettings } from "../../settings.ts";
import { Reply } from "../reply.ts";
import { FakeExchange } from "../testing/fake-exchange.ts";
import { checkBodyHead, type ReceiveContext, receive } from "./receive.ts";

const settings = {
  bodyBytesMax: 4 * 1024 * 1024,
  requestCompression: "on",
  bodyStallMs: 1_000,
  bodyRateMin: 1_000,
} as GatewaySettings;

/** Headers of a body without a declared size. */
const untold: RequestHeaders = { "transfer-encoding": "chunked" };

interface Options {
  readonly headers?: RequestHeaders;
  /** Bytes that may be reserved. */
  readonly roomMax?: number;
  /** The scanner refuses a piece that contains this text. */
  readonly refused?: string;
}

/** A body in transit, with a caller, clock and memory limit that the test controls. */
function setUp({ headers = untold, roomMax = Number.POSITIVE_INFINITY, refused }: Options = {}) {
  const exchange = new FakeExchange({ headers });
  const reply = new Reply(exchange, "req_1");
  const state = { nowMs: 0, room: 0, scanned: "" };
  const members = new Set<Tickable>();
  const context: ReceiveContext = {
    settings,
    clock: { wallMs: () => state.nowMs, elapsedMs: () => state.nowMs },
    ticker: {
      add: (member) => void members.add(member),
      delete: (member) => void members.delete(member),
      list: () => [...members],
    },
  };
  const scanner = {
    push(chunk: Buffer) {
      state.scanned += chunk.toString("latin1");
      return refused !== undefined && chunk.includes(refused)
        ? new GatewayError("invalid_request")
        : undefined;
    },
  };
  const reservation = {
    makeRoom(bytes: number) {
      state.room += bytes;
      if (state.room > roomMax) throw new GatewayError("overloaded");
    },
    noteStream() {},
    end() {},
  };
  const begin = (): Promise<Buffer> => {
    const coding = checkBodyHead(exchange, settings);
    return receive(exchange, reply, context, { scanner, reservation, coding });
  };
  const tick = (nowMs: number): void => {
    state.nowMs = nowMs;
    for (const member of [...members]) member.tick(nowMs);
  };
  return { exchange, state, members, begin, tick };
}

/** The error code of a refused body. */
async function codeOf(body: Promise<Buffer>): Promise<string> {
  const refusal: unknown = await body.then(
    () => "taken",
    (error: unknown) => error,
  );
  assert.ok(refusal instanceof GatewayError, String(refusal));
  return refusal.code;
}

test("a body comes whole, however it is cut, and is looked at once on its way", async () => {
  const { exchange, state, members, begin } = setUp();
  const body = begin();
  assert.equal(members.size, 1);
  for (const piece of ['{"mo', 'del":"', 'm"}']) exchange.send(piece);
  exchange.finishBody();
  assert.equal((await body).toString(), '{"model":"m"}');
  assert.equal(state.scanned, '{"model":"m"}');
  assert.equal(state.room, 13, "room is taken as it arrives");
  assert.equal(members.size, 0, "it is not watched any more");
});

test("a body in one piece is not copied, and an empty one is empty", async () => {
  const one = setUp({ headers: { "content-length": "4" } });
  const body = one.begin();
  assert.equal(one.state.room, 4, "room for what is declared is taken at once");
  one.exchange.send("true");
  one.exchange.finishBody();
  assert.equal((await body).toString(), "true");
  assert.equal(one.state.room, 4);

  const none = setUp({ headers: {} });
  const empty = none.begin();
  none.exchange.finishBody();
  assert.equal((await empty).length, 0);
});

test("pieces that are neighbours in one buffer are put together without a copy", async () => {
  const bytes = Buffer.from(JSON.stringify("b".repeat(100_000)));
  const { exchange, begin } = setUp({ headers: { "content-length": String(bytes.length) } });
  const body = begin();
  for (let at = 0; at < bytes.length; at += 30_000) exchange.send(bytes.subarray(at, at + 30_000));
  exchange.finishBody();
  const whole = await body;
  assert.deepEqual(whole, bytes);
  assert.equal(whole.buffer, bytes.buffer);
});

test("pieces of one buffer that are not neighbours keep their order", async () => {
  const bytes = Buffer.from('"0123456789"');
  const { exchange, begin } = setUp();
  const body = begin();
  for (const [from, to] of [
    [0, 3],
    [5, 7],
    [3, 5],
    [3, 5],
    [7, 12],
  ] as const) {
    exchange.send(bytes.subarray(from, to));
  }
  exchange.finishBody();
  assert.equal((await body).toString(), '"014523236789"');
});

test("a large body of a declared size is put together on its way", async () => {
  const bytes = Buffer.from(JSON.stringify("ä".repeat(700_000)));
  const { exchange, begin } = setUp({ headers: { "content-length": String(bytes.length) } });
  const body = begin();
  for (let at = 0; at < bytes.length; at += 60_001)
    exchange.send(Buffer.from(bytes.subarray(at, at + 60_001)));
  exchange.finishBody();
  assert.deepEqual(await body, bytes);
});

test("reading a large body waits for the next turn after half a mebibyte", async () => {
  const { exchange, begin } = setUp();
  const body = begin();
  for (let sent = 0; sent < 7; sent += 1) exchange.send("x".repeat(64 * 1024));
  assert.deepEqual(exchange.did, []);
  exchange.send("x".repeat(64 * 1024));
  assert.deepEqual(exchange.did, ["pause"]);
  await nextTurn();
  assert.deepEqual(exchange.did, ["pause", "resume"]);
  exchange.finishBody();
  assert.equal((await body).length, 512 * 1024);
});

test("a byte order mark is left out, however it is cut; half a mark is none", async () => {
  const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from("{}")]);
  for (const cuts of [[], [1], [2], [3], [1, 2], [1, 2, 3], [4]]) {
    const { exchange, state, begin } = setUp();
    const body = begin();
    const ends = [0, ...cuts, marked.length];
    for (let index = 1; index < ends.length; index += 1) {
      exchange.send(marked.subarray(ends[index - 1], ends[index]));
    }
    exchange.finishBody();
    assert.equal((await body).toString(), "{}", String(cuts));
    assert.equal(state.scanned, "{}");
  }
  const half = setUp();
  const body = half.begin();
  half.exchange.send(Buffer.from([0xef, 0xbb]));
  half.exchange.send("{}");
  half.exchange.finishBody();
  assert.equal(await codeOf(body), "invalid_request", "it is not UTF-8");
  assert.equal(half.state.scanned, "\xef\xbb{}");
});

test("a body that is not UTF-8, or that the scanner refuses, is refused", async () => {
  const broken = setUp();
  const body = broken.begin();
  broken.exchange.send(Buffer.from([0x22, 0xff, 0x22]));
  broken.exchange.finishBody();
  assert.equal(await codeOf(body), "invalid_request");

  const deep = setUp({ refused: "[[[" });
  const refused = deep.begin();
  deep.exchange.send("[");
  deep.exchange.send("[[[");
  assert.equal(await codeOf(refused), "invalid_request", "before its end");
  deep.exchange.send("[[[");
  deep.exchange.finishBody();
  assert.equal(deep.state.scanned, "[[[[", "what comes afterwards is not looked at");
  assert.equal(deep.members.size, 0);
});

test("a body that is too large is refused by its head, or as soon as it is", async () => {
  const declared = setUp({ headers: { "content-length": String(settings.bodyBytesMax + 1) } });
  assert.throws(() => declared.begin(), { code: "request_too_large" });
  const { exchange, begin } = setUp();
  const body = begin();
  for (let sent = 0; sent <= settings.bodyBytesMax; sent += 1024 * 1024)
    exchange.send(Buffer.alloc(1024 * 1024, 32));
  assert.equal(await codeOf(body), "request_too_large");
});

test("a body there is no room for is refused: at once where its size is declared, else on its way", async () => {
  const declared = setUp({ headers: { "content-length": "100" }, roomMax: 99 });
  assert.throws(() => declared.begin(), { code: "overloaded" });
  const { exchange, begin } = setUp({ roomMax: 5 });
  const body = begin();
  exchange.send("12345");
  exchange.send("6");
  assert.equal(await codeOf(body), "overloaded");
});

test("a body that stalls, or comes too slowly for its size, is given up", async () => {
  const stalled = setUp();
  const silent = stalled.begin();
  stalled.tick(1_000);
  assert.equal(stalled.members.size, 1, "not yet");
  stalled.tick(1_001);
  assert.equal(await codeOf(silent), "request_timeout");

  const broken = setUp();
  const halfWay = broken.begin();
  broken.exchange.send(Buffer.alloc(100_000, 32));
  broken.tick(1_001);
  assert.equal(await codeOf(halfWay), "request_timeout", "however fast it was before");

  const slow = setUp();
  const dripping = slow.begin();
  // The caller sends 500 bytes per second. It has 1,000 ms plus 1 ms per byte received.
  for (let nowMs = 500; nowMs <= 1_500; nowMs += 500) {
    slow.tick(nowMs);
    slow.exchange.send(Buffer.alloc(250, 32));
  }
  slow.tick(1_750);
  assert.equal(slow.members.size, 1, "not yet");
  slow.tick(1_751);
  assert.equal(await codeOf(dripping), "request_timeout");
});

test("a caller that leaves before the end of its body ends the wait", async () => {
  const { exchange, members, begin } = setUp();
  const body = begin();
  exchange.send("{");
  exchange.leave();
  assert.equal(await codeOf(body), "request_timeout");
  assert.equal(members.size, 0);
});

test("of a compressed body no piece is read while one is unpacked", async () => {
  const packed = gzipSync('{"model":"m"}');
  const { exchange, state, begin } = setUp({
    headers: { "content-encoding": "gzip", "content-length": String(packed.length) },
  });
  const body = begin();
  assert.equal(state.room, 0, "what is declared of it says nothing of the room it takes");
  const resumed = (): Promise<void> =>
    new Promise((resolve) => {
      exchange.resume = () => {
        exchange.did.push("resume");
        resolve();
      };
    });
  const first = resumed();
  exchange.send(packed.subarray(0, 10));
  assert.deepEqual(exchange.did, ["pause"]);
  await first;
  const second = resumed();
  exchange.send(packed.subarray(10));
  await second;
  assert.deepEqual(exchange.did, ["pause", "resume", "pause", "resume"]);
  exchange.finishBody();
  assert.equal((await body).toString(), '{"model":"m"}');
});

test("a head that says another type or coding is refused, and so is compression where it is off", () => {
  const check = (headers: RequestHeaders, requestCompression: "on" | "off" = "on") =>
    checkBodyHead({ headers }, { bodyBytesMax: 10, requestCompression });
  for (const type of ["application/json", "Application/JSON; charset=utf-8", "application/vnd.x+json"]) {
    assert.equal(check({ "content-type": type }), undefined, type);
  }
  assert.equal(check({}), undefined);
  assert.equal(check({ "content-encoding": "zstd" }), "zstd");
  const code = "unsupported_media_type";
  for (const type of ["text/plain", "application/jsonl", "application/x-www-form-urlencoded", ""]) {
    assert.throws(() => check({ "content-type": type }), { code }, type);
  }
  assert.throws(() => check({ "content-encoding": "br" }), { code });
  assert.throws(() => check({ "content-encoding": "gzip" }, "off"), { code });
});
