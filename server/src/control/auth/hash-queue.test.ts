import assert from "node:assert/strict";
import { test } from "node:test";
import { HashQueue, type QueueComer, type QueueTicket, trusted } from "./hash-queue.ts";

const bounds = { atOnceMax: 1, ticketsMax: 10, strangersMax: 6, failedMax: 4 };
const from = (...names: string[]): QueueComer => ({
  isKnown: false,
  networks: names.map((name, index) => ({ name, ticketsMax: index === 0 ? 1 : 2, isJudged: index === 0 })),
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

test("tickets are bounded by network, and for strangers, and in all", () => {
  const queue = new HashQueue(bounds);
  const tickets: QueueTicket[] = [queue.enter(from("a1", "a")), queue.enter(from("a2", "a"))];
  assert.equal(isFull(queue, from("a1", "a")), true, "its own network is full");
  assert.equal(isFull(queue, from("a3", "a")), true, "so is the wider one");
  assert.equal(isFull(queue, from("b1", "b")), false);
  for (const name of ["b", "c", "d", "e"]) tickets.push(queue.enter(from(name)));
  assert.equal(isFull(queue, from("f")), true, "strangers have their part");
  for (let index = 0; index < 4; index += 1) tickets.push(queue.enter(trusted));
  assert.equal(isFull(queue, trusted), true);
  for (const ticket of [...tickets, ...tickets]) ticket.leave();
  assert.equal(isFull(queue, from("a3", "a")), false, "every place is free again, once each");
  const again = ["a", "b", "c", "d", "e", "f"].map((name) => queue.enter(from(name)));
  assert.equal(isFull(queue, from("g")), true);
  for (const ticket of again) ticket.leave();
});

test("who is known comes first, then clean networks; the others get every fourth turn", async () => {
  const queue = new HashQueue({ ...bounds, ticketsMax: 100, strangersMax: 100 });
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

test("networks that failed of late leave tickets to those that did not, until one of theirs succeeds", () => {
  const queue = new HashQueue(bounds);
  const fail = (name: string) => {
    const ticket = queue.enter(from(name, "wide"));
    ticket.judge(true);
    ticket.leave();
  };
  for (const name of ["a", "b", "c", "d", "e"]) fail(name);
  const tickets = ["a", "b", "c", "d"].map((name) => queue.enter(from(name)));
  assert.equal(isFull(queue, from("e")), true, "those that failed have their part");
  assert.equal(isFull(queue, from("f", "wide")), false, "a wide network is not judged");
  tickets.push(queue.enter(from("f")));
  tickets[0]?.judge(false);
  tickets.push(queue.enter(from("g")));
  assert.equal(isFull(queue, from("h")), true, "all strangers together");
  for (const ticket of [...tickets, ...tickets]) ticket.leave();
  const others = ["b", "c", "d", "e"].map((name) => queue.enter(from(name)));
  assert.equal(isFull(queue, from("a")), false, "forgiven");
  for (const ticket of others) ticket.leave();
});

test("a thousand unrelated networks keep nobody out for longer than each of them takes to fail once", async () => {
  const networks = 1_000;
  const queue = new HashQueue({ atOnceMax: 2, ticketsMax: 120, strangersMax: 80, failedMax: 40 });
  const comer = (name: string): QueueComer => ({
    isKnown: false,
    networks: [{ name, ticketsMax: 16, isJudged: true }],
  });
  const failed = new Set<string>();
  const ends: (() => void)[] = [];
  const hash = () => new Promise<void>((resolve) => void ends.push(resolve));
  /** True when it got a ticket and its turn came. */
  const arrive = async (who: QueueComer, name: string, isRight: boolean): Promise<boolean> => {
    let ticket: QueueTicket;
    try {
      ticket = queue.enter(who);
    } catch {
      return false;
    }
    await ticket.run(who.isKnown ? "known" : failed.has(name) ? "failed" : "clean", hash);
    if (!isRight) failed.add(name);
    ticket.judge(!isRight);
    ticket.leave();
    return true;
  };
  let arrivals = 0;
  /**
   * Advances by this many times the duration of two hashes, while twenty times more guesses arrive than can
   * be tried.
   */
  const pass = async (turns: number) => {
    for (let turn = 0; turn < turns; turn += 1) {
      for (let one = 0; one < 40; one += 1) {
        arrivals += 1;
        const name = `bot ${arrivals % networks}`;
        void arrive(comer(name), name, false);
      }
      for (const end of ends.splice(0)) end();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const letIn = async (whoOf: (turn: number) => QueueComer) => {
    let seen = 0;
    for (let turn = 0; turn < 20; turn += 1) {
      void arrive(whoOf(turn), `person ${turn}`, true).then((isIn) => {
        if (isIn) seen += 1;
      });
      await pass(10);
    }
    return seen;
  };
  const known = () => letIn(() => trusted);
  assert.equal(await known(), 20, "known devices have places of their own from the first moment");
  for (let step = 0; step < 20 && failed.size < networks; step += 1) await pass(100);
  assert.equal(failed.size, networks);
  assert.equal(await letIn((turn) => comer(`person ${turn}`)), 20, "strangers, once each bot has failed");
  assert.equal(await known(), 20);
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
