import assert from "node:assert/strict";
import { test } from "node:test";
import { createIdFactory } from "./id.ts";

const clockAt = (wallMs: () => number) => ({ wallMs, elapsedMs: () => 0 });

test("an id is its prefix, ten letters of time and sixteen random ones", () => {
  const newId = createIdFactory(clockAt(() => 1_763_700_000_000));
  assert.match(newId("req"), /^req_[0-9a-hjkmnp-tv-z]{26}$/);
  assert.match(newId(), /^[0-9a-hjkmnp-tv-z]{26}$/);
  assert.equal(newId("a").slice(2, 12), newId("b").slice(2, 12));
});

test("the time part is the number of milliseconds in base32", () => {
  const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
  for (const ms of [0, 1, 1023, 1024, 2 ** 20 - 1, 2 ** 20, 1_763_700_000_001, 2 ** 48 - 1]) {
    const text = createIdFactory(clockAt(() => ms))().slice(0, 10);
    const value = [...text].reduce((sum, letter) => sum * 32 + alphabet.indexOf(letter), 0);
    assert.equal(value, ms);
  }
});

test("the random part is the pool's bytes in base32, every bit of them", () => {
  let next = 0;
  const newId = createIdFactory(
    clockAt(() => 0),
    (buffer) => {
      for (let index = 0; index < buffer.length; index++) buffer[index] = (next++ * 37) & 255;
    },
  );
  const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
  for (let id = 0; id < 1_000; id++) {
    const value = [...newId().slice(10)].reduce(
      (sum, letter) => sum * 32n + BigInt(alphabet.indexOf(letter)),
      0n,
    );
    const bytes = Array.from({ length: 10 }, (_, index) => ((id * 10 + index) * 37) & 255);
    assert.equal(value, BigInt(`0x${Buffer.from(bytes).toString("hex")}`));
  }
});

test("later ids sort after earlier ones", () => {
  let ms = 1_763_700_000_000;
  const newId = createIdFactory(clockAt(() => ms));
  const ids = Array.from({ length: 5_000 }, () => {
    ms += 1 + (ms % 7);
    return newId("req");
  });
  assert.deepEqual(ids.toSorted(), ids);
});

test("ids of one millisecond are all different", () => {
  const newId = createIdFactory(clockAt(() => 5));
  assert.equal(new Set(Array.from({ length: 20_000 }, () => newId("x"))).size, 20_000);
});
