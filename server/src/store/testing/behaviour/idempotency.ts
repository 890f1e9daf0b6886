/** What every store must do with Idempotency-Keys. A part of `behaviour.ts`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { IdempotencyClaim, Settlement, StoredAnswer } from "../../requests/settlement-shapes.ts";
import type { Store } from "../../store.ts";
import type { NewFixture } from "../fixture.ts";
import { accountSubject, audit, chargedRow, funds, newAccount, priceOneNano, take } from "./money.ts";

const day = 24 * 60 * 60 * 1000;

interface Claim {
  readonly accountId: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly requestId: string;
  readonly holderId: string;
  readonly expiresAt: number;
}

const claim = (store: Store, number: number, changes: Partial<Claim> = {}): Promise<IdempotencyClaim> =>
  store.claimIdempotencyKey({
    accountId: "acc_1",
    key: "call-1",
    fingerprint: "body-1",
    requestId: chargedRow(number, "", 0n, 0).id,
    holderId: "h1",
    expiresAt: Date.now() + day,
    ...changes,
  });

const settled = (answer: StoredAnswer | undefined, key = "call-1"): Settlement => ({
  holderId: "h1",
  account: { fromLease: nanoUsd(0n), release: nanoUsd(0n) },
  idempotency: { key, answer },
});

/** Every byte value, including invalid UTF-8. */
const binary: StoredAnswer = {
  status: 200,
  headers: ["Content-Type", "text/event-stream", "x-note", 'ü "quoted"', "x-empty", ""],
  body: Uint8Array.from([...Array.from({ length: 256 }, (_, byte) => byte), 0xed, 0xa0, 0x80, 0, 0]),
};

function assertDone(met: IdempotencyClaim, requestId: string, answer: StoredAnswer): void {
  assert.equal(met.kind, "done");
  if (met.kind !== "done") return;
  assert.equal(met.requestId, requestId);
  assert.equal(met.answer.status, answer.status);
  assert.deepEqual(met.answer.headers, answer.headers);
  assert.ok(Buffer.from(answer.body).equals(Buffer.from(met.answer.body)), "the body's bytes");
}

function keeping(newFixture: NewFixture): void {
  test("a key is claimed once; repeated calls get the answer byte for byte and are charged once", async (context) => {
    const { store, reopen } = await newFixture(context);
    await newAccount(store, "acc_1", 100n);
    await newAccount(store, "acc_2", 100n);
    const priceId = await priceOneNano(store);
    await store.openHolder("h1");
    assert.deepEqual(await claim(store, 1), { kind: "claimed" });
    assert.deepEqual(await claim(store, 2), { kind: "in_flight" });
    assert.deepEqual(await claim(store, 2, { fingerprint: "body-2" }), { kind: "other_body" });
    assert.deepEqual(await claim(store, 3, { accountId: "acc_2", fingerprint: "x" }), { kind: "claimed" });
    assert.deepEqual(await claim(store, 4, { key: "call-2" }), { kind: "claimed" });

    const row = chargedRow(1, "acc_1", 30n, priceId);
    await store.recordRequest(row, settled(binary));
    const empty = { status: 204, headers: [], body: new Uint8Array(0) };
    await store.recordRequest(chargedRow(4, "acc_1", 0n, priceId), settled(empty, "call-2"));
    for (const opened of [store, await reopen()]) {
      assertDone(await claim(opened, 5), row.id, binary);
      assertDone(await claim(opened, 5, { key: "call-2" }), chargedRow(4, "", 0n, 0).id, empty);
      assert.deepEqual(await claim(opened, 5, { fingerprint: "body-2" }), { kind: "other_body" });
    }
    // Neither another request's settlement nor a repeated one overwrites it.
    await store.recordRequest(chargedRow(6, "acc_1", 0n, priceId), settled(empty));
    await store.recordRequest(row, settled(undefined));
    assertDone(await claim(store, 5), row.id, binary);
    assert.equal((await funds(store, "acc_1")).balance, 70n);
    await audit(store);
  });

  test("a request whose key another one got meanwhile is the operator's loss: one key, one payment", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 100n);
    const priceId = await priceOneNano(store);
    for (const holder of ["h1", "h2"]) await store.openHolder(holder);
    assert.equal((await take(store, "h1", accountSubject("acc_1"), 50n)).status, "granted");
    await claim(store, 1);
    // h1's process pauses so long that it is considered dead; its caller retries elsewhere.
    await store.dropIdempotencyClaim({
      accountId: "acc_1",
      key: "call-1",
      requestId: chargedRow(1, "", 0n, 0).id,
    });
    assert.deepEqual(await claim(store, 2, { holderId: "h2" }), { kind: "claimed" });
    await store.recordRequest(chargedRow(2, "acc_1", 30n, priceId), { ...settled(binary), holderId: "h2" });
    const late: Settlement = {
      ...settled(binary),
      account: { fromLease: nanoUsd(30n), release: nanoUsd(20n) },
    };
    await store.recordRequest(chargedRow(1, "acc_1", 30n, priceId), late);
    assert.deepEqual(await funds(store, "acc_1"), { balance: 70n, leased: 0n });
    assert.equal((await store.findRequest(chargedRow(1, "", 0n, 0).id))?.request.loss, 30n);
    assertDone(await claim(store, 3, { holderId: "h2" }), chargedRow(2, "", 0n, 0).id, binary);
    await audit(store);
  });

  test("of many that claim a key at once, in two stores, one gets it", async (context) => {
    const { store, reopen } = await newFixture(context);
    const stores = [store, await reopen()];
    await newAccount(store, "acc_1", 100n);
    await store.openHolder("h1");
    const claims = await Promise.all(
      Array.from({ length: 12 }, (_, number) => claim(stores[number % 2] as Store, number)),
    );
    const kinds = claims.map(({ kind }) => kind).toSorted();
    assert.deepEqual(kinds, ["claimed", ...Array(11).fill("in_flight")]);
  });
}

function freeing(newFixture: NewFixture): void {
  test("a key is free again when its request says so, when its holder is gone, when its time is up", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 100n);
    const priceId = await priceOneNano(store);
    for (const holder of ["h1", "h2"]) await store.openHolder(holder);
    await claim(store, 1);
    await store.recordRequest(chargedRow(2, "acc_1", 0n, priceId), settled(undefined));
    assert.deepEqual(await claim(store, 2), { kind: "in_flight" });
    await store.recordRequest(chargedRow(1, "acc_1", 0n, priceId), settled(undefined));
    assert.deepEqual(await claim(store, 3, { fingerprint: "another" }), { kind: "claimed" });

    await claim(store, 4, { key: "call-4", holderId: "h2" });
    await claim(store, 5, { key: "call-5" });
    await store.recordRequest(chargedRow(5, "acc_1", 0n, priceId), settled(binary, "call-5"));
    await store.closeHolder("h2");
    await store.closeHolder("h1");
    await store.openHolder("h3");
    assert.deepEqual(await claim(store, 6, { key: "call-4", holderId: "h3" }), { kind: "claimed" });
    assertDone(await claim(store, 6, { key: "call-5", holderId: "h3" }), chargedRow(5, "", 0n, 0).id, binary);
    // Under a dead holder's id it would never be settled.
    assert.deepEqual(await claim(store, 7, { key: "call-7", holderId: "h2" }), { kind: "fenced" });
    assert.deepEqual(await claim(store, 8, { key: "call-7", holderId: "h3" }), { kind: "claimed" });

    // Only its own request can release it, and only before an answer is stored.
    const drop = (key: string, number: number) =>
      store.dropIdempotencyClaim({ accountId: "acc_1", key, requestId: chargedRow(number, "", 0n, 0).id });
    await drop("call-7", 9);
    assert.deepEqual(await claim(store, 9, { key: "call-7", holderId: "h3" }), { kind: "in_flight" });
    await drop("call-7", 8);
    await drop("call-5", 5);
    assert.deepEqual(await claim(store, 9, { key: "call-7", holderId: "h3" }), { kind: "claimed" });
    assert.equal((await claim(store, 9, { key: "call-5", holderId: "h3" })).kind, "done");

    const expiresAt = Date.now() - 1;
    assert.deepEqual(await claim(store, 9, { key: "call-9", holderId: "h3", expiresAt }), {
      kind: "claimed",
    });
    assert.deepEqual(await claim(store, 10, { key: "call-9", holderId: "h3" }), { kind: "claimed" });
    assert.deepEqual(await claim(store, 11, { key: "call-9", holderId: "h3" }), { kind: "in_flight" });
  });

  test("keys of a holder that died with a journal stay taken until its answers come", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 100n);
    const priceId = await priceOneNano(store);
    for (const holder of ["h1", "h2", "h3"]) await store.openHolder(holder);
    await claim(store, 1);
    await claim(store, 2, { key: "call-2", holderId: "h2" });
    for (const holder of ["h1", "h2"]) await store.noteJournal(holder, true);
    await store.noteJournal("h2", false);
    for (const holder of ["h1", "h2"]) await store.closeHolder(holder);
    const late = { holderId: "h3" };
    assert.deepEqual(await claim(store, 3, late), { kind: "in_journal" });
    assert.deepEqual(await claim(store, 3, { ...late, fingerprint: "body-2" }), { kind: "other_body" });
    assert.deepEqual(await claim(store, 4, { ...late, key: "call-2" }), { kind: "claimed" });
    await store.recordRequest(chargedRow(1, "acc_1", 0n, priceId), settled(binary));
    assertDone(await claim(store, 5, late), chargedRow(1, "", 0n, 0).id, binary);
    await store.noteJournal("nobody", true);
  });

  test("old keys do not pile up", async (context) => {
    const { store } = await newFixture(context);
    await newAccount(store, "acc_1", 100n);
    await store.openHolder("h1");
    const priceId = await priceOneNano(store);
    const expiresAt = Date.now() - 1;
    for (let number = 0; number < 99; number++) {
      await claim(store, number, { key: `old-${number}`, expiresAt });
    }
    await claim(store, 200, { key: "young" });
    await store.recordRequest(chargedRow(200, "acc_1", 0n, priceId), settled(binary, "young"));
    assertDone(await claim(store, 201, { key: "young" }), chargedRow(200, "", 0n, 0).id, binary);
  });
}

export function idempotencyBehaviour(newFixture: NewFixture): void {
  keeping(newFixture);
  freeing(newFixture);
}
