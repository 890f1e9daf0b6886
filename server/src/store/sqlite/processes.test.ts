/** Several processes on one database file, and processes killed while they write. */
import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Readable } from "node:stream";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { migrations } from "../migrations/index.ts";

const writer = fileURLToPath(new URL("../testing/test-writer.ts", import.meta.url));
const key = randomBytes(32).toString("hex");

function newFile(context: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "store-"));
  context.after(() => rmSync(directory, { recursive: true }));
  return join(directory, "plaza.db");
}

interface Writer {
  readonly child: ChildProcessByStdio<null, Readable, null>;
  /** Complete lines printed so far; a line cut off by a kill does not count. */
  readonly lines: () => string[];
  readonly exited: Promise<unknown>;
}

function startWriter(context: TestContext, file: string, prefix: string, rows: number): Writer {
  const child = spawn(process.execPath, [writer, file, key, prefix, String(rows)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  context.after(() => child.kill("SIGKILL"));
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  return { child, lines: () => text.split("\n").slice(0, -1), exited: once(child, "close") };
}

/** Resolves when the writer has printed `count` lines. */
async function printed(started: Writer, count: number): Promise<void> {
  while (started.lines().length < count) await once(started.child.stdout, "data");
}

function query(file: string, sql: string): string[] {
  const database = new DatabaseSync(file);
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => String(Object.values(row)[0]));
  } finally {
    database.close();
  }
}

const idsIn = (file: string): Set<string> => new Set(query(file, "select id from requests"));

test("four processes that start at once on a new file migrate it once and lose none of each other's rows", async (context) => {
  const file = newFile(context);
  const writers = ["a", "b", "c", "d"].map((prefix) => startWriter(context, file, prefix, 150));
  const exits = await Promise.all(writers.map(({ exited }) => exited));
  assert.deepEqual(
    exits,
    writers.map(() => [0, null]),
  );
  assert.deepEqual(
    query(file, "select version from schema_migrations"),
    migrations.map(({ version }) => String(version)),
  );
  const stored = idsIn(file);
  const acknowledged = writers.flatMap(({ lines }) => lines().slice(1));
  assert.equal(new Set(acknowledged).size, 600);
  assert.equal(stored.size, 600);
  assert.deepEqual(
    acknowledged.filter((id) => !stored.has(id)),
    [],
  );
});

test("every row acknowledged before a kill -9 is there afterwards", async (context) => {
  const file = newFile(context);
  const acknowledged: string[] = [];
  for (let cycle = 0; cycle < 6; cycle++) {
    const started = startWriter(context, file, `cycle${cycle}`, 0);
    const rows = randomInt(1, 1_500);
    context.diagnostic(`cycle ${cycle}: killed after ${rows} acknowledged rows`);
    await printed(started, 1 + rows);
    started.child.kill("SIGKILL");
    await started.exited;
    acknowledged.push(...started.lines().slice(1));
    const stored = idsIn(file);
    assert.deepEqual(
      acknowledged.filter((id) => !stored.has(id)),
      [],
    );
    assert.deepEqual(query(file, "pragma integrity_check"), ["ok"]);
  }
  assert.ok(acknowledged.length >= 6);
});
