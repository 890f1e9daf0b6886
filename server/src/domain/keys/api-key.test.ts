import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { checkApiKeyShape, createApiKey, digestApiKey, maskApiKey } from "./api-key.ts";

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

test("a key is sk-plaza-, 32 random and 6 check characters, and only its start is visible", () => {
  const { secret, visiblePrefix } = createApiKey(randomBytes);
  assert.match(secret, /^sk-plaza-[0-9A-Za-z]{38}$/);
  assert.equal(visiblePrefix, secret.slice(0, 13));
  assert.ok(checkApiKeyShape(secret));
});

test("the format is fixed: these two keys, computed with another program, stay valid", () => {
  const zeros = createApiKey((count) => Buffer.alloc(count, 0)).secret;
  assert.equal(zeros, "sk-plaza-000000000000000000000000000000000x1FAT");
  const last = createApiKey((count) => Buffer.alloc(count, 61)).secret;
  assert.equal(last, "sk-plaza-zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz1rSLot");
});

test("every single-character substitution is refused", () => {
  const letters = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).concat(
    "é",
    "\u{1f511}",
    "０",
  );
  for (let count = 0; count < 5; count += 1) {
    const { secret } = createApiKey(randomBytes);
    for (let at = 0; at < secret.length; at += 1) {
      for (const letter of letters) {
        if (letter === secret[at]) continue;
        const edited = secret.slice(0, at) + letter + secret.slice(at + 1);
        assert.equal(checkApiKeyShape(edited), false, JSON.stringify(edited));
      }
    }
  }
});

test("every insertion, deletion and swap of neighbours is refused", () => {
  for (let count = 0; count < 20; count += 1) {
    const { secret } = createApiKey(randomBytes);
    for (let at = 0; at < secret.length; at += 1) {
      assert.equal(checkApiKeyShape(secret.slice(0, at) + secret.slice(at + 1)), false);
      for (const letter of base62) {
        assert.equal(checkApiKeyShape(secret.slice(0, at) + letter + secret.slice(at)), false);
      }
      const swapped =
        secret.slice(0, at) +
        secret
          .slice(at, at + 2)
          .split("")
          .reverse()
          .join("") +
        secret.slice(at + 2);
      if (swapped !== secret) assert.equal(checkApiKeyShape(swapped), false, swapped);
    }
  }
});

test("texts that are no key at all", () => {
  for (const text of [
    "",
    "sk-plaza-",
    "sk-proj-abc",
    "x".repeat(47),
    "sk-plaza-".padEnd(47, "0"),
    "a".repeat(1e6),
  ]) {
    assert.equal(checkApiKeyShape(text), false);
  }
});

test("characters beyond base62 are refused even under a right checksum", () => {
  const checksum = (text: string): string => {
    let digits = "";
    for (let rest = crc32(text), place = 0; place < 6; place += 1, rest = Math.floor(rest / 62)) {
      digits = base62.charAt(rest % 62) + digits;
    }
    return digits;
  };
  for (const letter of ["a", "-", "!", "~", "\u0000", "é", "\uffff"]) {
    const checked = `sk-plaza-${letter.repeat(32)}`;
    assert.equal(checkApiKeyShape(checked + checksum(checked)), letter === "a", JSON.stringify(letter));
  }
});

test("random bytes that would favour some letters are thrown away", () => {
  const asked: number[] = [];
  let bytes = [255, 248, 247, 0];
  const { secret } = createApiKey((count) => {
    asked.push(count);
    const drawn = Buffer.alloc(count, 1);
    drawn.set(bytes.slice(0, count));
    bytes = [];
    return drawn;
  });
  assert.deepEqual(asked, [32, 2]);
  assert.equal(secret.slice(9, 41), `z0${"1".repeat(30)}`);
});

test("all 62 letters are equally likely", () => {
  const counts = new Map<string, number>();
  // Every byte value occurs equally often, so the counts must be exactly equal.
  let next = 0;
  const cycle = (count: number): Buffer => Buffer.from(Array.from({ length: count }, () => next++ % 256));
  for (let made = 0; made < 31; made += 1) {
    for (const letter of createApiKey(cycle).secret.slice(9, 41))
      counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  assert.equal(counts.size, 62);
  assert.deepEqual(new Set(counts.values()), new Set([16]));
});

test("the digest is SHA-256 in hex", () => {
  const expected = createHash("sha256").update("sk-plaza-x").digest("hex");
  assert.equal(digestApiKey("sk-plaza-x"), expected);
});

test("of a key its ends are shown, of a short or odd text nothing", () => {
  const { secret } = createApiKey(randomBytes);
  assert.equal(maskApiKey(secret), `sk-plaza-…${secret.slice(-4)}`);
  assert.equal(maskApiKey("AIzaSyA1234567890abcdefgh"), "AIz…efgh");
  for (const text of [
    "",
    "hunter2",
    "x".repeat(23),
    `${"x".repeat(40)}<b>`,
    `"a"${"x".repeat(40)}`,
    "🔑".repeat(40),
  ]) {
    assert.equal(maskApiKey(text), "***", text);
  }
});
