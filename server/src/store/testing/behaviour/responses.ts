/** What every store must do with responses kept for the next turn. A part of `behaviour.ts`. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { NewStoredResponse, ResponseChain } from "../../responses/shapes.ts";
import type { NewFixture } from "../fixture.ts";

const hour = 60 * 60 * 1000;

function response(id: string, more: Partial<NewStoredResponse> = {}): NewStoredResponse {
  const createdAt = more.createdAt ?? Date.now();
  return {
    accountId: "acc_1",
    id,
    parentId: undefined,
    modelId: "m",
    deployment: "u/m",
    itemIds: [`msg_${id}`],
    payload: `payload of ${id} ü 𝔾 \u0000`,
    createdAt,
    keptMs: hour,
    ...more,
  };
}

const payloadsIn = (chain: ResponseChain) =>
  chain.kind === "found" && chain.responses.map(({ payload }) => payload.split(" ")[2]);

function reading(newFixture: NewFixture): void {
  test("a stored response is read at another process, by its own account only", async (context) => {
    const { store, reopen } = await newFixture(context);
    const other = await reopen();
    const kept = response("resp_a");
    await store.storeResponse(kept);
    const { modelId, deployment, payload, createdAt } = kept;
    assert.deepEqual(await other.findResponse("acc_1", "resp_a"), {
      modelId,
      deployment,
      payload,
      createdAt,
      expiresAt: createdAt + hour,
    });
    assert.equal(await other.findResponse("acc_2", "resp_a"), undefined);
    assert.equal(await other.findResponse("acc_1", "resp_b"), undefined);
    assert.deepEqual(await other.findResponseChain("acc_2", "resp_a"), { kind: "missing" });
    assert.deepEqual(await other.findResponsesOfItems("acc_2", ["msg_resp_a"]), []);
    assert.equal(await other.deleteResponse("acc_2", "resp_a"), false);
    assert.notEqual(await store.findResponse("acc_1", "resp_a"), undefined);
  });

  test("two accounts may have a response with the same id", async (context) => {
    const { store } = await newFixture(context);
    await store.storeResponse(response("resp_a"));
    await store.storeResponse(response("resp_a", { accountId: "acc_2", payload: "theirs" }));
    assert.equal((await store.findResponse("acc_2", "resp_a"))?.payload, "theirs");
    assert.equal(await store.deleteResponse("acc_2", "resp_a"), true);
    assert.notEqual(await store.findResponse("acc_1", "resp_a"), undefined);
  });

  test("a chain of stored responses comes oldest first, and misses what was deleted", async (context) => {
    const { store } = await newFixture(context);
    await store.storeResponse(response("a"));
    await store.storeResponse(response("b", { parentId: "a" }));
    await store.storeResponse(response("c", { parentId: "b" }));
    await store.storeResponse(response("c2", { parentId: "b" }));
    assert.deepEqual(payloadsIn(await store.findResponseChain("acc_1", "c")), ["a", "b", "c"]);
    assert.deepEqual(payloadsIn(await store.findResponseChain("acc_1", "c2")), ["a", "b", "c2"]);
    assert.equal(await store.deleteResponse("acc_1", "b"), true);
    assert.equal(await store.deleteResponse("acc_1", "b"), false);
    assert.deepEqual(await store.findResponseChain("acc_1", "c"), { kind: "missing" });
    assert.notEqual(await store.findResponse("acc_1", "c"), undefined);
    // One that continues itself has no end.
    await store.storeResponse(response("loop", { parentId: "loop" }));
    assert.deepEqual(await store.findResponseChain("acc_1", "loop"), { kind: "too_long" });
  });

  test("stored responses are found by their items until they are deleted or replaced", async (context) => {
    const { store } = await newFixture(context);
    await store.storeResponse(response("a", { itemIds: ["rs_1", "msg_1", "msg_1"] }));
    await store.storeResponse(response("b", { itemIds: ["msg_2"] }));
    const found = await store.findResponsesOfItems("acc_1", ["msg_2", "msg_1", "msg_3"]);
    assert.deepEqual(
      found.map(({ itemId, response: of }) => `${itemId} ${of.payload.split(" ")[2]}`).sort(),
      ["msg_1 a", "msg_2 b"],
    );
    await store.storeResponse(response("a", { itemIds: ["msg_4"] }));
    await store.deleteResponse("acc_1", "b");
    assert.deepEqual(await store.findResponsesOfItems("acc_1", ["msg_1", "msg_2"]), []);
    assert.equal((await store.findResponsesOfItems("acc_1", ["msg_4"])).length, 1);
    assert.deepEqual(await store.findResponsesOfItems("acc_1", []), []);
  });

  test("a stored response sealed with another key is as if it were not there", async (context) => {
    const { reopen } = await newFixture(context);
    const [old, fresh] = [randomBytes(32), randomBytes(32)];
    const before = await reopen(old);
    await before.storeResponse(response("a"));
    const between = await reopen(Buffer.concat([fresh, old]));
    assert.notEqual(await between.findResponse("acc_1", "a"), undefined);
    const after = await reopen(fresh);
    assert.equal(await after.findResponse("acc_1", "a"), undefined);
    assert.deepEqual(await after.findResponseChain("acc_1", "a"), { kind: "missing" });
    assert.deepEqual(await after.findResponsesOfItems("acc_1", ["msg_a"]), []);
  });
}

/** What goes without being deleted one by one. */
function retention(newFixture: NewFixture): void {
  test("a stored response that has expired is not found, and goes with a heartbeat", async (context) => {
    const { store } = await newFixture(context);
    await store.storeResponse(response("old", { createdAt: Date.now() - 2 * hour }));
    await store.storeResponse(response("new", { parentId: "old" }));
    assert.equal(await store.findResponse("acc_1", "old"), undefined);
    assert.deepEqual(await store.findResponseChain("acc_1", "new"), { kind: "missing" });
    assert.deepEqual(await store.findResponsesOfItems("acc_1", ["msg_old"]), []);
    await store.openHolder("h1");
    await store.heartbeat("h1");
    assert.equal(await store.deleteResponse("acc_1", "old"), false);
    assert.notEqual(await store.findResponse("acc_1", "new"), undefined);
  });

  test("an account that is to keep none loses what it stored, and no other account", async (context) => {
    const { store } = await newFixture(context);
    for (const accountId of ["acc_1", "acc_2", "acc_3"]) {
      await store.createAccount({ id: accountId, name: accountId, balance: nanoUsd(0n) });
      await store.storeResponse(response("a", { accountId, itemIds: ["msg_1"] }));
    }
    await store.setResponsesKept("acc_1", hour);
    assert.notEqual(await store.findResponse("acc_1", "a"), undefined);
    await store.setResponsesKept("acc_1", 0);
    assert.equal((await store.changeAccount("acc_2", 0, { responsesKeptMs: 0 })).kind, "done");
    for (const accountId of ["acc_1", "acc_2"]) {
      assert.equal(await store.findResponse(accountId, "a"), undefined);
      assert.deepEqual(await store.findResponsesOfItems(accountId, ["msg_1"]), []);
      assert.equal((await store.findConsoleAccount(accountId))?.responsesKeptMs, 0);
    }
    assert.equal((await store.findResponsesOfItems("acc_3", ["msg_1"])).length, 1);
    await assert.rejects(store.changeAccount("acc_1", 2, { responsesKeptMs: -1 }), { code: "invalid" });
  });

  test("what is kept, and how long, is by the account's setting when it is stored", async (context) => {
    const { store } = await newFixture(context);
    await store.createAccount({ id: "acc_1", name: "one", balance: nanoUsd(0n) });
    const expiryOf = async (id: string): Promise<number | undefined> =>
      (await store.findResponse("acc_1", id))?.expiresAt;
    const createdAt = Date.now();
    for (const [setting, keptMs, expected] of [
      [null, hour, hour],
      [null, 0, undefined],
      [2 * hour, hour, 2 * hour],
      [2 * hour, 0, 2 * hour],
      [0, hour, undefined],
    ] as const) {
      await store.setResponsesKept("acc_1", setting);
      await store.storeResponse(response("a", { createdAt, keptMs, itemIds: ["msg_1"] }));
      const what = JSON.stringify([setting, keptMs]);
      assert.equal(await expiryOf("a"), expected && createdAt + expected, what);
      const isThere = (await store.findResponsesOfItems("acc_1", ["msg_1"])).length === 1;
      assert.equal(isThere, expected !== undefined, what);
    }
  });

  test("an account that stores too many responses keeps the newest 256 MiB", async (context) => {
    const { store } = await newFixture(context);
    await store.storeResponse(response("theirs", { accountId: "acc_2", createdAt: Date.now() - 1_000 }));
    // Sealed it is a third longer.
    const payload = "x".repeat(80 * 1024 * 1024);
    const start = Date.now();
    for (const number of [0, 1, 2])
      await store.storeResponse(response(`r${number}`, { payload, createdAt: start + number }));
    assert.equal(await store.findResponse("acc_1", "r0"), undefined);
    // To read them all would take longer than the rest.
    for (const kept of ["r1", "r2"]) assert.equal(await store.deleteResponse("acc_1", kept), true, kept);
    assert.notEqual(await store.findResponse("acc_2", "theirs"), undefined);
  });
}

export function responsesBehaviour(newFixture: NewFixture): void {
  reading(newFixture);
  retention(newFixture);
}
