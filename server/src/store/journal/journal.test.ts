import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { LogFields } from "../../lib/telemetry/log.ts";
import type { StoreCore } from "../core.ts";
import { createStore } from "../create-store.ts";
import { StoreError, storeErrorOf } from "../error.ts";
import type { LedgerBatch, LedgerReply } from "../ledger/batch.ts";
import type { LeaseSubject } from "../ledger/lease-shapes.ts";
import { openStoreInProcess } from "../open.ts";
import { at, valuesPerRequest } from "../requests/row.ts";
import { requestRow } from "../testing/behaviour/requests.ts";

/** Most event loop turns a test may take; a slow disk needs many. */
const turnsMax = 500_000;

const subject: LeaseSubject = { kind: "account", id: "acc_0", ownerId: "acc_0" };
const requested = { atLeast: 1n, need: 5n, want: 5n, unit: 5n };

/**
 * Turns per step of simulated time. On a slow disk, a write must finish before the database is considered
 * lost.
 */
const turnsPerStep = 8;

/** Advances simulated time, and lets real file operations run, until a condition is true. */
async function until(context: TestContext, isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < turnsMax; turn++) {
    if (isSo()) return;
    if (turn % turnsPerStep === 0) context.mock.timers.tick(2);
    await setImmediate();
  }
  assert.fail("it never came to that");
}

/** Advances time without waiting for a condition. */
async function pass(context: TestContext, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10) {
    context.mock.timers.tick(10);
    await setImmediate();
  }
}

type Mood = "well" | "hangs" | "gone" | "locked" | "reads only" | "deaf";

/** An in-memory ledger that can become unavailable and come back. */
function fakeDatabase() {
  const charged = new Map<string, number>();
  const refused = new Set<string>();
  const batches: LedgerBatch[] = [];
  let waiting: (() => void)[] = [];
  let mood: Mood = "well";
  /** Called just before a batch is committed. */
  let onCommit = (_batch: LedgerBatch): void => {};

  const failures: Partial<Record<Mood, StoreError>> = {
    gone: new StoreError("unavailable", "gone"),
    locked: new StoreError("locked", "locked"),
    "reads only": new StoreError("read_only", "reads only"),
  };

  function write(batch: LedgerBatch): LedgerReply {
    const faults = [];
    for (let offset = 0; offset < batch.values.length; offset += valuesPerRequest) {
      const id = String(batch.values[offset]);
      if (id.endsWith("7") && refused.has("all with a 7")) throw storeErrorOf("invalid", "not this one");
      if (refused.has(id)) faults.push({ index: offset / valuesPerRequest, message: "never" });
      else if (!charged.has(id)) charged.set(id, (charged.get(id) ?? 0) + 1);
    }
    const grants = batch.takes.map(() => {
      const none = nanoUsd(0n);
      return { status: "granted", amount: nanoUsd(5n), available: none, lentToOthers: none } as const;
    });
    return { faults, grants, returned: batch.returns.map(() => nanoUsd(1n)) };
  }

  async function whenAwake(): Promise<void> {
    if (mood === "hangs") await new Promise<void>((resolve) => waiting.push(resolve));
  }

  const core = {
    async commitLedger(batch: LedgerBatch) {
      onCommit(batch);
      if (mood === "deaf") await new Promise<void>((resolve) => waiting.push(resolve));
      await whenAwake();
      const failure = failures[mood];
      if (failure !== undefined) throw failure;
      batches.push(batch);
      return write(batch);
    },
    async ping() {
      await whenAwake();
      if (mood === "gone") throw failures.gone;
    },
    openHolder: async () => {},
    closeHolder: async () => {},
    close: async () => {},
  } as unknown as StoreCore;

  return {
    core,
    charged,
    refused,
    batches,
    /** `deaf`: pings are answered but commits hang. They continue when the mood changes. */
    become(next: Mood) {
      mood = next;
      const awakened = waiting;
      waiting = [];
      for (const wake of awakened) wake();
    },
    whenCommitting(action: (batch: LedgerBatch) => void) {
      onCommit = action;
    },
  };
}

function newStage(context: TestContext) {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const directory = mkdtempSync(join(tmpdir(), "plaza-journal-"));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  const events: { event: string; fields: LogFields | undefined }[] = [];
  const note = (event: string, fields?: LogFields): void => void events.push({ event, fields });
  const log = { debug: note, info: note, warn: note, error: note };
  const database = fakeDatabase();
  const store = createStore(database.core, { directory, log });
  return {
    ...database,
    directory,
    store,
    log,
    names: () => events.map(({ event }) => event),
    events,
    /** The lines kept on disk. */
    kept(prefix = "journal-") {
      const files = readdirSync(directory).filter((name) => name.startsWith(prefix));
      return files.flatMap((name) => readFileSync(join(directory, name), "utf8").split("\n")).filter(Boolean);
    },
    record: (number: number) => store.recordRequest(requestRow(number)),
    take: () => store.takeLease("h", subject, requested),
  };
}

/** Tracks the state of a promise. */
function watched<T>(promise: Promise<T>) {
  const seen: { value?: T; error?: Error; isOver: boolean } = { isOver: false };
  promise.then(
    (value) => Object.assign(seen, { value, isOver: true }),
    (error) => Object.assign(seen, { error, isOver: true }),
  );
  return seen;
}

const ids = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => requestRow(from + index).id);

test("while the database is here, nothing is journalled", async (context) => {
  const stage = newStage(context);
  await Promise.all([stage.record(1), stage.record(2)]);
  assert.equal((await stage.take()).status, "granted");
  assert.deepEqual([...stage.charged.keys()], ids(1, 3));
  await stage.store.close();
  assert.deepEqual([stage.kept(), stage.names()], [[], []]);
});

test("a slow commit goes to the journal and the caller goes on; that it succeeds later changes nothing", async (context) => {
  const stage = newStage(context);
  stage.become("deaf");
  const recorded = watched(stage.record(1));
  await pass(context, 150);
  assert.equal(recorded.isOver, false);
  await until(context, () => recorded.isOver);
  assert.equal(recorded.error, undefined);
  assert.equal(stage.kept().length, 1);
  assert.equal(stage.charged.size, 0);
  // The next ones do not wait.
  const next = watched(stage.record(2));
  for (let turn = 0; turn < turnsMax && !next.isOver; turn++) await setImmediate();
  assert.equal(stage.kept().length, 2);
  stage.become("well");
  await until(context, () => stage.names().includes("ledger_journal_ends"));
  assert.deepEqual(
    [...stage.charged],
    ids(1, 3).map((id) => [id, 1]),
  );
  assert.deepEqual([stage.kept().length, stage.names()[0]], [0, "ledger_journal_begins"]);
  const sent = stage.batches.length;
  await stage.record(3);
  assert.equal(stage.batches.length, sent + 1);
});

test("a database that is gone: requests are kept at once, leases fail at once, and all is handed over when it is back", async (context) => {
  const stage = newStage(context);
  stage.become("gone");
  await stage.record(1);
  // No simulated time passes here, so neither call waits.
  await assert.rejects(stage.take(), { code: "unavailable" });
  await assert.rejects(stage.store.returnLease("h", subject, nanoUsd(1n)), { code: "unavailable" });
  await Promise.all([stage.record(2), stage.record(3)]);
  await pass(context, 3_000);
  await stage.record(4);
  assert.equal(stage.kept().length, 4);
  stage.become("well");
  await until(context, () => stage.names().includes("ledger_journal_ends"));
  assert.deepEqual(
    [...stage.charged],
    ids(1, 5).map((id) => [id, 1]),
  );
  assert.equal((await stage.take()).status, "granted");
  assert.equal(stage.names().filter((name) => name === "ledger_journal_begins").length, 1);
});

test("a database that hangs refuses waiting leases when not even a ping is answered", async (context) => {
  const stage = newStage(context);
  stage.become("hangs");
  const taken = watched(stage.take());
  await pass(context, 1_100);
  assert.equal(taken.isOver, false);
  await pass(context, 200);
  assert.match(String(taken.error), /does not answer/);
  await assert.rejects(stage.take(), { code: "unavailable" });
});

test("a database that is merely slow refuses no lease", async (context) => {
  const stage = newStage(context);
  stage.become("deaf");
  const taken = watched(stage.take());
  await pass(context, 3_000);
  assert.equal(taken.isOver, false);
  const second = watched(stage.take());
  await pass(context, 500);
  stage.become("well");
  await until(context, () => second.isOver);
  assert.deepEqual([taken.value?.status, second.value?.status], ["granted", "granted"]);
});

test("takes and returns are done in the order of the calls, also when the database is slow", async (context) => {
  const stage = newStage(context);
  stage.become("deaf");
  const order: string[] = [];
  stage.whenCommitting(({ returns, takes }) => {
    if (returns.length > 0) order.push("return");
    if (takes.length > 0) order.push("take");
  });
  const returned = watched(stage.store.returnLease("h", subject, "all"));
  await pass(context, 1_000);
  const taken = watched(stage.take());
  await stage.record(1);
  await pass(context, 1_000);
  assert.deepEqual(order, ["return"]);
  stage.become("well");
  await until(context, () => returned.isOver && taken.isOver);
  assert.deepEqual(order, ["return", "take"]);
});

test("a database that only reads, or is locked, does not count as back because it answers", async (context) => {
  for (const mood of ["reads only", "locked"] as const) {
    const stage = newStage(context);
    stage.become(mood);
    await stage.record(1);
    await pass(context, 3_000);
    assert.equal(stage.kept().length, 1);
    assert.deepEqual(
      stage.names().filter((name) => name === "ledger_journal_ends"),
      [],
    );
    stage.become("well");
    await until(context, () => stage.names().includes("ledger_journal_ends"));
    assert.deepEqual([...stage.charged], [[requestRow(1).id, 1]]);
    context.mock.timers.reset();
  }
});

test("a lease is not given back wholly while something that it pays for is still kept", async (context) => {
  const stage = newStage(context);
  stage.become("deaf");
  const recorded = watched(stage.record(1));
  await until(context, () => recorded.isOver);
  const all = watched(stage.store.returnLease("h", subject, "all"));
  const part = watched(stage.store.returnLease("h", subject, nanoUsd(1n)));
  await pass(context, 100);
  stage.become("well");
  await until(context, () => all.isOver && part.isOver);
  assert.equal((all.error as StoreError | undefined)?.code, "unavailable");
  assert.equal(part.error, undefined);
  assert.equal(part.value, 1n);
  await until(context, () => stage.names().includes("ledger_journal_ends"));
  assert.equal(await stage.store.returnLease("h", subject, "all"), 1n);
});

test("a holder ends only when what its leases pay for is settled", async (context) => {
  const stage = newStage(context);
  stage.become("gone");
  await stage.record(1);
  await assert.rejects(stage.store.closeHolder("h"), { code: "unavailable" });
  stage.become("well");
  await stage.store.closeHolder("h");
  assert.deepEqual([...stage.charged.keys()], [requestRow(1).id]);
});

test("what is appended while others are handed over is handed over too, once", async (context) => {
  const stage = newStage(context);
  stage.become("gone");
  await Promise.all(Array.from({ length: 1_200 }, (_, number) => stage.record(number)));
  let next = 1_200;
  const later: Promise<void>[] = [];
  stage.whenCommitting(({ values }) => {
    if (values.length > valuesPerRequest && next < 1_210) later.push(stage.record(next++));
  });
  stage.become("well");
  await until(context, () => stage.names().includes("ledger_journal_ends"));
  await Promise.all(later);
  assert.deepEqual([...stage.charged.keys()].sort(), ids(0, next));
  assert.ok([...stage.charged.values()].every((times) => times === 1));
});

test("the journal ends under constant load when the database is quick again", async (context) => {
  const stage = newStage(context);
  stage.become("gone");
  await Promise.all(Array.from({ length: 600 }, (_, number) => stage.record(number)));
  let next = 600;
  let isOver = false;
  // Always eight more in flight, so appends follow each other without a pause.
  const lanes = Array.from({ length: 8 }, async () => {
    while (!isOver) await stage.record(next++);
  });
  await pass(context, 500);
  stage.become("well");
  await until(context, () => stage.names().includes("ledger_journal_ends"));
  isOver = true;
  await Promise.all(lanes);
  await stage.store.close();
  assert.deepEqual([...stage.charged.keys()].sort(), ids(0, next));
  assert.deepEqual(stage.kept(), []);
});

test("a request the ledger refuses holds up no other, and is kept beside with the reason", async (context) => {
  const stage = newStage(context);
  stage.become("gone");
  await Promise.all(Array.from({ length: 20 }, (_, number) => stage.record(number)));
  // One that is refused by name, and two that make the whole batch fail.
  stage.refused.add(requestRow(3).id).add("all with a 7");
  stage.become("well");
  await until(context, () => stage.names().includes("ledger_journal_ends"));
  assert.equal(stage.charged.size, 17);
  const refused = stage.events.filter(({ event }) => event === "ledger_journal_row_refused");
  assert.deepEqual(
    refused.map(({ fields }) => [fields?.["request"], fields?.["reason"]]).sort(),
    [
      [requestRow(17).id, "not this one"],
      [requestRow(3).id, "never"],
      [requestRow(7).id, "not this one"],
    ].sort(),
  );
  const lines = stage.kept("rejected-").map((line) => JSON.parse(line) as { line: string });
  assert.deepEqual(
    lines.map(({ line }) => (JSON.parse(line) as string[])[0]).sort(),
    refused.map(({ fields }) => fields?.["request"]).sort(),
  );
  assert.deepEqual(stage.kept(), []);
});

test("a journal that is full refuses, and takes again when it was handed over", async (context) => {
  const stage = newStage(context);
  const { Journal } = await import("./journal.ts");
  const journal = new Journal({
    core: stage.core,
    directory: stage.directory,
    log: stage.log,
    bytesMax: 2_000,
  });
  const values = (number: number) => [requestRow(number).id, ...Array<null>(valuesPerRequest - 1).fill(null)];
  const send = (number: number) => journal.send({ values: values(number), returns: [], takes: [] }).rows;
  stage.become("gone");
  let kept = 0;
  await assert.rejects(
    async () => {
      for (; kept < 100; kept++) await send(kept);
    },
    { code: "queue_full" },
  );
  assert.ok(kept > 1 && kept < 100);
  stage.become("well");
  await until(context, () => stage.names().includes("ledger_journal_ends"));
  await send(100);
  assert.equal(stage.charged.size, kept + 1);
  await journal.close();
});

test("the database is told when something waits in the journal, until it knows, and when nothing does any more", async (context) => {
  const stage = newStage(context);
  const { Journal } = await import("./journal.ts");
  const told: boolean[] = [];
  let isDeaf = true;
  const journal = new Journal({
    core: stage.core,
    directory: stage.directory,
    log: stage.log,
    async note(hasJournal) {
      told.push(hasJournal);
      if (isDeaf) throw new StoreError("unavailable", "gone");
    },
  });
  const values = [requestRow(1).id, ...Array<null>(valuesPerRequest - 1).fill(null)];
  stage.become("gone");
  await journal.send({ values, returns: [], takes: [] }).rows;
  await until(context, () => told.length > 0);
  isDeaf = false;
  stage.become("reads only");
  await until(context, () => told.length > 1);
  assert.deepEqual(told, [true, true]);
  stage.become("well");
  await until(context, () => stage.names().includes("ledger_journal_ends"));
  await until(context, () => told.length > 2);
  assert.deepEqual(told, [true, true, false]);
  await journal.close();
});

test("a journal that is half full keeps its room for what has to be paid", async (context) => {
  const stage = newStage(context);
  const { Journal } = await import("./journal.ts");
  const journal = new Journal({
    core: stage.core,
    directory: stage.directory,
    log: stage.log,
    bytesMax: 10_000,
  });
  const send = (number: number, charge: bigint) => {
    const values = [requestRow(number).id, ...Array<null | bigint>(valuesPerRequest - 1).fill(null)];
    values[at.charge] = charge;
    return journal.send({ values, returns: [], takes: [] }).rows;
  };
  stage.become("gone");
  const refusals: number[] = [];
  for (let number = 0; number < 100; number++) {
    const faults = await send(number, 0n);
    if (faults.length > 0) refusals.push(number);
  }
  const first = refusals[0] as number;
  assert.ok(first > 1 && refusals.length === 100 - first, `refused from ${first} on`);
  assert.deepEqual(await send(100, 5n), []);
  stage.become("well");
  await until(context, () => stage.names().includes("ledger_journal_ends"));
  assert.equal(stage.charged.size, first + 1);
  await journal.close();
});

test("where neither the journal nor a hanging database takes a request, the commit's own end decides", async (context) => {
  const stage = newStage(context);
  rmSync(stage.directory, { recursive: true });
  const { writeFileSync } = await import("node:fs");
  writeFileSync(stage.directory, "a file where the folder should be");
  stage.become("deaf");
  const saved = watched(stage.record(1));
  await pass(context, 1_000);
  assert.equal(saved.isOver, false);
  stage.become("well");
  await until(context, () => saved.isOver);
  assert.equal(saved.error, undefined);
  stage.become("gone");
  const lostOne = watched(stage.record(2));
  await until(context, () => lostOne.isOver);
  assert.equal((lostOne.error as StoreError | undefined)?.code, "io");
});

test("closing hands over what is left; without a database it stays for the next start", async (context) => {
  const stage = newStage(context);
  stage.become("gone");
  await stage.record(1);
  await stage.store.close();
  assert.equal(stage.kept().length, 1);
  assert.ok(stage.names().includes("ledger_journal_left"));
  const next = createStore(stage.core, { directory: stage.directory, log: stage.log });
  await next.openHolder("h2");
  await next.recordRequest(requestRow(2));
  assert.equal(stage.kept().length, 2);
  stage.become("well");
  await next.close();
  assert.deepEqual(
    [...stage.charged].sort(),
    ids(1, 3).map((id) => [id, 1]),
  );
  assert.deepEqual(readdirSync(stage.directory), []);
});

test("a folder that cannot be written refuses the start, and is tried again", async (context) => {
  const stage = newStage(context);
  const { mkdirSync, writeFileSync } = await import("node:fs");
  rmSync(stage.directory, { recursive: true });
  writeFileSync(stage.directory, "");
  await assert.rejects(stage.store.openHolder("h"), { code: "io" });
  rmSync(stage.directory);
  mkdirSync(stage.directory);
  await stage.store.openHolder("h");
  await stage.store.close();
});

test("what a process journalled before kill -9 is settled by the next one, from its lease, once", async (context) => {
  const directory = mkdtempSync(join(tmpdir(), "plaza-journal-"));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  const place = { kind: "sqlite", file: join(directory, "p.db") } as const;
  const silent = () => {};
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const secretKey = Buffer.alloc(32);
  const journal = { directory: join(directory, "journal"), log };
  const setUp = await openStoreInProcess({ database: place, secretKey });
  await setUp.migrate();
  await setUp.createAccount({ id: "acc_0", name: "x", balance: nanoUsd(1_000n) });
  const child = spawn(
    process.execPath,
    [new URL("../testing/test-journal-writer.ts", import.meta.url).pathname, place.file, journal.directory],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  context.after(() => child.kill("SIGKILL"));
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  assert.equal(said.toString(), "journalled\n");
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.equal((await setUp.listRequests({ limit: 99 })).length, 0);
  for (let start = 0; start < 2; start++) {
    const next = await openStoreInProcess({ database: place, secretKey, journal });
    await next.openHolder(`next-${start}`);
    await next.close();
  }
  const { balance, leased } = (await setUp.findAccount("acc_0")) ?? {};
  assert.deepEqual([balance, leased], [970n, 70n]);
  assert.equal((await setUp.listRequests({ limit: 99 })).length, 3);
  assert.deepEqual(
    (await setUp.listEntries({ accountId: "acc_0", limit: 99 })).map(({ kind }) => kind).sort(),
    ["charge", "charge", "charge", "topup"],
  );
  assert.deepEqual(readdirSync(journal.directory), []);
  await setUp.close();
});
