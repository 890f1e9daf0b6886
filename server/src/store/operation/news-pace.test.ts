/** When the database is checked and queried, with simulated versions, a simulated watch and a test clock. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createWriteWatch } from "../sqlite/write-watch.ts";
import { createPace } from "./news-pace.ts";

const stepMs = 10;

/** Polls as `news.ts` does. `isDeaf`: the watch is accepted but never reports anything. */
function rig(context: TestContext, { isWatched = false, isDeaf = false, waitMs = 60_000 } = {}) {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let nowMs = 0;
  let version = 0;
  let told: (() => void) | undefined;
  let end: (() => void) | undefined;
  const watch = isWatched
    ? createWriteWatch("", (onWrite, onEnd) => {
        told = onWrite;
        end = onEnd;
        return () => {
          told = undefined;
        };
      })
    : undefined;
  const closing = new AbortController();
  const clock = { wallMs: () => nowMs, elapsedMs: () => nowMs };
  const pace = createPace({ clock, closing: closing.signal, version: () => String(version), watch });
  /** "!" for a poll that queries, "." for one that does not, each with its time. */
  const polls: string[] = [];
  const looking = (async () => {
    while (!closing.signal.aborted && nowMs < waitMs) {
      polls.push(`${nowMs}${pace.mustAsk() ? "!" : "."}`);
      await pace.wait(waitMs);
    }
  })();
  context.after(async () => {
    closing.abort();
    await looking;
  });
  return {
    watch,
    closing,
    looking,
    polls,
    end: () => end?.(),
    /** `isSilent`: without a report from the watch yet. */
    async write(isSilent = false): Promise<void> {
      version += 1;
      if (!isDeaf && !isSilent) told?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
    /** Advances the time; returns the polls made meanwhile. */
    async pass(ms: number): Promise<string> {
      polls.length = 0;
      for (const endMs = nowMs + ms; nowMs < endMs; ) {
        nowMs += stepMs;
        context.mock.timers.tick(stepMs);
        await new Promise((resolve) => setImmediate(resolve));
      }
      return polls.join(" ");
    },
  };
}

test("without a watch a file is looked at every 300 ms; asked first, twice after each change, and every three seconds", async (context) => {
  const { polls, write, pass } = rig(context);
  assert.deepEqual(polls, ["0!"]);
  assert.equal(await pass(1_000), "300! 600. 900.");
  assert.match(await pass(2_400), /^1200\. [^!]*3300!$/);
  await write();
  assert.equal(await pass(900), "3600! 3900! 4200.");
  await write();
  await pass(300);
  await write();
  assert.equal(await pass(900), "4800! 5100! 5400.");
});

test("a database whose file says nothing is asked every time", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const clock = { wallMs: () => 0, elapsedMs: () => 0 };
  const pace = createPace({ clock, closing: new AbortController().signal });
  assert.deepEqual([pace.mustAsk(), pace.mustAsk(), pace.mustAsk()], [true, true, true]);
  let isOver = false;
  const waiting = pace.wait(10_000).then(() => {
    isOver = true;
  });
  context.mock.timers.tick(299);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isOver, false);
  context.mock.timers.tick(1);
  await waiting;
});

test("a watch that has told of a write is believed: a quiet file is looked at every three seconds, a written one 50 and 350 ms after", async (context) => {
  const { watch, write, pass } = rig(context, { isWatched: true });
  assert.equal(await pass(1_200), "300! 600. 900. 1200.", "not believed yet");
  await write();
  assert.equal(await pass(400), "1250! 1550!");
  assert.equal(watch?.isTrusted, true);
  assert.equal(await pass(3_000), "4550!");
  await write();
  assert.equal(await pass(400), "4650! 4950!");
  // A second write between two polls: queried twice after it as well.
  await pass(50);
  await write();
  await pass(100);
  await write();
  assert.equal(await pass(700), "5400! 5700!");
});

test("what is written between a look and the moment somebody listens is found at once", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const watch = createWriteWatch("", () => () => {});
  watch?.judge(true);
  let version = "a";
  const clock = { wallMs: () => 0, elapsedMs: () => 0 };
  const closing = new AbortController();
  const pace = createPace({ clock, closing: closing.signal, version: () => version, watch });
  assert.deepEqual([pace.mustAsk(), pace.mustAsk(), pace.mustAsk()], [true, true, false]);
  version = "b";
  let isOver = false;
  const waiting = pace.wait(60_000).then(() => {
    isOver = true;
  });
  context.mock.timers.tick(50);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isOver, true);
  assert.equal(pace.mustAsk(), true);
  closing.abort();
  await waiting;
});

test("a file that is written all the time is not listened to until it is quiet, and is looked at every 300 ms", async (context) => {
  const { watch, write, pass } = rig(context, { isWatched: true });
  await pass(600);
  await write();
  await pass(3_500);
  assert.equal(watch?.isTrusted, true);
  const seen: string[] = [];
  for (let count = 0; count < 300; count += 1) {
    await write();
    seen.push(await pass(10));
  }
  const polls = seen.filter((look) => look !== "");
  assert.ok(polls.length >= 9 && polls.length <= 12, polls.join(" "));
  assert.ok(polls.every((look) => look.endsWith("!")));
  assert.equal(watch?.isOpen, false);
  await pass(1_000);
  assert.equal(watch?.isOpen, true);
});

test("a watch that does not tell of changes is given up, and the file is looked at as if there were none", async (context) => {
  const { watch, write, pass } = rig(context, { isWatched: true, isDeaf: true });
  for (let count = 0; count < 3; count += 1) {
    await pass(1_000);
    await write();
  }
  await pass(1_000);
  assert.equal(watch?.isOpen, false);
  await write();
  const polls = (await pass(900)).split(" ");
  assert.equal(polls.length, 3);
  assert.ok(polls[0]?.endsWith("!"));
});

test("one that told and then falls silent is found out by the looks that are sure", async (context) => {
  const { watch, write, pass } = rig(context, { isWatched: true });
  await pass(600);
  await write();
  await pass(1_000);
  assert.equal(watch?.isTrusted, true);
  for (let count = 0; count < 3; count += 1) {
    await write(true);
    assert.match(await pass(4_000), /!/, "found after three seconds");
  }
  assert.equal(watch?.isTrusted, false);
  await write(true);
  assert.match(await pass(300), /^\d+!$/, "and within 300 ms from then on");
});

test("a wait ends when its time is over, when the watch ends, and when the database is closed", async (context) => {
  const { write, pass, polls, looking, end, closing } = rig(context, { isWatched: true, waitMs: 10_000 });
  await pass(600);
  await write();
  await pass(1_000);
  // The file was moved away.
  end();
  assert.match(await pass(100), /!$/);
  await pass(7_000);
  polls.length = 0;
  await pass(2_000);
  await looking;
  closing.abort();
});
