/** `plaza backup`: commands on small installations, and everything that must be refused. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, test } from "node:test";
import { brotliDecompressSync } from "node:zlib";
import { type Clock, systemClock } from "../../lib/time/clock.ts";
import { openJournalFile } from "../../store/journal/file.ts";
import { openStoreInProcess } from "../../store/open.ts";
import { pushRequestValues, type RequestValue } from "../../store/requests/row.ts";
import type { Store } from "../../store/store.ts";
import {
  accountSubject,
  chargedRow,
  newAccount,
  priceOneNano,
  take,
} from "../../store/testing/behaviour/money.ts";
import type { Terminal } from "../command-io.ts";
import { runPlaza } from "../testing/run-plaza.ts";
import { commandLine } from "../testing/test-command-line.ts";

const folder = mkdtempSync(join(tmpdir(), "plaza-backups-"));
after(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
/** A path that does not exist. */
function fresh(): string {
  count += 1;
  return join(folder, String(count));
}

/** A clock that a test can move: backups are named by the second. */
function movedClock(): { clock: Clock; pass(ms: number): void } {
  let passedMs = 0;
  const wallMs = () => systemClock.wallMs() + passedMs;
  const elapsedMs = () => systemClock.elapsedMs() + passedMs;
  const pass = (ms: number): void => {
    passedMs += ms;
  };
  return { clock: { ...systemClock, wallMs, elapsedMs }, pass };
}

type Line = ReturnType<typeof commandLine>;

/** An account that paid for `requests` requests of 10 NanoUsd. */
async function fill({ dataDir, store }: Line, requests = 3): Promise<void> {
  mkdirSync(dataDir, { recursive: true });
  const open = await store();
  await open.migrate();
  await open.claimSealingKey();
  await newAccount(open, "acc_1", 1_000n);
  const priceId = await priceOneNano(open);
  for (let number = 1; number <= requests; number += 1)
    await open.recordRequest(chargedRow(number, "acc_1", 10n, priceId));
  await open.close();
}

/** Writes one settlement of an account to the journal; returns its id. */
async function journal({ dataDir }: Line, number: number, name: string): Promise<string> {
  mkdirSync(join(dataDir, "journal"), { recursive: true });
  const file = await openJournalFile(join(dataDir, "journal", name));
  const row = chargedRow(number, "acc_1", 10n, 1);
  const values: RequestValue[] = [];
  pushRequestValues(row, undefined, values);
  await file.append(values);
  await file.close();
  return row.id;
}

const backupsIn = (directory: string): string[] =>
  readdirSync(directory).filter((name) => name.endsWith(".plazabackup"));
const modeOf = (path: string): number => statSync(path).mode & 0o777;

/** A database with three requests and one settlement in the journal, and its backup. */
async function made(...words: string[]) {
  const { clock, pass } = movedClock();
  const line = commandLine({ PASS: "a passphrase of a test" }, clock);
  await fill(line);
  const id = await journal(line, 9, "journal-5-6-0-1.jsonl");
  const directory = fresh();
  const { status, err, value } = await line.json("backup", "create", directory, ...words);
  assert.equal(status, 0, err);
  return { line, id, directory, file: String(value.backup), value, pass };
}

describe("create, verify, restore", () => {
  test("a backup restores the database and the journal, with what was lost", async () => {
    const startedAt = Date.now();
    const { line, id, directory, file, value, pass } = await made();
    assert.match(file, /\/plaza-\d{8}T\d{6}Z\.plazabackup$/);
    assert.deepEqual(readdirSync(directory), backupsIn(directory), "nothing else is left");
    assert.deepEqual([modeOf(directory), modeOf(file)], [0o700, 0o600]);
    assert.equal(value.bytes, statSync(file).size);
    const { manifest } = value;
    assert.deepEqual(manifest.ledger, {
      accounts: 1,
      entries: 4,
      balances: "0.00000097",
      entriesSum: "0.00000097",
    });
    assert.deepEqual(manifest.journal, { files: 1, settlements: 1, ids: [id] });
    assert.equal(manifest.database.requests, 3);
    assert.match(manifest.sealingKey.fingerprint, /^[0-9a-f]{8}$/);
    assert.ok(!readFileSync(file).includes(readFileSync(join(line.dataDir, "secret.key"))));

    const verified = await line.json("backup", "verify", file);
    assert.deepEqual([verified.status, verified.value.ok], [0, true]);
    assert.deepEqual(verified.value.manifest, manifest);

    pass(312_000);
    const target = fresh();
    const restored = await line.json("backup", "restore", file, "--data", target);
    assert.equal(restored.status, 0, restored.err);
    assert.equal(restored.value.key, "missing");
    assert.deepEqual(restored.value.movedTo, []);
    const most = 313 + (Date.now() - startedAt) / 1_000;
    const { lostSeconds } = restored.value;
    assert.ok(lostSeconds >= 312 && lostSeconds <= most, `${lostSeconds} s of ${most}`);
    assert.deepEqual(readdirSync(target).sort(), ["journal", "plaza.sqlite"]);
    const journals = readdirSync(join(target, "journal"));
    assert.equal(journals.length, 1);
    assert.deepEqual(
      [target, join(target, "plaza.sqlite"), join(target, "journal")].map(modeOf),
      [0o700, 0o600, 0o700],
    );
    assert.equal(modeOf(join(target, "journal", String(journals[0]))), 0o600);
    copyFileSync(join(line.dataDir, "secret.key"), join(target, "secret.key"));
    const ledger = await line.json("ledger", "verify", "--data", target);
    assert.deepEqual([ledger.value.ok, ledger.value.requests], [true, 3]);
  });

  test("texts say what is in it, what is lost, and what to do about the key", async () => {
    const { line, file, pass } = await made();
    const again = await line.run("backup", "create", fresh());
    assert.match(again.out, /^Made .*\.plazabackup: \d+ KiB in [\d.]+ s\.\n/);
    assert.match(again.out, /It has 3 requests and 1 settlement of the journal\.\n/);
    assert.match(
      again.out,
      /Not in it: the sealing key [0-9a-f]{8}\. Keep a copy of .*secret\.key elsewhere/,
    );
    assert.match(
      (await line.run("backup", "verify", file)).out,
      /^The backup is good\. .*All sums are correct/,
    );
    pass(60_000);
    const target = fresh();
    const { out } = await line.run("backup", "restore", file, "--data", target);
    assert.match(out, /^Restored 3 requests and 1 account, with a balance of 0\.00000097 USD in all\.\n/);
    assert.match(
      out,
      /what was written in the \d+ seconds since then is lost\. Its newest request is from 20/,
    );
    assert.match(out, /The next start adds 1 settlement of the journal/);
    assert.match(out, /Before the start: copy the sealing key [0-9a-f]{8} to .*secret\.key/);
    assert.match(out, /All users are signed out/);
  });

  test("a terminal shows how far it is, in a line that is removed at the end", async () => {
    const { line } = await made();
    const terminal = async () => ({ showsProgress: true }) as Terminal;
    const env = { PLAZA_DATA_DIR: line.dataDir };
    const { err, out } = await runPlaza(["backup", "create", fresh()], { env, terminal });
    assert.match(err, /^\r.*writing the backup: \d+ % *\r *\r$/);
    assert.match(out, /^Made /);
  });

  test("an encrypted backup needs its passphrase; it comes from a file or a variable", async () => {
    const { line, file } = await made("--passphrase-from", "PASS");
    const words = ["backup", "verify", file];
    assert.equal((await line.json(...words)).value.error.code, "encrypted");
    const wrong = fresh();
    writeFileSync(wrong, "another passphrase\n");
    assert.equal((await line.json(...words, "--passphrase-file", wrong)).value.error.code, "encrypted");
    const right = fresh();
    writeFileSync(right, "a passphrase of a test\nand more\n");
    assert.equal((await line.json(...words, "--passphrase-file", right)).value.ok, true);
    assert.equal((await line.run("backup", "restore", file, "--data", fresh())).status, 1);
    const target = fresh();
    const restored = await line.run("backup", "restore", file, "--data", target, "--passphrase-from", "PASS");
    assert.equal(restored.status, 0, restored.err);
    assert.ok(existsSync(join(target, "plaza.sqlite")));
  });

  test("a passphrase that is missing, empty or short makes no backup", async () => {
    const line = commandLine({ SHORT: "short" });
    await fill(line);
    const directory = fresh();
    for (const [variable, code] of [
      ["NONE", "no_passphrase"],
      ["SHORT", "weak_passphrase"],
    ] as const) {
      const { value } = await line.json("backup", "create", directory, "--passphrase-from", variable);
      assert.equal(value.error.code, code);
    }
    assert.ok(!existsSync(directory));
  });
});

describe("the sealing key", () => {
  test("--with-key puts it into the backup, warns without a passphrase, and restores it", async () => {
    const line = commandLine({ PASS: "a passphrase of a test" });
    await fill(line);
    const open = await line.json("backup", "create", fresh(), "--with-key");
    assert.match(open.err, /^warning: this backup has the sealing key and no passphrase/);
    const sealed = await line.json("backup", "create", fresh(), "--with-key", "--passphrase-from", "PASS");
    assert.equal(sealed.err, "");
    const target = fresh();
    const { value } = await line.json("backup", "restore", open.value.backup, "--data", target);
    assert.equal(value.key, "restored");
    const file = join(target, "secret.key");
    assert.ok(readFileSync(file).equals(readFileSync(join(line.dataDir, "secret.key"))));
    assert.equal(modeOf(file), 0o600);
  });

  test("a key that is there already is compared, and stays", async () => {
    const { line, file } = await made("--with-key");
    const same = fresh();
    mkdirSync(same);
    copyFileSync(join(line.dataDir, "secret.key"), join(same, "secret.key"));
    assert.equal((await line.json("backup", "restore", file, "--data", same)).value.key, "fits");
    const other = fresh();
    mkdirSync(other);
    writeFileSync(join(other, "secret.key"), Buffer.alloc(32, 9));
    const { out } = await line.run("backup", "restore", file, "--data", other);
    assert.match(out, /belongs to the sealing key [0-9a-f]{8}, and another one is there/);
    assert.ok(readFileSync(join(other, "secret.key")).equals(Buffer.alloc(32, 9)));
  });

  test("a key from a variable is not put into a backup", async () => {
    const line = commandLine({ PLAZA_SECRET_KEY: Buffer.alloc(32, 3).toString("base64") });
    await fill(line);
    const directory = fresh();
    const { value } = await line.json("backup", "create", directory, "--with-key");
    assert.equal(value.error.code, "key_from_environment");
    assert.ok(!existsSync(directory));
  });
});

describe("--keep", () => {
  test("removes older backups, and nothing else, once the new one is good", async () => {
    const { line, directory, file, pass } = await made();
    const others = ["plaza-notes.txt", "plaza-29991231T000000Z.plazabackup"];
    for (const name of others) writeFileSync(join(directory, name), "mine, or of a clock that was ahead");
    const names = [file];
    for (let round = 0; round < 3; round += 1) {
      pass(1_000);
      const { value, err } = await line.json("backup", "create", directory, "--keep", "2");
      assert.equal(err, "");
      names.push(value.backup);
    }
    assert.deepEqual(
      readdirSync(directory).map((name) => join(directory, name)),
      [...names.slice(-2), ...others.map((name) => join(directory, name))].sort(),
    );
  });

  test("keeps the older ones when the ledger is not right, and the new one, too", async () => {
    const { line, directory, pass } = await made();
    const database = new DatabaseSync(join(line.dataDir, "plaza.sqlite"));
    database.exec("update accounts set balance_nanos = balance_nanos + 1");
    database.close();
    pass(1_000);
    const { status, value } = await line.json("backup", "create", directory, "--keep", "1");
    assert.deepEqual([status, value.error.code], [1, "unsound"]);
    assert.match(value.error.message, /acc_1: the balance is/);
    const [, newest = ""] = backupsIn(directory).sort();
    assert.equal(backupsIn(directory).length, 2);
    const file = join(directory, newest);
    const target = fresh();
    assert.equal((await line.run("backup", "restore", file, "--data", target)).status, 1);
    assert.ok(!existsSync(join(target, "plaza.sqlite")));
    const accepted = await line.run("backup", "restore", file, "--data", target, "--accept-findings");
    assert.match(accepted.out, /Its ledger does not balance: acc_1/);
  });
});

describe("what a restore meets", () => {
  test("a database or a journal that is there is left alone, and moved aside with --force", async () => {
    const { line, file, id, pass } = await made();
    const journalled = await journal(line, 10, "journal-5-6-1-1.jsonl");
    const open = await line.store();
    await open.recordRequest(chargedRow(4, "acc_1", 10n, 1));
    await open.close();
    const refused = await line.json("backup", "restore", file);
    assert.equal(refused.value.error.code, "not_empty");
    pass(60_000);
    const { status, value, err } = await line.json("backup", "restore", file, "--force");
    assert.equal(status, 0, err);
    assert.equal(value.lostRequests, 1);
    assert.equal(value.key, "fits");
    const moved = readdirSync(line.dataDir).filter((name) => name.includes(".replaced-"));
    assert.equal(moved.length, 2, String(moved));
    assert.deepEqual(moved.map((name) => join(line.dataDir, name)).sort(), [...value.movedTo].sort());
    const texts = readdirSync(join(line.dataDir, "journal")).map((name) =>
      readFileSync(join(line.dataDir, "journal", name), "utf8"),
    );
    for (const one of [id, journalled])
      assert.ok(
        texts.some((text) => text.includes(one)),
        one,
      );
  });

  test("a database that a server uses is not replaced", async () => {
    const { line, file } = await made();
    const open = await line.store();
    await open.openHolder("h1");
    const { value } = await line.json("backup", "restore", file, "--force");
    assert.equal(value.error.code, "in_use");
    await open.closeHolder("h1");
    await open.close();
    assert.equal((await line.run("backup", "restore", file, "--force")).status, 0);
  });

  test("sessions of the console end, also those that were ended after the backup", async () => {
    const line = commandLine();
    await fill(line);
    const database = new DatabaseSync(join(line.dataDir, "plaza.sqlite"));
    database.exec("pragma foreign_keys = off");
    database.exec(`insert into sessions (id, digest, user_id, csrf, created_at, rotated_at, seen_at, expires_at)
      values ('ses_1', 'd', 'usr_1', 'c', 1, 1, 1, 9999999999999)`);
    database.close();
    const { value } = await line.json("backup", "create", fresh());
    const target = fresh();
    assert.equal((await line.run("backup", "restore", value.backup, "--data", target)).status, 0);
    const restored = new DatabaseSync(join(target, "plaza.sqlite"));
    assert.deepEqual({ ...restored.prepare("select count(*) as count from sessions").get() }, { count: 0 });
    restored.close();
  });

  test("leases and calls under way of the servers of then are returned, as after a kill", async () => {
    const line = commandLine();
    await fill(line);
    const then = await line.store();
    await then.openHolder("h1");
    assert.equal((await take(then, "h1", accountSubject("acc_1"), 300n)).status, "granted");
    const claim = (store: Store, holderId: string, number: number) =>
      store.claimIdempotencyKey({
        accountId: "acc_1",
        key: "call-1",
        fingerprint: "body",
        requestId: chargedRow(number, "", 0n, 0).id,
        holderId,
        expiresAt: Date.now() + 86_400_000,
      });
    assert.deepEqual(await claim(then, "h1", 20), { kind: "claimed" });
    const { value } = await line.json("backup", "create", fresh());
    await then.closeHolder("h1");
    await then.close();
    const target = fresh();
    assert.equal((await line.run("backup", "restore", value.backup, "--data", target)).status, 0);
    const { clock, pass } = movedClock();
    pass(60_000);
    const database = { kind: "sqlite", file: join(target, "plaza.sqlite") } as const;
    const restored = await openStoreInProcess({ database, secretKey: Buffer.alloc(32), clock });
    await restored.openHolder("h2");
    assert.deepEqual(await claim(restored, "h2", 21), { kind: "in_flight" });
    await restored.heartbeat("h2");
    assert.deepEqual(await claim(restored, "h2", 22), { kind: "claimed" });
    const { balance, leased } = (await restored.findAccount("acc_1")) ?? {};
    assert.deepEqual([balance, leased], [970n, 0n]);
    assert.equal((await restored.verifyLedger()).isOk, true);
    await restored.close();
  });

  test("an older schema is backed up, checked and restored as it is; the next start migrates it", async () => {
    const line = commandLine();
    mkdirSync(line.dataDir);
    const corpus = new URL("../../../../test/upgrades/corpus/12.sqlite.br", import.meta.url);
    const file = join(line.dataDir, "plaza.sqlite");
    writeFileSync(file, brotliDecompressSync(readFileSync(corpus)));
    // A server of its version runs, which holds up a migration of the database, and none of its backup.
    const database = new DatabaseSync(file);
    database.exec(
      `insert into holders (id, expires_at, created_at) values ('old', ${Date.now() + 60_000}, 0)`,
    );
    database.close();
    const { value, err } = await line.json("backup", "create", fresh());
    assert.equal(err, "");
    assert.equal(value.manifest.database.schema, 12);
    assert.equal((await line.run("backup", "verify", value.backup)).status, 0);
    const target = fresh();
    const { out } = await line.run("backup", "restore", value.backup, "--data", target);
    assert.match(out, /Its schema is 12: the next start of this Plaza migrates it/);
    assert.deepEqual(readdirSync(target).sort(), ["journal", "plaza.sqlite"]);
    const restored = new DatabaseSync(join(target, "plaza.sqlite"), { readOnly: true });
    const { schema } = restored.prepare("select max(version) as schema from schema_migrations").get() ?? {};
    restored.close();
    assert.equal(schema, 12);
  });

  test("a newer schema is refused", async () => {
    const line = commandLine();
    await fill(line);
    const database = new DatabaseSync(join(line.dataDir, "plaza.sqlite"));
    database.exec("insert into schema_migrations (version, name, applied_at) values (9999, 'later', 1)");
    database.close();
    const { value } = await line.json("backup", "create", fresh());
    const target = fresh();
    for (const words of [["verify"], ["restore", "--data", target]]) {
      const [verb = "", ...more] = words;
      const refused = await line.json("backup", verb, value.backup, ...more);
      assert.equal(refused.value.error.code, "newer_backup");
      assert.match(refused.value.error.message, /schema 9999 by Plaza/);
    }
    assert.ok(!existsSync(join(target, "plaza.sqlite")));
  });
});

describe("what is not a good backup", () => {
  test("damage and a cut are found, and nothing is restored from them", async () => {
    const { line, file } = await made();
    const whole = readFileSync(file);
    const damaged = fresh();
    for (const at of [0, 30, 5_000, whole.length >> 1, whole.length - 700, whole.length - 1]) {
      const bytes = Buffer.from(whole);
      bytes.writeUInt8(bytes.readUInt8(at) ^ 4, at);
      writeFileSync(damaged, bytes);
      const { status, value } = await line.json("backup", "verify", damaged);
      assert.deepEqual([status, value.error.code], [1, "damaged"], `byte ${at}`);
    }
    writeFileSync(damaged, whole);
    truncateSync(damaged, whole.length - 1);
    const target = fresh();
    const { value } = await line.json("backup", "restore", damaged, "--data", target);
    assert.equal(value.error.code, "damaged");
    assert.deepEqual(readdirSync(target), []);
  });

  test("what is no file, no backup or no database is named", async () => {
    const { line, directory } = await made();
    const text = fresh();
    writeFileSync(text, "hello\n".repeat(100));
    const code = async (...words: string[]) => (await line.json("backup", ...words)).value.error.code;
    assert.equal(await code("verify", join(directory, "none")), "not_found");
    assert.equal(await code("verify", directory), "not_found");
    assert.equal(await code("verify", text), "damaged");
    assert.equal(await code("create", fresh(), "--data", fresh()), "not_found");
    assert.equal((await line.run("backup", "verify")).status, 2);
    assert.equal((await line.run("backup", "create", fresh(), "--keep", "0")).status, 2);
  });
});

describe("where no backup can be made", () => {
  test("PostgreSQL is refused with the way to do it", async () => {
    const line = commandLine({ PLAZA_DATABASE: "postgres://127.0.0.1:1/none" });
    const { value } = await line.json("backup", "create", fresh());
    assert.equal(value.error.code, "postgres");
    assert.match(value.error.message, /pg_dump.*docs\/operate\/backup\.md/);
  });

  test("a directory that is a file, or cannot be written, is named", async (context) => {
    const line = commandLine();
    await fill(line);
    const file = fresh();
    writeFileSync(file, "x");
    const { value } = await line.json("backup", "create", file);
    assert.match(value.error.message, /expected a directory, found a file/);
    if (process.getuid?.() === 0) return context.diagnostic("root may write everywhere");
    const closed = fresh();
    mkdirSync(closed);
    chmodSync(closed, 0o500);
    assert.match((await line.json("backup", "create", closed)).value.error.message, /permission denied/);
  });

  test("a disk without room is named, and nothing is left on it", async (context) => {
    const line = commandLine();
    await fill(line);
    const small = fresh();
    mkdirSync(small);
    if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", small]).status !== 0)
      return context.skip("a small file system can be mounted by root only");
    try {
      const { value } = await line.json("backup", "create", small);
      assert.equal(value.error.code, "disk_full");
      assert.match(value.error.message, /making the backup needs \d+ MiB in .*, and 1 MiB are free/);
      assert.deepEqual(readdirSync(small), []);
    } finally {
      spawnSync("umount", [small]);
    }
  });

  test("a restored database is checked by itself", async () => {
    const line = commandLine();
    await fill(line);
    const database = `sqlite:${join(line.dataDir, "plaza.sqlite")}`;
    assert.equal((await line.json("backup", "verify", "--database", database)).value.ok, true);
    const file = fresh();
    const verify = async () => (await line.json("backup", "verify", "--database", `sqlite:${file}`)).value;
    assert.equal((await verify()).error.code, "not_found");
    assert.ok(!existsSync(file));
    writeFileSync(file, "");
    assert.equal((await verify()).error.code, "older_schema");
  });
});
