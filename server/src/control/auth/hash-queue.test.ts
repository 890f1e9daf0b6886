import assert from "node:assert/strict";
import { test } from "node:test";
import { HashQueue, type QueueComer, type QueuePlace, trusted } from "./hash-queue.ts";

const bounds = { atOnceMax: 1, placesMax: 10, strangersMax: 6 };
const from = (...names: string[]): QueueComer => ({
  isKnown: false,
  networks: names.map((name, index) => ({ name, placesMax: index === 0 ? 1 : 2 })),
});

const isFull = (queue: HashQueue, comer: QueueComer): boolean => {
  try {
    queue.enter(comer).leave();
    return false;
  } catch (thrown) {
    assert.equal((thrown as { code: string }).code, "too_many_attempts");
    return true;
  }
};

test("places are bounded by network, and for strangers, and in all", () => {
  const queue = new HashQueue(bounds);
  const places: QueuePlace[] = [queue.enter(from("a1", "a")), queue.enter(from("a2", "a"))];
  assert.equal(isFull(queue, from("a1", "a")), true, "its own network is full");
  assert.equal(isFull(queue, from("a3", "a")), true, "so is the wider one");
  assert.equal(isFull(queue, from("b1", "b")), false);
  for (const name of ["b", "c", "d", "e"]) places.push(queue.enter(from(name)));
  assert.equal(isFull(queue, from("f")), true, "strangers have their part");
  for (let index = 0; index < 4; index += 1) places.push(queue.enter(trusted));
  assert.equal(isFull(queue, trusted), true);
  for (const place of [...places, ...places]) place.leave();
  assert.equal(isFull(queue, from("a3", "a")), false, "every place is free again, once each");
  const again = ["a", "b", "c", "d", "e", "f"].map((name) => queue.enter(from(name)));
  assert.equal(isFull(queue, from("g")), true);
  for (const place of again) place.leave();
});

test("who is known comes first, then clean networks; the others get every fourth turn", async () => {
  const queue = new HashQueue({ ...bounds, placesMax: 100, strangersMax: 100 });
  const order: string[] = [];
  let begin: () => void = () => {};
  const first = queue.enter(trusted).run("known", () => new Promise<void>((resolve) => (begin = resolve)));
  const runs = (["failed", "failed", "failed", "clean", "clean", "clean", "known", "known"] as const).map(
    (priority) =>
      queue.enter(trusted).run(priority, async () => {
        order.push(priority);
      }),
  );
  begin();
  await Promise.all([first, ...runs]);
  assert.deepEqual(order, ["known", "known", "clean", "failed", "clean", "clean", "failed", "failed"]);
});

test("who has left costs no hashing, and the turn goes on", async () => {
  const queue = new HashQueue(bounds);
  const gone = new AbortController();
  let begin: () => void = () => {};
  const first = queue.enter(trusted).run("known", () => new Promise<void>((resolve) => (begin = resolve)));
  let worked = 0;
  const work = async () => {
    worked += 1;
  };
  const left = queue.enter(trusted).run("known", work, gone.signal);
  const stayed = queue.enter(trusted).run("known", work);
  gone.abort();
  begin();
  await first;
  await assert.rejects(left, { code: "too_many_attempts" });
  await stayed;
  assert.equal(worked, 1);
});
