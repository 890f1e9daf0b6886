/** What SQLite's files guarantee: permissions, sealed secrets, failures, and the content of tables. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { type Catalog, defaultTimeouts } from "@plaza/contract/catalog.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { StoreError } from "../error.ts";
import { openStore, openStoreInProcess } from "../open.ts";
import { requestRow } from "../testing/behaviour/requests.ts";

const secretKey = randomBytes(32);

function newDirectory(context: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "store-"));
  context.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

async function newStore(
  context: TestContext,
  open: typeof openStore = openStoreInProcess,
  busyTimeoutMs = 5_000,
) {
  const directory = newDirectory(context);
  const file = join(directory, "plaza.db");
  const store = await open({ database: { kind: "sqlite", file }, secretKey, busyTimeoutMs });
  context.after(() => store.close());
  await store.migrate();
  return { directory, file, store };
}

/** Rows as SQL returns them, with integers as bigint. */
function rowsOf(file: string, sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(file, { readBigInts: true });
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    database.close();
  }
}

const catalogWith = (secret: string, input: bigint): Catalog => ({
  upstreams: [
    {
      id: "main",
      provider: "openai",
      baseUrl: "http://127.0.0.1:1/v1",
      credentials: [secret],
      timeouts: defaultTimeouts,
    },
  ],
  models: [{ id: "x", name: "X", price: { input: nanoUsd(input), output: nanoUsd(5n) }, deployments: [] }],
  limits: {},
});

test("a credential is in no file of the database in clear", async (context) => {
  const { store, directory } = await newStore(context);
  const canary = `canary-${randomBytes(12).toString("hex")}`;
  await store.applyCatalog(catalogWith(canary, 1n));
  await store.applyCatalog(catalogWith(`${canary}-rotated`, 2n));
  assert.equal((await store.loadCatalog())?.upstreams[0]?.credentials[0], `${canary}-rotated`);
  const files = readdirSync(directory);
  assert.ok(files.includes("plaza.db-wal"), "the log must be looked at too");
  const forms = [
    canary,
    Buffer.from(canary).toString("base64url").slice(0, -2),
    Buffer.from(canary).toString("hex"),
  ];
  for (const name of files) {
    const content = readFileSync(join(directory, name));
    for (const form of forms) assert.equal(content.indexOf(form), -1, name);
  }
  const found = files.some((name) => readFileSync(join(directory, name)).includes("http://127.0.0.1:1/v1"));
  assert.ok(found, "the search would find what is there");
});

test("the files are for their owner only", { skip: process.platform === "win32" }, async (context) => {
  const { directory } = await newStore(context);
  for (const name of readdirSync(directory))
    assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600, name);
});

test("a balance is the sum of its ledger entries, which cannot be edited", async (context) => {
  const { store, file } = await newStore(context);
  for (const [id, balance] of [
    ["a", 0n],
    ["b", 9_007_199_254_740_993n],
    ["c", 10n ** 18n],
  ] as const) {
    await store.createAccount({ id, name: id, balance: nanoUsd(balance) });
  }
  const sums = rowsOf(
    file,
    `select accounts.id, balance_nanos, coalesce(sum(amount_nanos), 0) as total, count(kind) as lines
     from accounts left join ledger_entries on account_id = accounts.id group by accounts.id`,
  );
  assert.deepEqual(sums, [
    { id: "a", balance_nanos: 0n, total: 0n, lines: 0n },
    { id: "b", balance_nanos: 9_007_199_254_740_993n, total: 9_007_199_254_740_993n, lines: 1n },
    { id: "c", balance_nanos: 10n ** 18n, total: 10n ** 18n, lines: 1n },
  ]);
  assert.throws(() => rowsOf(file, "update ledger_entries set amount_nanos = 1"), /append-only/);
  assert.throws(() => rowsOf(file, "delete from ledger_entries"), /append-only/);
  assert.throws(() => rowsOf(file, "update accounts set balance_nanos = -1"), /CHECK/);
  assert.throws(
    () =>
      rowsOf(
        file,
        "insert into ledger_entries (account_id, kind, amount_nanos, created_at) values ('a', 'charge', 1, 0)",
      ),
    /CHECK/,
  );
  assert.throws(
    () =>
      rowsOf(
        file,
        "insert into ledger_entries (account_id, kind, amount_nanos, created_at) values ('zz', 'topup', 1, 0)",
      ),
    /FOREIGN KEY/,
  );
});

test("price rows only grow, say the same from now on even when the clock goes back, and outlive their model", async (context) => {
  const file = join(newDirectory(context), "plaza.db");
  let nowMs = 1_000;
  const store = await openStoreInProcess({
    database: { kind: "sqlite", file },
    secretKey,
    clock: { wallMs: () => nowMs, elapsedMs: () => 0 },
  });
  context.after(() => store.close());
  await store.migrate();
  for (const [atMs, input] of [
    [1_000, 1n],
    [2_000, 1n],
    [3_000, 2n],
    [500, 3n],
    [600, 3n],
  ] as const) {
    nowMs = atMs;
    await store.applyCatalog(catalogWith("secret", input));
  }
  const { models: _, ...rest } = catalogWith("secret", 3n);
  await store.applyCatalog({ ...rest, models: [] });
  assert.deepEqual(
    rowsOf(file, "select model_id, valid_from, input_nanos, output_nanos from prices order by id"),
    [
      { model_id: "x", valid_from: 1_000n, input_nanos: 1n, output_nanos: 5n },
      { model_id: "x", valid_from: 3_000n, input_nanos: 2n, output_nanos: 5n },
      { model_id: "x", valid_from: 500n, input_nanos: 3n, output_nanos: 5n },
      // Overridden by later rows with the same start, which would otherwise apply again.
      { model_id: "x", valid_from: 1_000n, input_nanos: 3n, output_nanos: 5n },
      { model_id: "x", valid_from: 3_000n, input_nanos: 3n, output_nanos: 5n },
    ],
  );
  assert.throws(() => rowsOf(file, "update prices set input_nanos = 1"), /append-only/);
});

test("the feed gives 1,000 lines at a time and forgets what is older than a day, but never the newest", async (context) => {
  let nowMs = 0;
  const store = await openStoreInProcess({
    database: { kind: "sqlite", file: ":memory:" },
    secretKey,
    clock: { wallMs: () => nowMs, elapsedMs: () => 0 },
  });
  context.after(() => store.close());
  await store.migrate();
  const add = (number: number) => store.createAccount({ id: `a${number}`, name: "A", balance: nanoUsd(0n) });
  for (let number = 1; number <= 1_099; number++) await add(number);
  assert.deepEqual(
    (await store.listChanges(0)).map(({ id }) => id),
    Array.from({ length: 1_000 }, (_, index) => index + 1),
  );
  assert.equal((await store.listChanges(1_000)).length, 99);
  nowMs = 24 * 60 * 60 * 1000 + 1;
  await add(1_100);
  assert.deepEqual(await store.listChanges(0), [{ id: 1_100, kind: "account", subject: "a1100" }]);
  assert.equal(await store.lastChangeId(), 1_100);
});

for (const [name, open] of [
  ["in the process", openStoreInProcess],
  ["in a thread", openStore],
] as const) {
  test(`a batch refused because of another process's lock is followed by ones that succeed (${name})`, async (context) => {
    const { store, file } = await newStore(context, open, 50);
    await store.recordRequest(requestRow(1));
    const other = new DatabaseSync(file);
    context.after(() => other.close());
    other.exec("begin immediate");
    await assert.rejects(store.recordRequest(requestRow(2)), {
      code: "locked",
      message: /another process keeps the database .* locked/,
    });
    await assert.rejects(store.createAccount({ id: "a", name: "A", balance: nanoUsd(1n) }), {
      code: "locked",
    });
    assert.equal((await store.listRequests({ limit: 9 })).length, 1);
    other.exec("rollback");
    await store.recordRequest(requestRow(3));
    await store.recordRequest(requestRow(2));
    assert.equal((await store.listRequests({ limit: 9 })).length, 3);
  });
}

test("a lock that is given up in time is waited for", async (context) => {
  const { store, file } = await newStore(context);
  const other = new DatabaseSync(file);
  context.after(() => other.close());
  other.exec("begin immediate");
  let isRecorded = false;
  const recorded = store.recordRequest(requestRow(1)).then(() => {
    isRecorded = true;
  });
  // In-process, the batch meets the lock within these event loop turns.
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  assert.equal(isRecorded, false);
  other.exec("rollback");
  await recorded;
});

test("a directory that cannot be written is named, with what to do", async (context) => {
  const directory = newDirectory(context);
  writeFileSync(join(directory, "a-file"), "");
  for (const [file, message] of [
    [join(directory, "absent", "plaza.db"), /cannot be opened: directory .*absent does not exist: create it/],
    [join(directory, "a-file", "plaza.db"), /cannot be opened: .*a-file is not a directory/],
    [directory, /cannot be opened: it is a directory/],
  ] as const) {
    for (const open of [openStore, openStoreInProcess]) {
      await assert.rejects(open({ database: { kind: "sqlite", file }, secretKey }), {
        name: "StoreError",
        code: "cannot_open",
        message,
      });
    }
  }
});

/** Runs as a user without permissions on the test's files; root may do anything. */
async function withoutRights(work: () => Promise<void>): Promise<void> {
  const user = process.geteuid?.();
  if (user !== 0) return await work();
  process.seteuid?.(65_534);
  try {
    await work();
  } finally {
    process.seteuid?.(user);
  }
}

test("a missing right is named with the path and the right", {
  skip: process.platform === "win32",
}, async (context) => {
  const directory = newDirectory(context);
  chmodSync(directory, 0o755);
  const make = (name: string, directoryMode: number, fileMode?: number): string => {
    const file = join(directory, name, "plaza.db");
    mkdirSync(join(directory, name));
    if (fileMode !== undefined) writeFileSync(file, "", { mode: fileMode });
    if (fileMode !== undefined) chmodSync(file, fileMode);
    chmodSync(join(directory, name), directoryMode);
    return file;
  };
  const cases: [string, RegExp][] = [
    [
      make("no-write", 0o555),
      /cannot be opened: give the user .* the right to write the directory .*no-write$/,
    ],
    [make("no-enter", 0o666, 0o666), /the right to enter the directory .*no-enter and those above it$/],
    [
      make("file-no-write", 0o777, 0o444),
      /file-no-write.*plaza\.db cannot be opened: .* to write this file$/,
    ],
    [
      make("file-no-read", 0o777, 0o222),
      /file-no-read.*plaza\.db cannot be opened: .* to read and write this file$/,
    ],
  ];
  // Loads the code while it can be read.
  await newStore(context);
  await withoutRights(async () => {
    for (const [file, message] of cases) {
      const opened = openStoreInProcess({ database: { kind: "sqlite", file }, secretKey });
      await assert.rejects(opened, { code: "cannot_open", message }, file);
    }
  });
  for (const [file] of cases) chmodSync(dirname(file), 0o700);
});

/** Every file beside `file`, with what is in it. */
const contentOf = (file: string): [string, string][] =>
  readdirSync(dirname(file)).map((name) => [name, readFileSync(join(dirname(file), name), "base64")]);

test("another program's database is left as it is, byte for byte, and named", async (context) => {
  const forms: [string, string, RegExp][] = [
    ["its tables", "create table notes (text); insert into notes values ('x')", /\(its tables are notes\)/],
    [
      "many tables",
      "create table a (x); create table b (x); create table c (x); create table d (x)",
      /a, b, c, …/,
    ],
    ["with a log", "pragma journal_mode = wal; create table notes (text)", /its tables are notes/],
    // Other tools use a table of this name too.
    [
      "alike",
      "create table schema_migrations (version, name, applied_at)",
      /its tables are schema_migrations/,
    ],
    ["marked", "pragma application_id = 1196444487", /bears another program's mark/],
    ["numbered", "pragma user_version = 3", /bears another program's mark/],
  ];
  for (const [name, sql, told] of forms) {
    const file = join(newDirectory(context), "plaza.db");
    rowsOf(file, "select 1");
    const other = new DatabaseSync(file);
    other.exec(sql);
    other.close();
    const before = contentOf(file);
    for (const open of [openStore, openStoreInProcess]) {
      const opened = open({ database: { kind: "sqlite", file }, secretKey }).then((store) => store.close());
      await assert.rejects(opened, (error: Error) => {
        assert.equal((error as StoreError).code, "cannot_open", name);
        assert.match(
          error.message,
          /belongs to another program \(.+\): Plaza left it as it is; give another place/,
        );
        assert.match(error.message, told, name);
        return true;
      });
    }
    assert.deepEqual(contentOf(file), before, name);
  }
});

test("another program's database with its newest rows in the log, and in use, keeps both", async (context) => {
  const file = join(newDirectory(context), "plaza.db");
  const other = new DatabaseSync(file);
  context.after(() => other.close());
  other.exec("pragma journal_mode = wal; create table notes (text)");
  const before = contentOf(file).filter(([name]) => !name.endsWith("-shm"));
  assert.ok(before.some(([name, content]) => name.endsWith("-wal") && content !== ""));
  const opened = openStoreInProcess({ database: { kind: "sqlite", file }, secretKey });
  await assert.rejects(opened, { code: "cannot_open", message: /its tables are notes/ });
  assert.deepEqual(
    contentOf(file).filter(([name]) => !name.endsWith("-shm")),
    before,
  );
});

test("what a killed first start leaves is a new database: an empty file, one without tables, one whose tables are in the log", async (context) => {
  const empty = join(newDirectory(context), "plaza.db");
  writeFileSync(empty, "");
  const bare = join(newDirectory(context), "plaza.db");
  rowsOf(bare, "pragma journal_mode = wal");
  assert.ok(statSync(bare).size > 0);
  const logged = join(newDirectory(context), "plaza.db");
  const { file: source } = await newStore(context);
  for (const part of ["", "-wal"]) copyFileSync(`${source}${part}`, `${logged}${part}`);
  for (const file of [empty, bare, logged]) {
    const store = await openStoreInProcess({ database: { kind: "sqlite", file }, secretKey });
    await store.migrate();
    await store.createAccount({ id: "a", name: "A", balance: nanoUsd(1n) });
    await store.close();
  }
});

test("a file that is no database is left alone and named", async (context) => {
  const file = join(newDirectory(context), "plaza.db");
  writeFileSync(file, "These are somebody's notes. ".repeat(100));
  await assert.rejects(openStoreInProcess({ database: { kind: "sqlite", file }, secretKey }), {
    code: "damaged",
    message: /is not a SQLite database: Plaza left it as it is/,
  });
  assert.equal(readFileSync(file, "utf8"), "These are somebody's notes. ".repeat(100));
});

test("a page of an index that nobody read yet is found out, in files up to the size asked for", async (context) => {
  const { store, file } = await newStore(context);
  await store.close();
  const [{ rootpage } = { rootpage: 0n }] = rowsOf(
    file,
    "select rootpage from sqlite_master where name = 'grants_by_account'",
  );
  const bytes = readFileSync(file);
  bytes.fill(0xa5, (Number(rootpage) - 1) * 4096, Number(rootpage) * 4096);
  writeFileSync(file, bytes);
  const damaged = await openStoreInProcess({ database: { kind: "sqlite", file }, secretKey });
  context.after(() => damaged.close());
  await damaged.checkFile(1);
  await assert.rejects(damaged.checkFile(1024 ** 2), { code: "damaged", message: /is damaged/ });
  assert.ok(readFileSync(file).equals(bytes));
});

test("a database of a newer Plaza is refused and left alone", async (context) => {
  const { store, file } = await newStore(context);
  rowsOf(file, "insert into schema_migrations (version, name, applied_at) values (99, 'future', 0)");
  await assert.rejects(store.migrate(), {
    code: "newer_schema",
    message: /a newer Plaza wrote this database \(schema 99/,
  });
  assert.equal(rowsOf(file, "select max(version) as version from schema_migrations")[0]?.version, 99n);
});
