/** Backups beside writers, on disks that fill up, and of commands that are killed. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, watch } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { commandLine } from "../cli/testing/test-command-line.ts";
import { systemClock } from "../lib/time/clock.ts";
import { newAccount } from "../store/testing/behaviour/money.ts";
import { createBackup } from "./create.ts";
import { openDirectory } from "./places/directory.ts";
import type { BackupPlace } from "./places/place.ts";
import { requireRoom } from "./work-folder.ts";

const charger = fileURLToPath(new URL("../cli/testing/test-charger.ts", import.meta.url));
const main = fileURLToPath(new URL("../cli/main.ts", import.meta.url));
const line = commandLine();
const folder = mkdtempSync(join(tmpdir(), "plaza-backups-"));
after(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
function fresh(): string {
  count += 1;
  return join(folder, String(count));
}

before(async () => {
  mkdirSync(line.dataDir);
  const store = await line.store();
  await store.migrate();
  await newAccount(store, "acc_1", 1_000_000_000n);
  await store.close();
});

const backupsIn = (directory: string): string[] =>
  existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith(".plazabackup")) : [];

test("backups made while another process commits steadily are consistent, and it goes on", async () => {
  const writer = spawn(process.execPath, [charger, line.dataDir, "acc_1"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(writer, "exit");
  try {
    await once(writer.stdout, "data");
    let before = 0;
    for (let round = 0; round < 4; round += 1) {
      const { value, err } = await line.json("backup", "create", fresh());
      assert.equal(err, "");
      // Its balances are the sum of its entries, and it has more requests than the one before.
      const { status, value: verified } = await line.json("backup", "verify", value.backup);
      assert.equal(status, 0, JSON.stringify(verified));
      const { requests } = verified.manifest.database;
      assert.ok(requests > before, `${requests} after ${before}`);
      assert.equal(verified.manifest.ledger.entries, requests + 1);
      before = requests;
    }
  } finally {
    writer.stdin.end();
    assert.deepEqual(await ended, [0, null]);
  }
});

const options = (place: BackupPlace) => ({
  database: join(line.dataDir, "plaza.sqlite"),
  journal: join(line.dataDir, "journal"),
  keyFile: undefined,
  passphrase: undefined,
  place,
  wallMs: () => systemClock.wallMs(),
  onProgress: () => {},
});

test("a disk that fills up while a backup is written leaves nothing there", async () => {
  const directory = fresh();
  const real = await openDirectory(directory);
  let writes = 0;
  const full = Object.assign(new Error("no space left"), { code: "ENOSPC" });
  const filling: BackupPlace = {
    ...real,
    async begin(...words) {
      const upload = await real.begin(...words);
      return {
        ...upload,
        async write(bytes) {
          writes += 1;
          if (writes === 2) throw full;
          await upload.write(bytes);
        },
      };
    },
  };
  await assert.rejects(createBackup(options(filling)), full);
  assert.deepEqual(readdirSync(directory), []);
  await assert.rejects(
    requireRoom(directory, 2 ** 60, "making the backup"),
    /making the backup needs \d+ MiB in .* free some space/,
  );
});

test("a backup of the same second is not replaced", async () => {
  const place = await openDirectory(fresh());
  const same = { ...options(place), wallMs: () => 1_800_000_000_000 };
  const { name } = await createBackup(same);
  await assert.rejects(createBackup(same), /exists already/);
  assert.deepEqual(readdirSync(place.shown), [name]);
});

/** Starts `plaza backup create` and kills it at the nth change in the directory. */
async function killedAt(change: number, signal: NodeJS.Signals): Promise<string> {
  const directory = fresh();
  mkdirSync(directory);
  const watcher = watch(directory, { recursive: true });
  const child = spawn(process.execPath, [main, "backup", "create", directory, "--data", line.dataDir], {
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  let changes = 0;
  watcher.on("change", () => {
    changes += 1;
    if (changes === change) child.kill(signal);
  });
  await ended;
  watcher.close();
  return directory;
}

test("a create that is killed leaves nothing that looks like a backup and is none", async () => {
  const database = new DatabaseSync(join(line.dataDir, "plaza.sqlite"));
  database.exec("pragma foreign_keys = off");
  database.exec("create table if not exists ballast (bytes)");
  database.exec("insert into ballast values (zeroblob(8000000))");
  database.close();
  for (const change of [1, 2, 3, 4, 6, 8]) {
    const directory = await killedAt(change, "SIGKILL");
    for (const name of backupsIn(directory)) {
      const { status } = await line.run("backup", "verify", join(directory, name));
      assert.equal(status, 0, `killed at change ${change}`);
    }
  }
});

test("one that is interrupted removes what it had begun", async () => {
  const directory = await killedAt(2, "SIGTERM");
  const left = readdirSync(directory).filter((name) => !name.endsWith(".plazabackup"));
  assert.deepEqual(left, []);
});
