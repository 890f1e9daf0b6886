/** Token counts of files by their providers' rules, from their first bytes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { imageSize, mediaTokens } from "./media-tokens.ts";

function png(width: number, height: number): Buffer {
  const head = Buffer.from("\u0089PNG\r\n\u001a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\0", "latin1");
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return head;
}

test("images by their size", () => {
  const tokens = (provider: string, width: number, height: number, detail?: string): number =>
    mediaTokens(provider, { mediaType: "image/png", head: png(width, height), bytes: 1_000_000, detail });
  assert.equal(tokens("openai", 1_024, 1_024), 765);
  assert.equal(tokens("openai", 2_048, 4_096), 1_105);
  assert.equal(tokens("openai", 4_096, 4_096, "low"), 85);
  assert.equal(tokens("anthropic", 1_000, 1_000), 1_334);
  assert.equal(tokens("anthropic", 8_000, 8_000), 1_600);
  assert.equal(tokens("google", 300, 300), 258);
  assert.equal(tokens("google", 1_000, 1_000), 1_032);
  assert.equal(mediaTokens("openai", { mediaType: "image/", head: Buffer.alloc(0), bytes: 0 }), 765);
});

test("sizes of every kind of image, and none where the bytes do not say it", () => {
  const gif = Buffer.from("GIF89a\u0040\u0001\u00f0\0", "latin1");
  const jpeg = Buffer.from("ffd8ffe000040000ffc000110801e0028003", "hex");
  const lossy = Buffer.concat([Buffer.from("RIFF....WEBPVP8 ....", "latin1"), Buffer.alloc(10)]);
  lossy.writeUInt16LE(400, 26);
  lossy.writeUInt16LE(300, 28);
  const extended = Buffer.concat([Buffer.from("RIFF....WEBPVP8X", "latin1"), Buffer.alloc(14)]);
  extended.writeUIntLE(1_919, 24, 3);
  extended.writeUIntLE(1_079, 27, 3);
  assert.deepEqual(imageSize(gif), [320, 240]);
  assert.deepEqual(imageSize(jpeg), [640, 480]);
  assert.deepEqual(imageSize(lossy), [400, 300]);
  assert.deepEqual(imageSize(extended), [1_920, 1_080]);
  for (const bytes of [
    "",
    "\u0089PNG",
    "GIF8",
    "RIFF",
    "\u00ff\u00d8",
    "\u00ff\u00d8\u00ff\u00e0\0\0",
    "hello",
  ]) {
    assert.equal(imageSize(Buffer.from(bytes, "latin1")), undefined, bytes);
  }
  assert.equal(imageSize(Buffer.from("ffd8".padEnd(2_000, "ff00"), "hex")), undefined);
});

test("sounds by their length, documents by their pages, texts by their bytes", () => {
  const wave = Buffer.alloc(44);
  wave.write("RIFF");
  wave.writeUInt32LE(32_000, 28);
  const sound = { mediaType: "audio/wav", head: wave, bytes: 320_000 };
  assert.equal(mediaTokens("openai", sound), 100);
  assert.equal(mediaTokens("google", sound), 320);
  const nothing = Buffer.alloc(0);
  assert.equal(mediaTokens("openai", { mediaType: "audio/mp3", head: nothing, bytes: 160_000 }), 100);
  assert.equal(mediaTokens("google", { mediaType: "application/pdf", head: nothing, bytes: 100_000 }), 516);
  assert.equal(mediaTokens("openai", { mediaType: "text/plain", head: nothing, bytes: 4_000 }), 1_000);
});
