/** One timer asks all members, also those that come and go meanwhile. */
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { test } from "node:test";
import { arrivingConnection, standStill } from "../testing/arriving-connection.ts";
import { systemClock } from "./clock.ts";
import { createTicker, Tickable } from "./ticker.ts";

/** Counts its ticks and may leave after some. */
class Member extends Tickable {
  readonly events = new EventEmitter();
  ticks = 0;
  readonly #onTick: (member: Member) => void;

  constructor(onTick: (member: Member) => void = () => {}) {
    super();
    this.#onTick = onTick;
  }

  tick(): void {
    this.ticks += 1;
    this.events.emit("tick");
    this.#onTick(this);
  }
}

test("members tick until they leave, also when they leave in their own tick or in another's", async () => {
  const ticker = createTicker(systemClock, 1);
  const second = new Member();
  const first = new Member((self) => {
    ticker.delete(self);
    ticker.delete(second);
  });
  const third = new Member();
  for (const member of [first, second, third]) ticker.add(member);
  await once(third.events, "tick");
  await once(third.events, "tick");
  assert.deepEqual([first.ticks, second.ticks], [1, 0]);
  assert.deepEqual(ticker.list(), [third]);
  ticker.delete(third);
  assert.deepEqual(ticker.list(), []);
});

test("leaving twice does nothing; a member may come back", async () => {
  const ticker = createTicker(systemClock, 1);
  const members = [new Member(), new Member(), new Member()];
  for (const member of members) ticker.add(member);
  const [first, , third] = members as [Member, Member, Member];
  ticker.delete(first);
  ticker.delete(first);
  assert.equal(ticker.list().length, 2);
  ticker.add(first);
  await once(first.events, "tick");
  for (const member of members) ticker.delete(member);
  assert.equal(third.tickerIndex, -1);
});

test("what arrives while the process is stopped is seen before a deadline that passed meanwhile", async (context) => {
  const ticker = createTicker(systemClock, 10);
  const socket = await arrivingConnection(context);
  let isConnected = false;
  socket.on("connect", () => {
    isConnected = true;
  });
  const seen: boolean[] = [];
  const member = new Member((self) => {
    seen.push(isConnected);
    ticker.delete(self);
  });
  ticker.add(member);
  standStill(50);
  await once(member.events, "tick");
  assert.deepEqual(seen, [true]);
});
