/** The container of backups: every byte of it is checked, with and without a passphrase. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import { BackupError } from "../error.ts";
import { checkBytes, newDerivation } from "./chunks.ts";
import { readContainer } from "./read.ts";
import { beginContainer, chunkBytesMax } from "./write.ts";

const passphrase = "correct horse battery staple";
/** As weak as scrypt allows: a real one takes half a second. */
const weak = () => ({ ...newDerivation(), n: 2 });

async function written(content: Buffer, key?: string, pieceBytes = 100_000): Promise<Buffer> {
  const parts: Buffer[] = [];
  const out = async (bytes: Buffer) => void parts.push(bytes);
  const writer = await beginContainer(out, key, weak());
  for (let at = 0; at < content.length; at += pieceBytes)
    await writer.write(content.subarray(at, at + pieceBytes));
  await writer.end();
  return Buffer.concat(parts);
}

async function* pieces(file: Buffer, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < file.length; at += bytes) yield file.subarray(at, at + bytes);
}

async function read(file: Buffer, key?: string, pieceBytes = 65_536): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of readContainer(pieces(file, pieceBytes), key)) parts.push(part);
  return Buffer.concat(parts);
}

async function assertRefused(file: Buffer, key: string | undefined, what: string): Promise<void> {
  await assert.rejects(
    read(file, key),
    (error) => error instanceof BackupError && error.code !== "disk_full",
    what,
  );
}

/** Where the first chunk begins. */
const headerBytes = (file: Buffer): number => file.indexOf("\n", file.indexOf("\n") + 1) + 1;

for (const key of [undefined, passphrase]) {
  describe(key === undefined ? "without a passphrase" : "with a passphrase", () => {
    test("contents of any size come back, in pieces of any size", async () => {
      for (const size of [0, 1, chunkBytesMax - 1, chunkBytesMax, chunkBytesMax + 1, 3 * chunkBytesMax + 7]) {
        const content = randomBytes(size);
        const file = await written(content, key);
        for (const pieceBytes of [1_000_003, 999])
          assert.ok((await read(file, key, pieceBytes)).equals(content), `${size} by ${pieceBytes}`);
      }
      const small = randomBytes(50);
      assert.ok((await read(await written(small, key, 1), key, 1)).equals(small));
    });

    test("a changed bit of any byte is found", async () => {
      const file = await written(randomBytes(40), key);
      for (let at = 0; at < file.length; at += 1) {
        const changed = Buffer.from(file);
        changed.writeUInt8(changed.readUInt8(at) ^ (1 << (at % 8)), at);
        await assertRefused(changed, key, `byte ${at}`);
      }
    });

    test("a file cut anywhere, and one with something behind its end, is found", async () => {
      const file = await written(randomBytes(40), key);
      for (let length = 0; length < file.length; length += 1)
        await assertRefused(file.subarray(0, length), key, `cut to ${length}`);
      await assertRefused(Buffer.concat([file, Buffer.from("x")]), key, "a byte more");
    });

    test("chunks that are exchanged, left out or repeated are found, and so is an early end", async () => {
      const file = await written(randomBytes(2 * chunkBytesMax + 100), key);
      const start = headerBytes(file);
      const whole = 4 + chunkBytesMax + checkBytes;
      const header = file.subarray(0, start);
      const [first, second] = [start, start + whole].map((at) => file.subarray(at, at + whole)) as [
        Buffer,
        Buffer,
      ];
      const last = file.subarray(start + 2 * whole);
      assert.ok((await read(Buffer.concat([header, first, second, last]), key)).length > 0);
      const wrong: readonly (readonly Buffer[])[] = [
        [second, first, last],
        [first, last],
        [first, first, second, last],
        [first, second],
      ];
      for (const [index, chunks] of wrong.entries())
        await assertRefused(Buffer.concat([header, ...chunks]), key, `order ${index}`);
      const marked = Buffer.from(second);
      marked.writeUInt32BE(chunkBytesMax + 2 ** 31);
      await assertRefused(Buffer.concat([header, first, marked]), key, "an earlier chunk as the last one");
    });
  });
}

test("an encrypted file needs its passphrase, says so, and shows nothing of its content", async () => {
  const content = Buffer.from("the balance is 5 USD ".repeat(50));
  const file = await written(content, passphrase);
  assert.ok(!file.includes("balance"));
  const code = (wanted: string) => (error: BackupError) => error.code === wanted;
  await assert.rejects(read(file), code("encrypted"));
  await assert.rejects(read(file, "another passphrase"), code("encrypted"));
  const other = await written(content, passphrase);
  assert.ok(!other.equals(file), "the same content is encrypted differently each time");
});

test("a header that asks for too much memory, and a newer format, are refused at once", async () => {
  const header = (encryption: unknown, version = 1) =>
    Buffer.from(`plaza-backup ${version}\n${JSON.stringify({ encryption })}\n`);
  const greedy = { ...weak(), n: 2 ** 30 };
  await assert.rejects(read(header(greedy), passphrase), /header cannot be read/);
  await assert.rejects(
    read(header(null, 2), passphrase),
    (error: BackupError) => error.code === "newer_backup" && /format 2/.test(error.message),
  );
});
