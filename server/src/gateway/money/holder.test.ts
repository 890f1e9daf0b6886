/** One holder's life: what is lent to it may be used only while it is certainly alive. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Holder, type HolderOptions } from "./holder.ts";

/** A holder that lives 20 s after a heartbeat; the store does as the test says. */
function rig() {
  const did: string[] = [];
  const state = { nowMs: 0, isAlive: true, fails: false };
  const ask = async (what: string): Promise<void> => {
    did.push(what);
    if (state.fails) throw new Error("away");
  };
  const options = {
    store: {
      openHolder: (id: string) => ask(`open ${id}`),
      heartbeat: async (id: string) => {
        await ask(`beat ${id}`);
        return state.isAlive;
      },
      closeHolder: (id: string) => ask(`close ${id}`),
    },
    clock: { elapsedMs: () => state.nowMs, wallMs: () => 0 },
    log: { warn: (event: string) => void did.push(event) },
    newHolderId: () => `h${did.filter((one) => one.startsWith("open")).length + 1}`,
    holderLifeMs: 20_000,
  } as unknown as HolderOptions;
  return { holder: new Holder(options, () => did.push("new")), did, state };
}

test("a holder that was never registered is of no use, and there is nothing to close", async () => {
  const { holder, did } = rig();
  assert.deepEqual([holder.id, holder.isValid], ["", false]);
  await holder.close();
  assert.deepEqual(did, []);
});

test("a holder that could not be registered is not there", async () => {
  const { holder, did, state } = rig();
  state.fails = true;
  await assert.rejects(holder.open(), /away/);
  assert.deepEqual([holder.id, holder.isValid, did], ["", false, ["open h1"]]);
});

test("its last five seconds are not used, counted from when a heartbeat was sent", async () => {
  const { holder, state } = rig();
  await holder.open();
  state.nowMs = 14_999;
  assert.equal(holder.isValid, true);
  const beating = holder.beat();
  state.nowMs = 18_000;
  await beating;
  state.nowMs = 29_998;
  assert.equal(holder.isValid, true);
  state.nowMs = 29_999;
  assert.equal(holder.isValid, false);
});

test("a holder that the store has given up is followed by another, and nothing is used between", async () => {
  const { holder, did, state } = rig();
  await holder.open();
  state.isAlive = false;
  const beating = holder.beat();
  assert.equal(holder.beat(), beating, "one at a time");
  await beating;
  assert.deepEqual(did, ["open h1", "new", "beat h1", "leases_expired", "open h2", "new"]);
  assert.deepEqual([holder.id, holder.isValid], ["h2", true]);
});

test("when the store fails a heartbeat, what is lent serves on until its time; closed, it serves nothing", async () => {
  const { holder, did, state } = rig();
  await holder.open();
  state.fails = true;
  await assert.rejects(holder.beat(), /away/);
  assert.equal(holder.isValid, true);
  state.fails = false;
  await holder.beat();
  assert.deepEqual(did.slice(2), ["beat h1", "beat h1"]);
  await holder.close();
  assert.deepEqual([holder.isValid, did.at(-1)], [false, "close h1"]);
});
