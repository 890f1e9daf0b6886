import assert from "node:assert/strict";
import { test } from "node:test";
import { constants, gzipSync, zstdCompressSync } from "node:zlib";
import { GatewayError } from "@plaza/contract/errors.ts";
import { BodyDecoder, type Coding, readCoding } from "./body-coding.ts";

const text = Buffer.from(
  JSON.stringify({ model: "m", messages: [{ role: "user", content: "Grüße, 世界! ".repeat(2_000) }] }),
);
const compress: Readonly<Record<Coding, (bytes: Buffer) => Buffer>> = {
  gzip: gzipSync,
  zstd: zstdCompressSync,
};
const both: readonly Coding[] = ["gzip", "zstd"];

interface Outcome {
  readonly bytes: Buffer;
  readonly error: unknown;
  readonly room: number;
}

/** Writes the pieces one by one, as the body reader does. `roomMax`: bytes the sink accepts. */
function decode(
  coding: Coding,
  pieces: readonly Buffer[],
  roomMax = Number.POSITIVE_INFINITY,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const taken: Buffer[] = [];
    let room = 0;
    const over = (error: unknown): void => resolve({ bytes: Buffer.concat(taken), error, room });
    const decoder = new BodyDecoder(coding, {
      makeRoom(bytes) {
        room += bytes;
        if (room > roomMax) throw new GatewayError("overloaded");
      },
      take: (piece) => void taken.push(piece),
      finish: () => over(undefined),
      fail: over,
    });
    const write = (index: number): void => {
      const piece = pieces[index];
      if (piece === undefined) decoder.end();
      else decoder.write(piece, () => write(index + 1));
    };
    write(0);
  });
}

function cut(bytes: Buffer, ...places: readonly number[]): Buffer[] {
  const ends = [0, ...places, bytes.length];
  return ends.slice(1).map((end, index) => bytes.subarray(ends[index], end));
}

async function refusal(coding: Coding, pieces: readonly Buffer[], roomMax?: number): Promise<GatewayError> {
  const { error } = await decode(coding, pieces, roomMax);
  assert.ok(error instanceof GatewayError, `not refused: ${error}`);
  return error;
}

for (const coding of both) {
  const packed = compress[coding](text);

  test(`${coding}: whole, byte by byte, and cut anywhere`, async () => {
    const everywhere = Array.from({ length: packed.length - 1 }, (_, index) => index + 1);
    for (const places of [[], everywhere, [1], [10, 11], [packed.length - 1]]) {
      const { bytes, error } = await decode(coding, cut(packed, ...places));
      assert.equal(error, undefined);
      assert.ok(bytes.equals(text));
    }
  });

  test(`${coding}: several one after another are one body, however they are cut`, async () => {
    const three = Buffer.concat([packed, compress[coding](Buffer.alloc(0)), packed]);
    for (const places of [[], [packed.length], [packed.length - 3], [packed.length + 3]]) {
      const { bytes, error } = await decode(coding, cut(three, ...places));
      assert.equal(error, undefined, String(places));
      assert.ok(bytes.equals(Buffer.concat([text, text])));
    }
  });

  test(`${coding}: what is cut short, or has something behind it, is refused by what is wrong`, async () => {
    for (const length of [1, 5, packed.length >> 1, packed.length - 1]) {
      assert.match((await refusal(coding, [packed.subarray(0, length)])).message, /incomplete/);
    }
    for (const behind of [Buffer.alloc(9), Buffer.from("x"), Buffer.from("{}"), text]) {
      for (const pieces of [[Buffer.concat([packed, behind])], [packed, behind]]) {
        const { code, message } = await refusal(coding, pieces);
        assert.equal(code, "invalid_request", message);
      }
    }
    assert.match(
      (await refusal(coding, [text])).message,
      new RegExp(`not valid ${coding}: decompression failed`),
    );
  });

  test(`${coding}: a bomb is refused long before it is unpacked`, async () => {
    const bomb = compress[coding](Buffer.alloc(300 * 1024 * 1024));
    const { bytes, error } = await decode(coding, [bomb]);
    assert.ok(error instanceof GatewayError && error.code === "request_too_large", String(error));
    assert.match(error.message, /more than 200 times/);
    assert.ok(
      bytes.length <= Math.max(bomb.length * 200, 1024 * 1024) + 64 * 1024,
      `${bytes.length} came out`,
    );
  });

  test(`${coding}: what repeats itself without end is no bomb while it is small`, async () => {
    const { bytes, error } = await decode(coding, [compress[coding](Buffer.alloc(1024 * 1024, "word "))]);
    assert.equal(error, undefined);
    assert.equal(bytes.length, 1024 * 1024);
  });

  test(`${coding}: without room for what comes out, or for a decoder, it is refused as the sink says`, async () => {
    const roomMax = (coding === "gzip" ? 128 : 512) * 1024 + 1024;
    assert.equal((await refusal(coding, [packed], roomMax)).code, "overloaded");
    await assert.rejects(decode(coding, [packed], 1024), { code: "overloaded" });
  });

  test(`${coding}: dropped in the middle, nothing more is said`, async () => {
    const said: string[] = [];
    const decoder = new BodyDecoder(coding, {
      makeRoom: () => {},
      take: () => void said.push("take"),
      finish: () => void said.push("finish"),
      fail: () => void said.push("fail"),
    });
    decoder.write(packed, () => void said.push("then"));
    decoder.drop();
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(said, []);
  });
}

test("zstd: a frame that wants a window of more than 8 MiB is refused, and so are more frames than anybody writes", async () => {
  const params = { [constants.ZSTD_c_windowLog]: 24, [constants.ZSTD_c_contentSizeFlag]: 0 };
  const wide = zstdCompressSync(Buffer.alloc(32 * 1024 * 1024, text), { params });
  assert.match((await refusal("zstd", [wide])).message, /window larger than 8 MiB/);
  const frame = zstdCompressSync(Buffer.alloc(0));
  assert.match((await refusal("zstd", [Buffer.concat(Array(100).fill(frame))])).message, /after its end/);
});

test("Content-Encoding: what is read, and what is refused with what would be accepted", () => {
  const rows: readonly (readonly [header: string | undefined, coding: Coding | undefined])[] = [
    [undefined, undefined],
    ["", undefined],
    ["identity", undefined],
    ["gzip", "gzip"],
    ["GZip", "gzip"],
    ["x-gzip", "gzip"],
    [" identity, zstd ", "zstd"],
  ];
  for (const [header, coding] of rows) assert.equal(readCoding(header, true), coding, header);
  for (const header of ["br", "deflate", "compress", "gzip, gzip", "gzip, zstd", "constructor", "gzip;q=1"]) {
    assert.throws(() => readCoding(header, true), /with gzip or zstd/, header);
  }
  assert.equal(readCoding("identity", false), undefined);
  assert.throws(() => readCoding("gzip", false), /does not accept compressed bodies/);
});
