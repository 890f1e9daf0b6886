/** Keys are read as shortcuts only where they are meant so; the menu's letters are distinct. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { navGroups } from "./menu-entries.ts";
import { isPaletteKey } from "./palette-key.ts";
import type { Session } from "./session.ts";
import { goWaitMs, nothingPending, type Pressed, readKey } from "./shortcuts.ts";

const pressed = (key: string, more: Partial<Pressed> = {}): Pressed => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isComposing: false,
  repeat: false,
  ...more,
});

function act(...keys: readonly (string | [string, number])[]) {
  let state = { pending: nothingPending, act: null } as ReturnType<typeof readKey>;
  let nowMs = 0;
  for (const one of keys) {
    const [key, afterMs] = typeof one === "string" ? [one, 10] : one;
    nowMs += afterMs;
    state = readKey(state.pending, pressed(key), nowMs);
  }
  return state.act;
}

test("one key acts, two go somewhere", () => {
  assert.deepEqual(act("?"), { kind: "help" });
  assert.deepEqual(act("/"), { kind: "search" });
  assert.deepEqual(act("n"), { kind: "new" });
  assert.deepEqual(act("g", "k"), { kind: "go", letter: "k" });
  // After `g` a letter is nothing but a place to go to.
  assert.deepEqual(act("g", "n"), { kind: "go", letter: "n" });
  assert.equal(act("g"), null);
  assert.equal(act("x"), null);
  assert.equal(act("constructor"), null);
});

test("g waits for its letter, not for ever, and shift is no letter", () => {
  assert.deepEqual(act("g", ["k", goWaitMs]), { kind: "go", letter: "k" });
  assert.equal(act("g", ["k", goWaitMs + 1]), null);
  assert.deepEqual(act("g", ["n", goWaitMs + 1]), { kind: "new" });
  assert.deepEqual(act("Shift", "?"), { kind: "help" });
  assert.deepEqual(act("g", "Shift", "K"), { kind: "go", letter: "k" });
  assert.equal(act("g", "Escape", "k"), null);
});

test("with a modifier, repeated or composed a key is not ours", () => {
  for (const more of [
    { ctrlKey: true },
    { metaKey: true },
    { altKey: true },
    { repeat: true },
    { isComposing: true },
  ])
    assert.equal(readKey(nothingPending, pressed("?", more), 0).act, null);
});

test("the palette opens with one of two modifiers", () => {
  assert.ok(isPaletteKey(pressed("k", { ctrlKey: true })));
  assert.ok(isPaletteKey(pressed("K", { metaKey: true })));
  assert.ok(!isPaletteKey(pressed("k")));
  assert.ok(!isPaletteKey(pressed("k", { ctrlKey: true, altKey: true })));
  assert.ok(!isPaletteKey(pressed("k", { ctrlKey: true, isComposing: true })));
});

test("each letter after g leads to one page", () => {
  const session = { user: { isOperator: true }, account: { id: "acc_1" } } as unknown as Session;
  const letters = navGroups(session).flatMap(({ entries }) => entries.flatMap(({ letter }) => letter ?? []));
  assert.ok(letters.length > 15);
  assert.equal(new Set(letters).size, letters.length, letters.join(""));
});
