/** The operator's lists use their indexes; checked with `explain query plan`. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { type TestContext, test } from "node:test";
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { createKeysMethods } from "../accounts/keys-methods.ts";
import { openStoreInProcess } from "../open.ts";
import { createOperationMethods } from "../operation/methods.ts";
import type { MethodsOptions } from "../sql/dialect.ts";
import type { Database } from "../sql/schema.ts";

/** Methods on an empty database that record their queries. */
function remembering() {
  const asked: CompiledQuery[] = [];
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (own) => new SqliteIntrospector(own),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
    log: ({ query }) => void asked.push(query),
  });
  const options = {
    db,
    lazyDb: db,
    clock: { wallMs: () => 0, elapsedMs: () => 0 },
    dialect: { commitLazily: async () => {} },
  } as unknown as MethodsOptions;
  return { asked, options };
}

/** SQLite's query plans, one line per step. */
async function plansOf(context: TestContext, asked: readonly CompiledQuery[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "plaza-plans-"));
  const file = join(folder, "plaza.sqlite");
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const store = await openStoreInProcess({ database: { kind: "sqlite", file }, secretKey: randomBytes(32) });
  await store.migrate();
  await store.close();
  const database = new DatabaseSync(file);
  const steps = asked
    .filter(({ sql }) => /^(select|delete)/.test(sql))
    .flatMap(({ sql, parameters }) =>
      database.prepare(`explain query plan ${sql}`).all(...(parameters as SQLInputValue[])),
    );
  database.close();
  return steps.map(({ detail }) => detail).join("\n");
}

test("accounts with limits of their own are read from their index, in its order", async (context) => {
  const { asked, options } = remembering();
  const after = { createdAt: 5, id: "acc_5" };
  await createKeysMethods(options).pageAccounts({ hasOwnLimits: true, after, limit: 5 });
  const plan = await plansOf(context, asked);
  assert.match(plan, /SEARCH accounts USING INDEX accounts_with_limits/);
  assert.doesNotMatch(plan, /TEMP B-TREE|SCAN accounts/);
});

test("keys with limits of their own are read from their index, in its order", async (context) => {
  const { asked, options } = remembering();
  await createKeysMethods(options).pageLimitedKeys({ limit: 5 });
  const plan = await plansOf(context, asked);
  assert.match(plan, /SCAN api_keys USING INDEX api_keys_with_limits/);
  assert.doesNotMatch(plan, /TEMP B-TREE/);
});

test("the audit log of a time is read from its newest line on, without being sorted", async (context) => {
  const { asked, options } = remembering();
  await createOperationMethods(options).listAudit({ from: 5, to: 9, before: 7, limit: 5 });
  const plan = await plansOf(context, asked);
  assert.match(plan, /SEARCH audit_entries USING INTEGER PRIMARY KEY/);
  assert.doesNotMatch(plan, /TEMP B-TREE/);
});

test("old lines of the audit log are found by their times", async (context) => {
  const { asked, options } = remembering();
  await createOperationMethods(options).pruneAudit(5, 5);
  const plan = await plansOf(context, asked);
  assert.match(plan, /SEARCH audit_entries USING COVERING INDEX audit_entries_by_time/);
  assert.doesNotMatch(plan, /SCAN audit_entries|ORDER BY/);
});
