import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createRedemptionCode, digestRedemptionCode, readRedemptionCode } from "./redemption-code.ts";

const zeros = createRedemptionCode((count) => Buffer.alloc(count));

test("a code has 16 random letters in groups, a checksum, and an end to show", () => {
  const { text, visibleEnd } = createRedemptionCode(randomBytes);
  assert.match(text, /^plaza(?:-[0-9A-HJKMNP-TV-Z]{4}){4}-[0-9A-HJKMNP-TV-Z]{2}$/);
  assert.equal(visibleEnd, text.slice(-7, -3));
  assert.equal(zeros.text.slice(0, 25), "plaza-0000-0000-0000-0000");
  assert.equal(
    createRedemptionCode((count) => Buffer.alloc(count, 255)).text.slice(0, 25),
    "plaza-ZZZZ-ZZZZ-ZZZZ-ZZZZ",
  );
});

test("a code is read however people write it", () => {
  const { text } = createRedemptionCode(randomBytes);
  const read = readRedemptionCode(text);
  assert.equal(read?.length, 16);
  for (const written of [
    text.toLowerCase(),
    text.toUpperCase(),
    text.slice("plaza-".length),
    text.replaceAll("-", ""),
    ` ${text.replaceAll("-", " - ")}\n`,
    text.replaceAll("-", "–"),
    text.replaceAll("0", "O").replaceAll("1", "l"),
    text.replaceAll("0", "o").replaceAll("1", "i"),
  ]) {
    assert.equal(readRedemptionCode(written), read, written);
  }
  assert.match(digestRedemptionCode(read ?? ""), /^[0-9a-f]{64}$/);
});

test("a letter wrong, missing or twice is noticed", () => {
  const { text } = createRedemptionCode(randomBytes);
  const body = text.slice("plaza-".length);
  let slips = 0;
  let noticed = 0;
  for (let place = 0; place < body.length; place += 1) {
    const letter = body.charAt(place);
    if (letter === "-") continue;
    for (const other of "0123456789ABCDEFGHJKMNPQRSTVWXYZ") {
      if (other === letter) continue;
      slips += 1;
      if (readRedemptionCode(`${body.slice(0, place)}${other}${body.slice(place + 1)}`) === undefined)
        noticed += 1;
    }
    assert.equal(readRedemptionCode(body.slice(0, place) + body.slice(place + 1)), undefined);
    assert.equal(readRedemptionCode(body.slice(0, place) + letter + body.slice(place)), undefined);
  }
  // The two checksum letters miss about one typing error in a thousand; such a code does not exist.
  assert.ok(noticed >= slips - 8, `${slips - noticed} of ${slips} slips were not noticed`);
});

test("what is no code is none", () => {
  const texts = ["", "plaza", "plaza-", "u".repeat(18), "0".repeat(10_000), "sk-plaza-1234", "🎁".repeat(18)];
  for (const text of texts) assert.equal(readRedemptionCode(text), undefined, text.slice(0, 40));
});
