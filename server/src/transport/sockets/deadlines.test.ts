/** Deadlines expire in time, and between them the process is woken only while new ones are set. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { arrivingConnection, standStill } from "../../lib/testing/arriving-connection.ts";
import { createDeadlines, never, Timed } from "./deadlines.ts";

class Counted extends Timed {
  expired = 0;
  override expire(): void {
    this.expired += 1;
    this.dueTick = never;
  }
}

/** Deadlines on a clock of the test's. `pass` lets time pass and returns how often the clock was read. */
function setUp(context: TestContext) {
  context.mock.timers.enable({ apis: ["setTimeout", "setImmediate"] });
  let nowMs = 0;
  let reads = 0;
  const deadlines = createDeadlines(() => {
    reads += 1;
    return nowMs;
  });
  function pass(ms: number): number {
    const before = reads;
    for (let passed = 0; passed < ms; passed += 1) {
      nowMs += 1;
      context.mock.timers.tick(1);
    }
    return reads - before;
  }
  return {
    ...{ deadlines, pass },
    /** Time passes in which the process does nothing. */
    stall: (ms: number): void => {
      nowMs += ms;
    },
  };
}

test("a deadline is kept to two tenths of a second, after a rest too, and never early", (context) => {
  const { deadlines, pass } = setUp(context);
  const member = new Counted();
  deadlines.add(member);
  for (const [restMs, dueMs] of [
    [0, 5_000],
    [60_000, 5_000],
    [12_345, 130],
    [150, 75_000],
  ] as const) {
    const before = member.expired;
    pass(restMs);
    member.dueTick = deadlines.due(dueMs);
    pass(dueMs - 1);
    assert.equal(member.expired, before, `${dueMs} ms: early`);
    pass(202);
    assert.equal(member.expired, before + 1, `${dueMs} ms: late`);
  }
});

test("a deadline that is set during a rest comes before the one that was waited for", (context) => {
  const { deadlines, pass } = setUp(context);
  const [first, second] = [new Counted(), new Counted()];
  deadlines.add(first);
  first.dueTick = deadlines.due(60_000);
  pass(10_000);
  deadlines.add(second);
  second.dueTick = deadlines.due(500);
  pass(702);
  assert.deepEqual([first.expired, second.expired], [0, 1]);
  pass(50_000);
  assert.deepEqual([first.expired, second.expired], [1, 1]);
});

test("a deadline that is set after a stall counts from then on, not from the last look", (context) => {
  const { deadlines, pass, stall } = setUp(context);
  const [before, after] = [new Counted(), new Counted()];
  for (const member of [before, after]) deadlines.add(member);
  before.dueTick = deadlines.due(500);
  pass(50);
  stall(6_000);
  after.dueTick = deadlines.due(5_000);
  pass(4_900);
  assert.deepEqual([before.expired, after.expired], [1, 0]);
  pass(302);
  assert.deepEqual([before.expired, after.expired], [1, 1]);
});

test("what arrives while the process is stopped is seen before a deadline that passed meanwhile", async (context) => {
  const deadlines = createDeadlines(() => performance.now(), 10);
  const socket = await arrivingConnection(context);
  const member = new Counted();
  deadlines.add(member);
  member.dueTick = deadlines.due(20);
  socket.on("connect", () => {
    member.dueTick = never;
  });
  standStill(80);
  await once(socket, "connect");
  assert.equal(member.expired, 0);
});

test("a member that goes on expiring is asked every tenth of a second, and one that left is not", (context) => {
  class Stubborn extends Timed {
    expired = 0;
    override expire(): void {
      this.expired += 1;
    }
  }
  const { deadlines, pass } = setUp(context);
  const [stubborn, left] = [new Stubborn(), new Counted()];
  for (const member of [stubborn, left]) {
    deadlines.add(member);
    member.dueTick = deadlines.due(100);
  }
  deadlines.delete(left);
  pass(2_000);
  assert.ok(stubborn.expired >= 15, `expired ${stubborn.expired} times`);
  assert.equal(left.expired, 0);
});

test("nothing wakes the process while nothing is due", (context) => {
  const { deadlines, pass } = setUp(context);
  const [waiting, busy] = [new Counted(), new Counted()];
  for (const member of [waiting, busy]) deadlines.add(member);
  waiting.dueTick = deadlines.due(75_000);
  pass(1_000);
  assert.equal(pass(70_000), 0, "one is due later");
  waiting.dueTick = never;
  pass(10_000);
  assert.equal(pass(100_000), 0, "none is due");
});

test("the current tick is right after a rest", (context) => {
  const { deadlines, pass } = setUp(context);
  pass(12_340);
  assert.equal(deadlines.nowTick, 123);
});
