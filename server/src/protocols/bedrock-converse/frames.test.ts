import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { event, frame } from "../../providers/bedrock/fixtures/build.ts";
import { createFrameReader, type Frame, frameBytesMax } from "./frames.ts";

function readAll(bytes: Buffer, cuts: readonly number[]): { frames: Frame[]; isWhole: boolean } {
  const frames: Frame[] = [];
  const reader = createFrameReader((read) => void frames.push(read));
  let isWhole = true;
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    // A copy that is overwritten later, because the reader must not keep references to the caller's bytes.
    const chunk = Buffer.from(bytes.subarray(from, to));
    isWhole = reader.push(chunk);
    chunk.fill(0xff);
    from = to;
  }
  return { frames, isWhole };
}

test("frames are the same however they are cut", () => {
  const messages = fc.array(fc.record({ name: fc.string({ maxLength: 20 }), size: fc.nat(9_000) }), {
    maxLength: 8,
  });
  fc.assert(
    fc.property(
      messages,
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }),
      (list, places) => {
        const bytes = Buffer.concat(
          list.map(({ name, size }) => frame({ ":event-type": name }, Buffer.alloc(size, name.length))),
        );
        const cuts = places.map((place) => Math.floor(place * bytes.length)).sort((a, b) => a - b);
        const { frames, isWhole } = readAll(bytes, cuts);
        assert.equal(isWhole, true);
        assert.deepEqual(
          frames.map(({ headers, payload }) => [headers[":event-type"], payload.length, payload[0]]),
          list.map(({ name, size }) => [name, size, size === 0 ? undefined : name.length]),
        );
      },
    ),
    { numRuns: 100 },
  );
});

test("a wrong bit anywhere ends the reading", () => {
  const good = event("messageStart", { role: "assistant" });
  for (let bit = 0; bit < good.length * 8; bit += 1) {
    const bytes = Buffer.concat([good, good]);
    const at = bit >> 3;
    bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7));
    const { frames, isWhole } = readAll(bytes, []);
    assert.equal(isWhole, false, `bit ${bit}`);
    assert.equal(frames.length, 0);
  }
});

/** A frame with correct checksums and otherwise arbitrary content. */
function sealed(total: number, headersLength: number, rest: Buffer): Buffer {
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(total, 0);
  prelude.writeUInt32BE(headersLength, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const before = Buffer.concat([prelude, rest]);
  const end = Buffer.alloc(4);
  end.writeUInt32BE(crc32(before), 0);
  return Buffer.concat([before, end]);
}

test("frames too large, too small, or with headers longer than they are, are none", () => {
  const header = Buffer.from([2, 0x3a, 0x61, 7, 0xff, 0xff, 0x62]);
  for (const bytes of [
    sealed(frameBytesMax + 1, 0, Buffer.alloc(0)),
    sealed(15, 0, Buffer.alloc(0)),
    sealed(16, 1, Buffer.alloc(0)),
    sealed(16 + header.length, header.length, header),
    sealed(17, 1, Buffer.from([200])),
    sealed(19, 3, Buffer.from([1, 0x61, 77])),
  ]) {
    const { frames, isWhole } = readAll(bytes, []);
    assert.deepEqual([frames.length, isWhole], [0, false]);
  }
  assert.equal(readAll(sealed(16, 0, Buffer.alloc(0)), []).frames.length, 1, "the smallest frame is one");
});

test("nothing is read after a broken frame", () => {
  const reader = createFrameReader(() => assert.fail("a frame"));
  assert.equal(reader.push(Buffer.alloc(16)), false);
  assert.equal(reader.push(event("messageStart", {})), false);
});
