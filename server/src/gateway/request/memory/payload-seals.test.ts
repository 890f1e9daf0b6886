/**
 * Sealed payloads of opaque reasoning: bound to one account, encrypted with the installation's keys, readable
 * with its former keys.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createPayloadSeals } from "./payload-seals.ts";

const key = (fill: number): Buffer => Buffer.alloc(32, fill);
let nowMs = 0;
const clock = { elapsedMs: () => nowMs };

test("a payload opens for the account it was sealed for, and says nothing to others", () => {
  const seals = createPayloadSeals(clock, () => key(1));
  const sealed = seals.of("acct_a").seal('{"thought":"secret"}');
  assert.match(sealed, /^[\x21-\x7e]+$/);
  assert.ok(!Buffer.from(sealed.split(".").at(-1) ?? "", "base64url").includes("secret"));
  assert.equal(seals.of("acct_a").open(sealed), '{"thought":"secret"}');
  assert.equal(seals.of("acct_b").open(sealed), undefined);
  assert.equal(
    createPayloadSeals(clock, () => key(2))
      .of("acct_a")
      .open(sealed),
    undefined,
  );
  for (const spoilt of ["", "x", "v1..", sealed.slice(0, -4), `${sealed}AAAA`, sealed.replace("v1", "v2")])
    assert.equal(seals.of("acct_a").open(spoilt), undefined, spoilt);
});

test("exchanged keys are seen within a minute, and open what older ones sealed", () => {
  let keys = key(1);
  let reads = 0;
  const seals = createPayloadSeals(clock, () => {
    reads += 1;
    return keys;
  });
  const before = seals.of("a").seal("x");
  keys = Buffer.concat([key(2), key(1)]);
  nowMs += 60_001;
  const after = seals.of("a").seal("x");
  assert.notEqual(before.split(".")[1], after.split(".")[1]);
  assert.equal(seals.of("a").open(before), "x");
  assert.equal(reads, 2);
});
