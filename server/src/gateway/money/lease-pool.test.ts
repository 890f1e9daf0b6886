import assert from "node:assert/strict";
import { test } from "node:test";
import type { LeaseGrant } from "../../store/ledger/lease-shapes.ts";
import { LeasePool, type PooledHold, type Refusal } from "./lease-pool.ts";
import { account, createFakeLender, type FakeLender, grant, settled, short } from "./testing/fake-lender.ts";

interface Scene extends FakeLender {
  readonly leasePool: LeasePool;
  /** The state of the process, as the pool sees it. */
  readonly life: { holderId: string; isValid: boolean; fenced: number };
  /** Places a hold. `outcome` is set once it is decided. */
  hold(amount: bigint, atLeast?: bigint): { outcome: PooledHold | Refusal | Error | undefined };
}

function createScene(): Scene {
  const lender = createFakeLender();
  const life = { holderId: "h1", isValid: true, fenced: 0 };
  const leasePool = new LeasePool(account, {
    store: lender.store,
    clock: lender.clock,
    sleep: lender.sleep,
    holderId: () => life.holderId,
    isValid: () => life.isValid,
    onFenced: () => {
      life.fenced++;
    },
  });
  return {
    ...lender,
    leasePool,
    life,
    hold(amount, atLeast = amount) {
      const result: ReturnType<Scene["hold"]> = { outcome: undefined };
      const outcome = leasePool.hold({ amount, atLeast });
      if (!(outcome instanceof Promise)) result.outcome = outcome;
      else {
        outcome.then(
          (there) => {
            result.outcome = there;
          },
          (error) => {
            result.outcome = error;
          },
        );
      }
      return result;
    },
  };
}

function heldOf({ outcome }: ReturnType<Scene["hold"]>): PooledHold {
  assert.ok(
    outcome !== undefined && "leasePool" in outcome,
    `not placed: ${JSON.stringify(outcome, showBigint)}`,
  );
  return outcome;
}

const showBigint = (_key: string, value: unknown) => (typeof value === "bigint" ? `${value}` : value);

/** A lease pool with a free lease of `amount`. */
async function lentScene(amount: bigint, available = 1_000_000n): Promise<Scene> {
  const scene = createScene();
  const first = scene.hold(1n);
  scene.next("take").resolve(grant("granted", amount, { available }));
  await settled();
  scene.leasePool.drop(heldOf(first));
  return scene;
}

test("the first hold waits for a lease, later ones are placed at once while it lasts", async () => {
  const scene = createScene();
  const first = scene.hold(100n);
  const { requested, resolve } = scene.next("take");
  assert.deepEqual(requested, { atLeast: 100n, need: 100n, want: 500n, unit: 100n });
  assert.equal(first.outcome, undefined);
  resolve(grant("granted", 300n));
  await settled();
  assert.equal(heldOf(first).amount, 100n);
  assert.equal(heldOf(scene.hold(100n)).holderId, "h1");
  heldOf(scene.hold(100n));
  assert.deepEqual([scene.leasePool.lent, scene.leasePool.held], [300n, 300n]);
  assert.equal(scene.open.length, 0);
  scene.hold(1n);
  assert.equal(scene.open.length, 1);
});

test("while one take is under way the others wait with it, and are served first come first", async () => {
  const scene = createScene();
  const holds = [50n, 100n, 10n].map((amount) => scene.hold(amount));
  const first = scene.next("take");
  assert.equal(first.requested.need, 50n);
  first.resolve(grant("granted", 70n));
  await settled();
  assert.equal(heldOf(holds[0] as (typeof holds)[0]).amount, 50n);
  // Ten would fit, but the hold of a hundred came first.
  assert.equal(holds[2]?.outcome, undefined);
  const second = scene.next("take");
  assert.deepEqual([second.requested.need, second.requested.atLeast], [90n, 80n]);
  second.resolve(grant("granted", 90n));
  await settled();
  assert.equal(heldOf(holds[1] as (typeof holds)[0]).amount, 100n);
  assert.equal(heldOf(holds[2] as (typeof holds)[0]).amount, 10n);
});

test("a hold that ends makes room for the one that waits, before the store answers", async () => {
  const scene = await lentScene(100n);
  const first = heldOf(scene.hold(100n));
  const second = scene.hold(80n);
  const take = scene.next("take");
  const payment = scene.leasePool.end(first, 15n);
  assert.deepEqual(payment, { charge: 15n, fromLease: 15n, release: 0n });
  await settled();
  assert.equal(heldOf(second).amount, 80n);
  take.resolve(grant("granted", 80n));
  await settled();
  assert.deepEqual([scene.leasePool.lent, scene.leasePool.held], [165n, 80n]);
  assert.equal(scene.open.length, 0);
});

test("takes that follow each other closely ask for twice as much ahead each time", async () => {
  const scene = createScene();
  const wants: bigint[] = [];
  for (let take = 0; take < 12; take++) {
    scene.hold(10n);
    const { requested, resolve } = scene.next("take");
    wants.push((requested.want - requested.need) / 10n);
    resolve(grant("granted", 10n));
    await settled();
  }
  assert.deepEqual(wants, [4n, 8n, 16n, 32n, 64n, 128n, 256n, 512n, 1_024n, 1_024n, 1_024n, 1_024n]);
  scene.clock.ms += 1_000;
  scene.hold(10n);
  assert.equal(scene.next("take").requested.want, 50n);
});

test("as a balance runs low nothing is kept that is not held", async () => {
  const scene = createScene();
  const hold = scene.hold(100n);
  scene.next("take").resolve(grant("granted", 300n, { available: 799n }));
  await settled();
  // Two hundred were granted ahead and go back at once.
  assert.equal(scene.next("return").amount, 200n);
  const { fromLease, release } = scene.leasePool.end(heldOf(hold), 30n);
  assert.deepEqual([fromLease, release, scene.leasePool.lent], [30n, 70n, 0n]);
  const next = scene.hold(100n);
  const { requested } = scene.next("take");
  assert.deepEqual([requested.need, requested.want], [100n, 100n]);
  assert.equal(next.outcome, undefined);
});

test("what a dropped hold leaves in scarce times goes back", async () => {
  const scene = createScene();
  const hold = scene.hold(100n);
  scene.next("take").resolve(grant("granted", 100n, { available: 0n }));
  await settled();
  scene.leasePool.drop(heldOf(hold));
  assert.equal(scene.next("return").amount, 100n);
});

test("money that came in ends scarce times", async () => {
  const scene = createScene();
  const hold = scene.hold(100n);
  scene.next("take").resolve(grant("granted", 100n, { available: 0n }));
  await settled();
  scene.leasePool.refresh();
  assert.equal(scene.leasePool.end(heldOf(hold), 30n).release, 0n);
  assert.equal(scene.leasePool.lent, 70n);
});

test("all there is goes to the first, as much of it as is of use to it", async () => {
  const scene = createScene();
  const first = scene.hold(100n, 40n);
  const second = scene.hold(100n, 40n);
  scene.next("take").resolve(grant("granted", 60n, { available: 0n }));
  await settled();
  assert.equal(heldOf(first).amount, 60n);
  scene.next("take").resolve(short({ available: 0n }));
  await settled();
  assert.deepEqual(second.outcome, { kind: "short", available: 0n });
});

test("a hold is not cut while what it wants could be lent", async () => {
  const scene = await lentScene(60n);
  const hold = scene.hold(100n, 40n);
  const { requested, resolve } = scene.next("take");
  assert.deepEqual([requested.atLeast, requested.need], [0n, 40n]);
  resolve(grant("granted", 40n));
  await settled();
  assert.equal(heldOf(hold).amount, 100n);
});

test("before anybody is refused, others are asked for what lies idle there, our own crumbs first", async () => {
  const scene = await lentScene(30n);
  const hold = scene.hold(100n);
  scene.next("take").resolve(short({ available: 20n, lentToOthers: 50n }));
  await settled();
  assert.equal(scene.next("return").amount, 30n);
  assert.equal(scene.next("recall").subjectId, account.id);
  assert.equal(scene.open.length, 0);
  assert.equal(hold.outcome, undefined);
});

test("what the others gave back is lent", async () => {
  const scene = createScene();
  const hold = scene.hold(100n);
  scene.next("take").resolve(short({ available: 20n, lentToOthers: 80n }));
  await settled();
  scene.next("recall").resolve();
  await settled();
  scene.next("sleep").resolve();
  await settled();
  const again = scene.next("take");
  assert.equal(again.requested.need, 100n);
  again.resolve(grant("granted", 100n, { available: 0n }));
  await settled();
  assert.equal(heldOf(hold).amount, 100n);
});

/** Lets a waiting pool retry once per given answer. Returns the pause before each try. */
async function tryAgain(scene: Scene, answers: readonly LeaseGrant[]): Promise<number[]> {
  const pauses: number[] = [];
  for (const answer of answers) {
    await settled();
    scene.next("recall").resolve();
    await settled();
    const { ms, resolve } = scene.next("sleep");
    pauses.push(ms);
    resolve();
    await settled();
    scene.next("take").resolve(answer);
  }
  await settled();
  return pauses;
}

test("when nothing comes back in four tries, whoever wants no less is refused, and others go on", async () => {
  const scene = createScene();
  const first = scene.hold(100n);
  const larger = scene.hold(200n);
  const smaller = scene.hold(10n);
  const still = short({ available: 20n, lentToOthers: 80n });
  scene.next("take").resolve(still);
  assert.deepEqual(await tryAgain(scene, [still, still, still, still]), [150, 250, 350, 500]);
  assert.deepEqual(first.outcome, { kind: "short", available: 20n });
  assert.deepEqual(larger.outcome, { kind: "short", available: 20n });
  assert.equal(smaller.outcome, undefined);
  assert.equal(scene.next("take").requested.need, 10n);
});

test("while money still moves elsewhere nobody is refused, for at most eight tries", async () => {
  const scene = createScene();
  const hold = scene.hold(100n);
  const moving = Array.from({ length: 9 }, (_, index) =>
    short({ available: 20n, lentToOthers: 80n - BigInt(index) }),
  );
  scene.next("take").resolve(moving[0] as LeaseGrant);
  assert.equal((await tryAgain(scene, moving.slice(1, 8))).length, 7);
  assert.equal(hold.outcome, undefined);
  assert.deepEqual(await tryAgain(scene, moving.slice(8)), [500]);
  assert.deepEqual(hold.outcome, { kind: "short", available: 20n });
});

test("the pause in which nothing moved any more is the last one", async () => {
  const scene = createScene();
  const hold = scene.hold(100n);
  const [before, after] = [short({ lentToOthers: 80n }), short({ lentToOthers: 60n })];
  scene.next("take").resolve(before);
  await tryAgain(scene, [before, before, before, after]);
  assert.equal(hold.outcome, undefined);
  await tryAgain(scene, [after]);
  assert.deepEqual(hold.outcome, { kind: "short", available: 0n });
});

test("a refusal does not stand while others have borrowed: their money may be back at any moment", async () => {
  const scene = createScene();
  const hold = scene.hold(100n);
  const still = short({ lentToOthers: 80n });
  scene.next("take").resolve(still);
  await tryAgain(scene, [still, still, still, still]);
  assert.deepEqual(hold.outcome, { kind: "short", available: 0n });
  assert.equal(scene.hold(100n).outcome, undefined);
  scene.next("take");
});

test("without leases elsewhere a refusal needs no waiting", async () => {
  const scene = createScene();
  const hold = scene.hold(100n);
  scene.next("take").resolve(short({ available: 20n }));
  await settled();
  assert.deepEqual(hold.outcome, { kind: "short", available: 20n });
  assert.equal(scene.open.length, 0);
});

/** A lease pool that has just refused a hold of a hundred. */
async function refusedScene(): Promise<Scene> {
  const scene = createScene();
  scene.hold(100n);
  scene.next("take").resolve(short({ available: 20n }));
  await settled();
  return scene;
}

test("a refusal stands for half a second, for holds that are no smaller", async () => {
  const scene = await refusedScene();
  assert.deepEqual(scene.hold(100n).outcome, { kind: "short", available: 20n });
  assert.equal(scene.hold(99n).outcome, undefined);
  scene.next("take").resolve(grant("granted", 99n));
  await settled();
  scene.clock.ms += 500;
  assert.equal(scene.hold(100n).outcome, undefined);
  scene.next("take");
});

test("a refusal is forgotten when money comes in or comes back", async () => {
  const scene = await refusedScene();
  scene.leasePool.refresh();
  scene.hold(100n);
  scene.next("take").resolve(grant("granted", 100n));
  await settled();
  const back = await refusedScene();
  const small = back.hold(10n);
  back.next("take").resolve(grant("granted", 10n));
  await settled();
  back.leasePool.end(heldOf(small), 0n);
  assert.equal(back.hold(100n).outcome, undefined);
});

test("a recall brings back what is free, not what is held", async () => {
  const scene = await lentScene(100n);
  const hold = heldOf(scene.hold(60n));
  scene.leasePool.recall();
  assert.equal(scene.next("return").amount, 40n);
  assert.equal(scene.leasePool.lent, 60n);
  assert.equal(scene.leasePool.end(hold, 10n).release, 50n);
});

test("whoever is short itself gives nothing back", async () => {
  const scene = await lentScene(100n);
  scene.hold(150n);
  scene.next("take");
  scene.leasePool.recall();
  assert.equal(scene.open.length, 0);
});

test("a lease nobody used for two seconds goes back wholly, and then the lease pool may be forgotten", async () => {
  const scene = await lentScene(100n);
  scene.leasePool.tick(1_999);
  assert.equal(scene.open.length, 0);
  scene.leasePool.tick(2_000);
  const back = scene.next("return");
  assert.equal(back.amount, "all");
  assert.equal(scene.leasePool.lent, 0n);
  assert.equal(scene.leasePool.isEmpty, false);
  back.resolve(100n);
  await settled();
  assert.equal(scene.leasePool.isEmpty, true);
});

test("of a lease in use, what exceeds twice the peak goes back", async () => {
  const scene = await lentScene(100n);
  const hold = heldOf(scene.hold(10n));
  scene.clock.ms = 2_000;
  scene.leasePool.tick(2_000);
  assert.equal(scene.next("return").amount, 70n);
  assert.equal(scene.leasePool.lent, 30n);
  scene.leasePool.tick(2_100);
  assert.equal(scene.open.length, 0);
  scene.leasePool.end(hold, 10n);
  assert.equal(scene.leasePool.lent, 20n);
});

test("a take that failed may have been done: the lease goes back wholly though nothing is known to be lent", async () => {
  const scene = createScene();
  const hold = scene.hold(100n);
  scene.next("take").reject(new Error("no answer"));
  await settled();
  assert.equal((hold.outcome as Error).message, "no answer");
  assert.equal(scene.leasePool.lent, 0n);
  assert.equal(scene.leasePool.isEmpty, false, "the store may have lent it");
  scene.leasePool.tick(1);
  assert.equal(scene.next("return").amount, "all");
});

test("a lease that could not be given back is given back again", async () => {
  const scene = await lentScene(100n);
  scene.leasePool.tick(2_000);
  scene.next("return").reject(new Error("no answer"));
  await settled();
  assert.equal(scene.leasePool.isEmpty, false);
  scene.leasePool.tick(2_100);
  const again = scene.next("return");
  assert.equal(again.amount, "all");
  scene.leasePool.tick(2_200);
  assert.equal(scene.open.length, 0, "once at a time");
  again.resolve(100n);
  await settled();
  assert.equal(scene.leasePool.isEmpty, true);
});

test("a lease taken while another was given back wholly is not forgotten", async () => {
  const scene = await lentScene(100n);
  scene.leasePool.tick(2_000);
  const back = scene.next("return");
  const hold = scene.hold(50n);
  scene.next("take").resolve(grant("granted", 50n));
  await settled();
  back.resolve(100n);
  await settled();
  scene.leasePool.drop(heldOf(hold));
  assert.equal(scene.leasePool.isEmpty, false);
  assert.equal(scene.leasePool.lent, 50n);
});

test("when a settlement could not be written, the lease goes back wholly at the next quiet moment", async () => {
  const scene = await lentScene(100n);
  const hold = heldOf(scene.hold(100n));
  const other = heldOf(scene.hold(0n));
  scene.leasePool.end(hold, 100n);
  scene.leasePool.doubt();
  scene.leasePool.tick(100);
  assert.equal(scene.next("return").amount, "all");
  scene.leasePool.drop(other);
});

test("a store that fails fails everybody who waits, and the next one asks again", async () => {
  const scene = createScene();
  const holds = [scene.hold(10n), scene.hold(20n)];
  scene.next("take").reject(new Error("away"));
  await settled();
  for (const { outcome } of holds) assert.equal((outcome as Error).message, "away");
  const next = scene.hold(10n);
  scene.next("take").resolve(grant("granted", 10n));
  await settled();
  heldOf(next);
});

test("suspended accounts are refused, fenced processes are told", async () => {
  const scene = createScene();
  const holds = [scene.hold(10n), scene.hold(20n)];
  scene.next("take").resolve(grant("suspended", 0n));
  await settled();
  for (const { outcome } of holds) assert.deepEqual(outcome, { kind: "suspended" });
  const fenced = scene.hold(10n);
  scene.next("take").resolve(grant("fenced", 0n));
  await settled();
  assert.deepEqual(fenced.outcome, { kind: "fenced" });
  assert.equal(scene.life.fenced, 1);
});

test("nothing is placed on leases that may have gone to others", async () => {
  const scene = await lentScene(100n);
  scene.life.isValid = false;
  assert.deepEqual(scene.hold(10n).outcome, { kind: "fenced" });
  assert.equal(scene.leasePool.held, 0n);
});

test("a process that slept while the store answered places nothing", async () => {
  const scene = createScene();
  const hold = scene.hold(10n);
  const take = scene.next("take");
  scene.life.isValid = false;
  take.resolve(grant("granted", 50n));
  await settled();
  assert.deepEqual(hold.outcome, { kind: "fenced" });
  assert.equal(scene.leasePool.held, 0n);
});

test("under a new holder the lease pool is empty, and old holds are paid by the old one", async () => {
  const scene = await lentScene(100n);
  const old = heldOf(scene.hold(40n));
  scene.life.holderId = "h2";
  scene.leasePool.fence();
  assert.deepEqual([scene.leasePool.lent, scene.leasePool.held], [0n, 0n]);
  const hold = scene.hold(10n);
  const take = scene.next("take");
  assert.equal(take.holderId, "h2");
  take.resolve(grant("granted", 30n));
  await settled();
  assert.equal(heldOf(hold).holderId, "h2");
  assert.deepEqual(scene.leasePool.end(old, 25n), { charge: 25n, fromLease: 25n, release: 0n });
  assert.deepEqual(
    [scene.leasePool.lent, scene.leasePool.held],
    [30n, 10n],
    "the new lease paid nothing of it",
  );
});

test("what was lent to the old holder is not counted under the new one", async () => {
  const scene = createScene();
  const hold = scene.hold(10n);
  const take = scene.next("take");
  scene.life.holderId = "h2";
  scene.leasePool.fence();
  take.resolve(grant("granted", 50n));
  await settled();
  assert.deepEqual(hold.outcome, { kind: "fenced" });
  assert.equal(scene.leasePool.lent, 0n);
  assert.equal(scene.life.fenced, 0, "the new holder is sound");
});

test("ten thousand may wait; one more is told that the ledger cannot be asked, not that the balance is low", async () => {
  const scene = createScene();
  for (let waiting = 0; waiting < 10_000; waiting++) scene.hold(1n);
  const one = scene.hold(1n);
  await settled();
  assert.ok(one.outcome instanceof Error);
});

test("a hold that is ended twice, or below nothing, is an error of ours and changes nothing", async () => {
  const scene = createScene();
  const hold = scene.hold(100n);
  scene.next("take").resolve(grant("granted", 500n));
  await settled();
  const placed = heldOf(hold);
  assert.throws(() => scene.leasePool.end(placed, -1n), {
    name: "BrokenInvariant",
    message: /never negative/,
  });
  assert.equal(scene.leasePool.held, 100n);
  scene.leasePool.end(placed, 30n);
  assert.throws(() => scene.leasePool.end(placed, 30n), {
    name: "BrokenInvariant",
    message: /ends once \(acc_1\)/,
  });
  assert.throws(() => scene.leasePool.drop(placed), { name: "BrokenInvariant" });
  assert.deepEqual([scene.leasePool.lent, scene.leasePool.held], [470n, 0n]);
});

for (const [name, answer] of [
  ["a grant of less than nothing", grant("granted", -1n)],
  ["a refusal that lends", grant("short", 5n)],
  ["a suspended account that is lent to", grant("suspended", 5n)],
] as const) {
  test(`${name} is not believed: who waits is told, and nothing is lent`, async () => {
    const scene = createScene();
    const hold = scene.hold(100n);
    scene.next("take").resolve(answer);
    await settled();
    assert.ok(hold.outcome instanceof Error);
    assert.equal(hold.outcome.name, "BrokenInvariant");
    assert.deepEqual([scene.leasePool.lent, scene.leasePool.held], [0n, 0n]);
  });
}
