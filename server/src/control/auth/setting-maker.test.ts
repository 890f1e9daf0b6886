import assert from "node:assert/strict";
import { test } from "node:test";
import { isOfCurrentSetting, makerOfSetting } from "./setting-maker.ts";

const value = "operator-token-0123456789";

/** Creators by what they created, as the store has them. */
function rig(makers: Record<string, string>) {
  const bound: [string, string][] = [];
  const store = {
    async findFirstMaker(id: string): Promise<string> {
      let maker = id;
      while (makers[maker] !== undefined) maker = makers[maker] as string;
      return maker;
    },
    async bindMadeBy(maker: string, newMaker: string) {
      bound.push([maker, newMaker]);
      for (const [id, by] of Object.entries(makers)) if (by === maker) makers[id] = newMaker;
    },
  };
  const isGood = (createdBy: string | null, operatorToken: string | undefined = value) =>
    isOfCurrentSetting({ store, config: { operatorToken } }, createdBy);
  return { isGood, bound, makers };
}

const rigStore = (makers: Record<string, string>) => ({
  store: {
    findFirstMaker: async (id: string) => makers[id] ?? id,
    bindMadeBy: async () => {},
  },
});

test("the fingerprint says nothing of the value, and is the value's alone", async () => {
  const one = await makerOfSetting(value);
  assert.match(one, /^settings:[0-9a-f]{32}$/);
  assert.equal(await makerOfSetting(`${value}x`).then((other) => other === one), false);
  assert.equal(await makerOfSetting(value), one);
});

test("what users made is no matter of the setting's; what its token made is, through all its children", async () => {
  const current = await makerOfSetting(value);
  const { isGood, bound } = rig({ otk_1: current, otk_2: "otk_1", otk_3: "usr_1", otk_4: "settings:old" });
  for (const maker of [null, "usr_1", "otk_3", "otk_1", "otk_2", current])
    assert.equal(await isGood(maker), true, String(maker));
  for (const maker of ["otk_1", "otk_2", current]) {
    assert.equal(await isGood(maker, "another-value-0123456789"), false, maker);
  }
  for (const maker of ["otk_4", "settings:old"]) assert.equal(await isGood(maker), false, maker);
  assert.equal(await isOfCurrentSetting({ ...rigStore({ otk_1: current }), config: {} }, "otk_1"), false);
  assert.deepEqual(bound, []);
});

test("what was made before there were fingerprints is bound to the value that is met first", async () => {
  const { isGood, makers, bound } = rig({ otk_1: "settings", otk_2: "otk_1" });
  assert.equal(await isGood("otk_2"), true);
  assert.equal(makers["otk_1"], await makerOfSetting(value));
  assert.equal(bound.length, 1);
  assert.equal(await isGood("otk_2", "another-value-0123456789"), false);
  assert.equal(await isGood("otk_1"), true);
  const legacy: Record<string, string> = { otk_1: "settings" };
  const without = {
    findFirstMaker: async (id: string) => legacy[id] ?? id,
    async bindMadeBy(_: string, maker: string) {
      legacy["otk_1"] = maker;
    },
  };
  assert.equal(await isOfCurrentSetting({ store: without, config: {} }, "otk_1"), false, "no value is set");
  const config = { operatorToken: value };
  assert.equal(await isOfCurrentSetting({ store: without, config }, "otk_1"), false, "nor later");
});
