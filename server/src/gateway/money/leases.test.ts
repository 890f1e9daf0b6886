import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import type { PooledHold, Refusal } from "./lease-pool.ts";
import { createLeases, type Leases } from "./leases.ts";
import { account, createFakeLender, type FakeLender, grant, settled } from "./testing/fake-lender.ts";

interface Scene extends FakeLender {
  readonly leases: Leases;
}

const requested = { amount: 10n, atLeast: 10n };
const lifeMs = 45_000;
const usableMs = 40_000;

function createScene(): Scene {
  const lender = createFakeLender();
  let holders = 0;
  const leases = createLeases({
    ...lender,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    newHolderId: () => `h${++holders}`,
    holderLifeMs: lifeMs,
  });
  return { ...lender, leases };
}

async function openScene(): Promise<Scene> {
  const scene = createScene();
  const opening = scene.leases.open();
  scene.next("open").resolve();
  await opening;
  return scene;
}

/** A registered process with a lease of 100, of which 10 are on hold. */
async function lentScene(): Promise<Scene & { readonly first: PooledHold }> {
  const scene = await openScene();
  const hold = scene.leases.hold(account, requested);
  scene.next("take").resolve(grant("granted", 100n));
  return { ...scene, first: heldOf(await hold) };
}

function heldOf(outcome: PooledHold | Refusal | Promise<unknown>): PooledHold {
  assert.ok("leasePool" in outcome, "not placed at once");
  return outcome;
}

async function assertUnavailable(outcome: unknown): Promise<void> {
  await assert.rejects(
    async () => await outcome,
    (error) => error instanceof GatewayError && error.code === "ledger_unavailable",
  );
}

test("one lease pool per account, under the holder that was opened", async () => {
  const { leases, first, open } = await lentScene();
  assert.equal(leases.holderId, "h1");
  assert.equal(first.holderId, "h1");
  assert.equal(heldOf(leases.hold(account, requested)).leasePool, first.leasePool);
  assert.deepEqual(leases.counts, { leasePools: 1, lent: 100n, held: 20n });
  assert.equal(open.length, 0);
});

test("heartbeats keep the leases usable, counted from when they were sent", async () => {
  const { leases, clock, next } = await lentScene();
  clock.ms = 30_000;
  const beat = leases.beat();
  clock.ms = 35_000;
  next("heartbeat").resolve(true);
  await beat;
  clock.ms = 30_000 + usableMs - 1;
  heldOf(leases.hold(account, requested));
  clock.ms = 30_000 + usableMs;
  assert.ok(leases.hold(account, requested) instanceof Promise, "asks the store first");
});

test("after a sleep the store is asked whether the holder still lives, before anything is placed", async () => {
  const { leases, clock, next } = await lentScene();
  clock.ms = usableMs;
  const hold = leases.hold(account, requested);
  const beat = next("heartbeat");
  assert.equal(beat.holderId, "h1");
  assert.equal(leases.counts.held, 10n);
  beat.resolve(true);
  assert.equal(heldOf(await hold).holderId, "h1");
});

test("a process that slept too long goes on under a new holder with empty lease pools", async () => {
  const { leases, clock, next, first } = await lentScene();
  clock.ms = 60_000;
  const hold = leases.hold(account, requested);
  next("heartbeat").resolve(false);
  await settled();
  next("open").resolve();
  await settled();
  assert.equal(leases.holderId, "h2");
  assert.deepEqual(leases.counts, { leasePools: 1, lent: 0n, held: 0n });
  const take = next("take");
  assert.equal(take.holderId, "h2");
  take.resolve(grant("granted", 10n));
  assert.equal(heldOf(await hold).holderId, "h2");
  assert.equal(first.leasePool.end(first, 4n).fromLease, 4n);
  assert.equal(leases.counts.lent, 10n);
});

test("when the store says that the holder is gone, nothing is used until there is a new one", async () => {
  const { leases, clock, next } = await lentScene();
  clock.ms = 5_000;
  const beat = leases.beat();
  next("heartbeat").resolve(false);
  await settled();
  next("open").reject(new Error("away"));
  await beat;
  const hold = leases.hold(account, requested);
  assert.ok(hold instanceof Promise, "not placed on the old lease");
  next("heartbeat").reject(new Error("still away"));
  await assertUnavailable(hold);
});

test("a take that finds the holder expired makes the next hold ask for a new one", async () => {
  const { leases, next } = await openScene();
  const hold = leases.hold(account, requested);
  next("take").resolve(grant("fenced", 0n));
  assert.deepEqual(await hold, { kind: "fenced" });
  const again = leases.hold(account, requested);
  next("heartbeat").resolve(false);
  await settled();
  next("open").resolve();
  await settled();
  const take = next("take");
  assert.equal(take.holderId, "h2");
  take.resolve(grant("granted", 10n));
  heldOf(await again);
});

test("holds that come while the store is asked share one heartbeat", async () => {
  const { leases, clock, next, open } = await lentScene();
  clock.ms = usableMs;
  const holds = [leases.hold(account, requested), leases.hold(account, requested), leases.beat()];
  const beat = next("heartbeat");
  assert.equal(open.length, 0);
  beat.resolve(true);
  await Promise.all(holds);
  assert.equal(leases.counts.held, 30n);
});

test("a heartbeat answered too late to be of use places nothing", async () => {
  const { leases, clock, next } = await lentScene();
  clock.ms = usableMs;
  const hold = leases.hold(account, requested);
  const beat = next("heartbeat");
  clock.ms = 2 * usableMs;
  beat.resolve(true);
  assert.deepEqual(await hold, { kind: "fenced" });
});

test("leases held serve on while the store is away, until they may not be used any more", async () => {
  const { leases, clock, next } = await lentScene();
  const beat = leases.beat();
  next("heartbeat").reject(new Error("away"));
  await beat;
  clock.ms = usableMs - 1;
  heldOf(leases.hold(account, requested));
  clock.ms = usableMs;
  const hold = leases.hold(account, requested);
  next("heartbeat").reject(new Error("away"));
  await assertUnavailable(hold);
});

test("a hold that needs more than is lent fails with the store, as ledger_unavailable", async () => {
  const { leases, next } = await lentScene();
  const hold = leases.hold(account, { amount: 1_000n, atLeast: 1_000n });
  next("take").reject(new Error("away"));
  await assertUnavailable(hold);
});

test("a process that was never registered registers with its first hold", async () => {
  const { leases, next } = createScene();
  const opening = leases.open();
  next("open").reject(new Error("away"));
  await assert.rejects(opening, /away/);
  const hold = leases.hold(account, requested);
  next("heartbeat").resolve(false);
  await settled();
  assert.equal(next("open").holderId, "h2");
  void Promise.resolve(hold).catch(() => {});
});

test("lease pools are forgotten when the store has everything back", async () => {
  const { leases, clock, next, first } = await lentScene();
  first.leasePool.drop(first);
  clock.ms = 2_000;
  leases.tick();
  assert.equal(leases.counts.leasePools, 1);
  const back = next("return");
  assert.equal(back.amount, "all");
  back.resolve(100n);
  await settled();
  leases.tick();
  assert.deepEqual(leases.counts, { leasePools: 0, lent: 0n, held: 0n });
});

test("recalls and news reach the lease pool they are about, and no other", async () => {
  const { leases, next, open } = await lentScene();
  leases.recall("acc_2");
  leases.refresh("acc_2");
  assert.equal(open.length, 0);
  leases.recall(account.id);
  assert.equal(next("return").amount, 90n);
});

test("at the end everything goes back, and nothing is placed any more", async () => {
  const { leases, next } = await lentScene();
  const closing = leases.close();
  await settled();
  const close = next("close");
  assert.equal(close.holderId, "h1");
  const hold = leases.hold(account, requested);
  assert.ok(hold instanceof Promise, "not placed on what was given back");
  close.resolve();
  await closing;
  next("heartbeat").reject(new Error("closed"));
  await assertUnavailable(hold);
});

test("closing waits for the heartbeat under way, and closes the holder that came of it", async () => {
  const { leases, next, open } = await lentScene();
  const beat = leases.beat();
  const closing = leases.close();
  await settled();
  next("heartbeat").resolve(false);
  await settled();
  next("open").resolve();
  await beat;
  await settled();
  assert.equal(next("close").holderId, "h2");
  assert.equal(open.length, 0);
  void closing;
});
