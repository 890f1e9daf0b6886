/** A head that is recognised by its bytes is the one that llhttp would have read. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "../../lib/sse/testing/corpus.ts";
import { messageKind } from "../llhttp/engine.ts";
import { createLlhttp } from "../llhttp/llhttp.ts";
import { type PlainHead, readPlain } from "./plain.ts";
import { RepeatedHead } from "./repeated-head.ts";

const llhttp = createLlhttp();
const served = { isPath: () => true, isHost: () => true };

interface Read {
  readonly plain: PlainHead | undefined;
  readonly bodyStart: number;
}

/** One connection whose requests llhttp reads, and whose heads are kept. */
class Caller {
  readonly #parser = llhttp.open(messageKind.request);
  readonly repeated = new RepeatedHead();

  put(bytes: Buffer): void {
    // What earlier reads left must not matter.
    llhttp.area.fill(0x31, 0, 1024);
    bytes.copy(llhttp.area);
  }

  find(bytes: Buffer): PlainHead | undefined {
    this.put(bytes);
    return this.repeated.find(llhttp.area, bytes.length);
  }

  /** A whole plain request and nothing else; undefined: it is not that. */
  read(bytes: Buffer): Read | undefined {
    assert.ok(this.#parser);
    this.put(bytes);
    const parser = this.#parser;
    if (!parser.execute(0, bytes.length) || !parser.hasHead || !parser.isComplete) return undefined;
    if (parser.consumed < bytes.length) return undefined;
    return { plain: readPlain(parser.head, served), bodyStart: parser.bodyStart };
  }

  /** Reads a request and keeps its head, as a connection does. */
  take(bytes: Buffer): void {
    const read = this.read(bytes);
    assert.ok(read?.plain && this.#parser);
    this.repeated.keep(this.#parser.head, read.plain, read.bodyStart);
  }

  release(): void {
    this.#parser?.release();
  }
}

const request = (length: string, body: string, more = ""): Buffer =>
  Buffer.from(
    `POST /v1/x?a=1 HTTP/1.1\r\nHost: a.test\r\n${more}Content-Length: ${length}\r\nX-Y: z\r\n\r\n${body}`,
  );

const usual = request("5", "hello");

test("the second head of a connection is kept, and found again with bodies of other lengths", () => {
  const caller = new Caller();
  assert.equal(caller.find(usual), undefined);
  caller.take(usual);
  assert.equal(caller.find(usual), undefined, "a connection may have one request only");
  caller.take(usual);
  const found = caller.find(usual);
  assert.deepEqual(found, caller.read(usual)?.plain);
  assert.equal(caller.find(usual), found, "the same object, so that nothing is made anew");
  const longer = request("12", "hello, world");
  assert.equal(caller.find(longer)?.headers["content-length"], "12");
  assert.equal(llhttp.area.toString("latin1", caller.repeated.bodyStart, longer.length), "hello, world");
  assert.equal(caller.find(usual)?.headers["content-length"], "5");
  caller.release();
});

test("what is not the whole request, or another one, is left to llhttp", () => {
  const caller = new Caller();
  caller.take(usual);
  caller.take(usual);
  assert.ok(caller.find(usual));
  const others = {
    "a body that is not all there": usual.subarray(0, -1),
    "bytes behind the body": Buffer.concat([usual, Buffer.from("P")]),
    "no body": request("0", ""),
    "a leading zero": request("05", "hello"),
    "a sign": request("+5", "hello"),
    "white space before the length": request(" 5", "hello"),
    "a list of lengths": request("5, 5", "hello"),
    "no length": request("", "hello"),
    "ten digits": request("1000000005", "hello"),
    "one more field": request("5", "hello", "A: b\r\n"),
    "a field less": Buffer.from(usual.toString().replace("X-Y: z\r\n", "")),
    "the head alone": usual.subarray(0, usual.indexOf("\r\n\r\n") + 4),
  };
  for (const [what, bytes] of Object.entries(others)) assert.equal(caller.find(bytes), undefined, what);
  assert.ok(caller.find(usual), "nothing was forgotten");
  caller.release();
});

test("heads that cannot be recognised are not kept", () => {
  const heads = {
    "a connection that closes": request("5", "hello", "Connection: close\r\n"),
    "a length with a zero before it": request("05", "hello"),
    chunks: Buffer.from(
      "POST /v1/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    ),
  };
  for (const [what, bytes] of Object.entries(heads)) {
    const caller = new Caller();
    caller.take(usual);
    if (what === "a connection that closes") {
      // llhttp takes no further request then.
      caller.take(bytes);
    } else {
      caller.take(bytes);
      caller.take(bytes);
    }
    assert.equal(caller.find(bytes), undefined, what);
    caller.release();
  }
});

test("a connection whose heads differ each time is no longer looked at", () => {
  const caller = new Caller();
  for (let number = 0; number < 6; number++) caller.take(request("5", "hello", `X-Trace: ${number}\r\n`));
  caller.take(usual);
  assert.equal(caller.find(usual), undefined);
  caller.release();
});

test("whatever is found, llhttp reads the same way", () => {
  const seed = Number(process.env["SEED"] ?? 20261129);
  const random = seededRandom(seed);
  const below = (many: number): number => Math.floor(random() * many);
  const bytesOfInterest = Buffer.from("\r\n :,;0159+-\t\0Aa\x80\xff", "latin1");
  /** A request like one before, with up to two small differences. */
  function changed(bytes: Buffer): Buffer {
    let result = Buffer.from(bytes);
    for (let change = below(3); change > 0; change--) {
      const at = below(result.length);
      const byte = Buffer.from([bytesOfInterest[below(bytesOfInterest.length)] as number]);
      const kind = below(4);
      const behind = result.subarray(kind === 0 ? at : at + 1);
      result =
        kind === 3 ? result.subarray(0, at + 1) : Buffer.concat([result.subarray(0, at), byte, behind]);
    }
    return result;
  }
  let found = 0;
  for (let round = 0; round < 2_000; round++) {
    const caller = new Caller();
    const length = below(30) + 1;
    const more = ["", "Connection: keep-alive\r\n", "Authorization: Bearer x \r\n", "A:\r\n"][below(4)];
    const first = request(String(length), "b".repeat(length), more);
    caller.take(first);
    caller.take(first);
    for (let turn = 0; turn < 25; turn++) {
      const nextLength = below(30) + 1;
      const candidate = changed(
        below(2) === 0 ? first : request(String(nextLength), "{".repeat(nextLength), more),
      );
      const plain = caller.find(candidate);
      if (plain === undefined) continue;
      found++;
      const { bodyStart } = caller.repeated;
      const fresh = new Caller();
      const read = fresh.read(candidate);
      fresh.release();
      const what = `seed ${seed}: ${JSON.stringify(candidate.toString("latin1"))}`;
      assert.ok(read, what);
      assert.deepEqual(plain, read.plain, what);
      assert.equal(bodyStart, read.bodyStart, what);
    }
    caller.release();
  }
  assert.ok(found > 10_000, `only ${found} were found`);
});
