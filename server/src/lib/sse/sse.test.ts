/**
 * Compares the reader with a simple one: the same events, flags and texts wherever the bytes are cut; limits;
 * memory safety.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../testing/runs.ts";
import { compileMarks, findMarks } from "./marks.ts";
import {
  createSseReaderFactory,
  flagComment,
  flagMultiData,
  flagNamed,
  flagUnterminated,
  type SseReader,
} from "./sse.ts";
import {
  corpusMarks,
  naiveEvents,
  readEvents,
  recut,
  runRecuts,
  seededRandom,
  sseStreams,
} from "./testing/corpus.ts";

const factory = createSseReaderFactory({ marks: corpusMarks, eventBytesMax: 1 << 20 });
const runs = runsOf(1000);

const bytewise = (bytes: Buffer): Buffer[] => Array.from(bytes, (byte) => Buffer.from([byte]));

function pushed(text: string, reader: SseReader = factory.create()): SseReader {
  assert.equal(reader.push(Buffer.from(text)), true);
  return reader;
}

function flagsOf(data: string): number {
  const reader = pushed(`data: ${data}\n\n`);
  assert.equal(reader.count, 1);
  return reader.flags(0);
}

/** All cuts must give the simple reader's events and the same slices as the uncut bytes. */
function checkCuts(bytes: Buffer, cuts: Iterable<Buffer[]>, name?: string): void {
  const whole = readEvents(factory.create(), [bytes]);
  assert.deepEqual(whole.events, naiveEvents(bytes), name);
  for (const chunks of cuts) assert.deepEqual(readEvents(factory.create(), chunks), whole, name);
}

function* cutsOf(bytes: Buffer, random: () => number): Generator<Buffer[]> {
  yield bytewise(bytes);
  for (let cut = 0; cut <= Math.min(bytes.length, 600); cut++)
    yield [bytes.subarray(0, cut), bytes.subarray(cut)];
  for (let run = 0; run < 20; run++) yield recut(bytes, random);
}

test("every corpus stream reads the same whole, byte by byte, cut anywhere in two, and re-cut at random", () => {
  const random = seededRandom(1);
  for (const { name, bytes } of sseStreams()) checkCuts(bytes, cutsOf(bytes, random), name);
});

test("re-cuts never damage a character or an event (P10, short form)", () => {
  const report = runRecuts(runs, 20_260_101);
  assert.deepEqual(report.failures, []);
  assert.equal(report.replacements, 0);
  assert.ok(report.events > runs);
});

test("agrees with the simple reader on arbitrary lines", () => {
  const lineEnd = fc.constantFrom("\n", "\r", "\r\n", "\n\n", "\r\n\r\n", "\r\r");
  const key = fc.constantFrom(
    '"usage"',
    '"error"',
    '"finish_reason"',
    '\\"usage"',
    '"usage',
    '"errors"',
    '"e"',
  );
  const space = fc.constantFrom("", " ", "\t ", "  ");
  const member = fc
    .tuple(
      key,
      space,
      fc.constantFrom(":", ","),
      space,
      fc.constantFrom("null", "1", '"n"', '""', "{}", "", "\\"),
    )
    .map((parts) => parts.join(""));
  const payload = fc.array(fc.oneof(member, fc.constantFrom(",", "{", '"', "é", "𠮷", "ab")), {
    maxLength: 4,
  });
  const prefix = fc.constantFrom(
    "data: ",
    "data:",
    "data:  ",
    "data",
    ": ",
    ":",
    "event: ",
    "event",
    "id: ",
    "",
    "\ufeff",
  );
  const line = fc.tuple(prefix, payload, lineEnd).map(([start, parts, end]) => start + parts.join("") + end);
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.nat(), (lines, seed) => {
      const bytes = Buffer.from(lines.join(""));
      checkCuts(bytes, [bytewise(bytes), recut(bytes, seededRandom(seed))]);
    }),
    { numRuns: runs },
  );
});

test("offsets cut out whole events and payloads of the chunk itself", () => {
  const chunk = Buffer.from(': hi\n\ndata: {"a":1}\r\n\r\n\nevent: x\ndata:y\n\ndata: rest');
  const reader = factory.create();
  reader.push(chunk);
  assert.equal(reader.buffer, chunk);
  assert.equal(reader.count, 3);
  const shown = [0, 1, 2].map((i) => [
    chunk.toString("utf8", reader.eventStart(i), reader.eventEnd(i)),
    reader.dataStart(i) < 0 ? undefined : chunk.toString("utf8", reader.dataStart(i), reader.dataEnd(i)),
    reader.flags(i),
  ]);
  assert.deepEqual(shown, [
    [": hi\n\n", undefined, flagComment],
    ['data: {"a":1}\r\n\r\n', '{"a":1}', 0],
    ["event: x\ndata:y\n\n", "y", flagNamed],
  ]);
  assert.equal(reader.eventName(2), "x");
  assert.equal(reader.eventName(1), undefined);
  assert.equal(reader.pendingBytes, "data: rest".length);
});

test("marks: keys with a value, not text, not null, not an empty text", () => {
  assert.equal(flagsOf('{"usage":{}}'), 1);
  assert.equal(flagsOf('{"usage" \t: \t0}'), 1);
  assert.equal(flagsOf('{"usage":null,"error":null,"finish_reason" : null}'), 0);
  assert.equal(flagsOf('{"choices":[{"finish_reason":"stop"}],"error":{}}'), 6);
  assert.equal(flagsOf('{"usage":null,"x":{"usage":1}}'), 1);
  assert.equal(flagsOf('{"usage":"","error" : "","finish_reason":""}'), 0);
  assert.equal(flagsOf('{"usage":"","x":{"usage":"x"}}'), 1);
  assert.equal(flagsOf('"{\\"usage\\":1}"'), 0);
  assert.equal(flagsOf('\\"usage":1'), 0);
  assert.equal(flagsOf('{"content":"usage","a":["usage","error"]}'), 0);
  assert.equal(flagsOf('{"usages":1,"my_usage":1}'), 0);
  assert.equal(flagsOf('{"usage":'), 0);
  assert.equal(flagsOf('"usage"'), 0);
  for (let pad = 0; pad < 40; pad++)
    assert.equal(flagsOf(`{"${"u".repeat(pad)}":"e","error":7}`), 4, String(pad));
  const comment = pushed(': "usage":1\nid: "usage":1\ndata: {}\n\n');
  assert.equal(comment.flags(0), 0);
});

test("an escape before the searched bytes is not looked at", () => {
  const bytes = Buffer.from('\\"a":1');
  assert.equal(findMarks(compileMarks(["a"]), bytes, 0, bytes.length), 0);
  assert.equal(findMarks(compileMarks(["a"]), bytes, 1, bytes.length), 1);
  assert.equal(findMarks(compileMarks(["a"]), bytes, 1, bytes.length - 1), 0);
});

test("marks of other shapes: none, short, long, sharing a beginning", () => {
  const seen = (marks: readonly string[], data: string): number => {
    const reader = createSseReaderFactory({ marks, eventBytesMax: 10_000 }).create();
    return pushed(`data: ${data}\n\n`, reader).flags(0);
  };
  assert.equal(seen([], '{"a":1}'), 0);
  assert.equal(seen(["a"], '{"b":"a","a":1}'), 1);
  assert.equal(seen(["ab", "abc", "é"], '{"abc":1,"é":2}'), 6);
  assert.equal(seen(["x".repeat(200)], `{"${"x".repeat(200)}":1}`), 1);
  assert.throws(() => createSseReaderFactory({ marks: [""], eventBytesMax: 1 }), RangeError);
  assert.throws(() => createSseReaderFactory({ marks: ["x".repeat(201)], eventBytesMax: 1 }), RangeError);
});

test("several data lines are joined, and their marks seen across lines", () => {
  const reader = pushed('data: {"usage"\ndata: :\ndata: 5}\n\n');
  assert.equal(reader.flags(0), flagMultiData | 1);
  assert.equal(reader.dataStart(0), -1);
  assert.equal(reader.dataEnd(0), -1);
  assert.equal(reader.dataText(0), '{"usage"\n:\n5}');
});

test("a lone CR completes an event at once, unless the stream's line ends are CRLF", () => {
  assert.equal(pushed("data: x\r\r").count, 1);
  const mixed = pushed("data: x\n\r");
  assert.equal(mixed.count, 1);
  assert.equal(pushed("\ndata: y\n\n", mixed).count, 1);
  assert.equal(mixed.dataText(0), "y");

  const crlf = pushed("data: x\r\n\r");
  assert.equal(crlf.count, 0);
  pushed("\n", crlf);
  assert.equal(crlf.count, 1);
  assert.equal(crlf.buffer.toString("utf8", crlf.eventStart(0), crlf.eventEnd(0)), "data: x\r\n\r\n");
  assert.equal(crlf.pendingBytes, 0);

  const changed = pushed("data: x\r\n\r");
  pushed("data: y", changed);
  assert.equal(changed.count, 1);
  assert.equal(changed.dataText(0), "x");
});

test("the end of the body completes an event that holds data, and says so", () => {
  for (const [rest, added] of [
    ["data: [DONE]", "\n\n"],
    ["data: [DONE]\n", "\n"],
    ["data: [DONE]\r", "\n\n"],
    ["data: [DONE]\r\n", "\n"],
  ] as const) {
    const reader = pushed(`data: 1\n\n${rest}`);
    reader.end();
    assert.equal(reader.count, 1, rest);
    assert.equal(reader.flags(0), flagUnterminated);
    assert.equal(reader.dataText(0), "[DONE]");
    assert.equal(reader.buffer.toString("utf8", reader.eventStart(0), reader.eventEnd(0)), rest + added);
    assert.equal(reader.pendingBytes, 0);
  }
  for (const rest of ["", ": x", "id: 7\n", "dat", "\n"]) {
    const reader = pushed(`data: 1\n\n${rest}`);
    reader.end();
    assert.equal(reader.count, 0, rest);
  }
  const complete = pushed("data: x\r\n\r");
  complete.end();
  assert.equal(complete.flags(0), 0);
});

test("an event is refused exactly above the limit, whole or in pieces, and nothing after it is read", () => {
  const small = createSseReaderFactory({ marks: ["a"], eventBytesMax: 40 });
  const event = (bytes: number): string => `data: ${"x".repeat(bytes - 8)}\n\n`;
  const reads = (text: string, size: number): boolean => {
    const reader = small.create();
    const bytes = Buffer.from(text);
    let fits = true;
    for (let from = 0; from < bytes.length && fits; from += size)
      fits = reader.push(bytes.subarray(from, from + size));
    if (!fits) {
      assert.equal(reader.push(Buffer.from("data: y\n\n")), false);
      assert.equal(reader.count, 0);
      reader.end();
      assert.equal(reader.count, 0);
      assert.equal(reader.pendingBytes, 0);
    }
    return fits;
  };
  for (const size of [1, 3, 7, 1000]) {
    assert.equal(reads(event(40) + event(40), size), true, `size ${size}`);
    assert.equal(reads(event(10) + event(41), size), false, `size ${size}`);
    assert.equal(reads("\n".repeat(1000) + event(40), size), true);
    assert.equal(reads(":".repeat(41), size), false);
  }
  const reader = small.create();
  assert.equal(reader.push(Buffer.from(event(20) + event(50) + event(20))), false);
  assert.equal(reader.count, 1);
  assert.equal(reader.eventEnd(0), 20);

  const full = small.create();
  const unterminated = `data: ${"x".repeat(34)}`;
  assert.equal(full.push(Buffer.from(unterminated)), true);
  full.end();
  assert.equal(full.count, 1);
});

test("an endless line is refused at the limit", () => {
  const large = createSseReaderFactory({ marks: ["a"], eventBytesMax: 8 << 20 }).create();
  const piece = Buffer.alloc(1 << 12, "x");
  let bytes = 0;
  while (large.push(piece)) {
    bytes += piece.length;
    assert.equal(large.pendingBytes, bytes);
    assert.ok(bytes <= 8 << 20);
  }
  assert.equal(bytes, 8 << 20);
  assert.equal(large.pendingBytes, 0);
});

test("bytes given away are never written again", () => {
  const random = seededRandom(7);
  for (const { name, bytes } of sseStreams()) {
    const reader = factory.create();
    const given: { slice: Buffer; copy: string }[] = [];
    for (const chunk of recut(bytes, random)) {
      reader.push(chunk);
      if (reader.count === 0) continue;
      const slice = reader.buffer.subarray(reader.eventStart(0), reader.eventEnd(reader.count - 1));
      given.push({ slice, copy: slice.toString("latin1") });
    }
    for (const { slice, copy } of given) assert.equal(slice.toString("latin1"), copy, name);
  }
});

test("blank lines are not kept", () => {
  const reader = factory.create();
  for (let i = 0; i < 100; i++) {
    reader.push(Buffer.from("\n\r\r\n"));
    assert.equal(reader.count, 0);
    assert.equal(reader.pendingBytes, 0);
  }
});

/** The chunks as sockets deliver them, each in its own memory. */
const reads = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => {
    const part = bytes.subarray(index * size, (index + 1) * size);
    const read = Buffer.allocUnsafeSlow(part.length);
    part.copy(read);
    return read;
  });

test("a long event is copied into little more memory than it needs", (t) => {
  const read = 64 * 1024;
  const event = Buffer.from(`data: ${"x".repeat(read + 300)}\n\n`);
  const chunks = reads(Buffer.concat(Array.from({ length: 60 }, () => event)), read);
  const made = t.mock.method(Buffer, "allocUnsafe");
  const reader = factory.create();
  let events = 0;
  for (const chunk of chunks) {
    reader.push(chunk);
    events += reader.count;
  }
  const bytes = made.mock.calls.reduce((sum, { arguments: [size] }) => sum + size, 0);
  assert.equal(events, 60);
  assert.ok(bytes < 60 * event.length * 2, `${bytes} bytes for ${60 * event.length}`);
});

test("a short rest does not hold the read it came in", () => {
  const reader = factory.create();
  const [chunk = Buffer.alloc(0)] = reads(Buffer.from(`data: ${"x".repeat(60_000)}\n\ndata: rest`), 1 << 20);
  reader.push(chunk);
  reader.push(Buffer.from("\n\n"));
  assert.equal(reader.dataText(0), "rest");
  assert.notEqual(reader.buffer.buffer, chunk.buffer);
});

test("nothing is kept in a chunk's memory, which is read into again", () => {
  const bytes = Buffer.from(`data: ${"x".repeat(3_000)}\n\ndata: ${"y".repeat(3_000)}\n\n`);
  for (const size of [1, 100, 2_000, 4_000, 6_000]) {
    const reader = factory.create();
    const texts: string[] = [];
    for (const chunk of reads(bytes, size)) {
      reader.push(chunk);
      for (let index = 0; index < reader.count; index++) texts.push(reader.dataText(index));
      chunk.fill(0x2a);
    }
    assert.deepEqual(texts, ["x".repeat(3_000), "y".repeat(3_000)], `in reads of ${size}`);
  }
});
