import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import type { Cookies } from "../context.ts";
import { findDevice, rememberDevice } from "./device.ts";

function browser(): Cookies & { jar: Map<string, string> } {
  const jar = new Map<string, string>();
  return {
    jar,
    get: (name) => jar.get(name),
    set: (name, value) => void jar.set(name, value),
    clear: (name) => void jar.delete(name),
  };
}

function signing(key = 1) {
  let nowMs = 1_000_000;
  return {
    clock: { wallMs: () => nowMs, elapsedMs: () => nowMs },
    randomBytes,
    secretKey: () => Buffer.alloc(32, key),
    add(ms: number) {
      nowMs += ms;
    },
  };
}

test("a device is known by the address it signed in as, keeps its id, and is forgotten in time", () => {
  const own = signing();
  const cookies = browser();
  assert.equal(findDevice(own, cookies, "ana@example.com"), undefined);
  rememberDevice(own, cookies, "ana@example.com");
  const id = findDevice(own, cookies, "ana@example.com");
  assert.match(id ?? "", /^[\w-]{22}$/);
  assert.equal(findDevice(own, cookies, "bob@example.com"), undefined);
  assert.equal(findDevice(signing(2), cookies, "ana@example.com"), undefined, "of another installation");
  own.add(179 * 86_400_000);
  rememberDevice(own, cookies, "ana@example.com");
  assert.equal(findDevice(own, cookies, "ana@example.com"), id);
  own.add(181 * 86_400_000);
  assert.equal(findDevice(own, cookies, "ana@example.com"), undefined);
});

test("no part of the cookie can be changed", () => {
  const own = signing();
  const cookies = browser();
  rememberDevice(own, cookies, "ana@example.com");
  const good = cookies.jar.get("plaza_device") ?? "";
  // The last base64url character has unused bits.
  for (let place = 0; place < good.length - 1; place += 1) {
    const other = good[place] === "a" ? "b" : "a";
    cookies.jar.set("plaza_device", good.slice(0, place) + other + good.slice(place + 1));
    assert.equal(findDevice(own, cookies, "ana@example.com"), undefined, `character ${place}`);
  }
  for (const text of [
    "",
    ".",
    "..",
    good.slice(1),
    `${good}a`,
    good.replaceAll(".", "-"),
    "x".repeat(4_000),
  ]) {
    cookies.jar.set("plaza_device", text);
    assert.equal(findDevice(own, cookies, "ana@example.com"), undefined, text.slice(0, 80));
  }
});
