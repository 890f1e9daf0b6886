/** A profile's language beside servers of the schema before, which know English and Chinese. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { sql } from "kysely";
import { sharedPostgres } from "../../../../test/postgres/shared.ts";
import { openStoreInProcess } from "../open.ts";
import { migrateTo, openForMigrations } from "../testing/older-schema.ts";
import type { DatabaseTarget } from "../thread/messages.ts";
import { localesOfUsers } from "./0036-locales-of-users.ts";

async function besideOlder(context: TestContext, database: DatabaseTarget): Promise<void> {
  await migrateTo(database, localesOfUsers.version - 1);
  const { db } = await openForMigrations(database);
  context.after(() => db.destroy());
  /** What an older server says. */
  const older = (text: string) => sql.raw<{ language: string | null }>(text).execute(db);
  const insert = (id: string, language: string) =>
    older(`insert into users (id, email, name, is_operator, status, language, created_at)
      values ('${id}', '${id}@x.test', '${id}', 0, 'active', ${language}, 0)`);
  await insert("usr_before", "'zh'");

  const store = await openStoreInProcess({ database, secretKey: Buffer.alloc(32, 1) });
  context.after(() => store.close());
  await store.migrate();
  await insert("usr_beside", "null");
  const languageOf = async (id: string) => (await store.findUser(id))?.language;
  assert.deepEqual([await languageOf("usr_before"), await languageOf("usr_beside")], ["zh", null]);

  assert.equal((await store.setProfile("usr_before", { language: "ja" }))?.language, "ja");
  const { rows } = await older("select language from users where id = 'usr_before'");
  assert.equal(rows[0]?.language, null, "an older server sees no language that it does not know");
  await older("update users set language = 'en' where id = 'usr_before'");
  assert.equal(await languageOf("usr_before"), "en", "what an older server writes counts");
  await store.setProfile("usr_before", { language: "zh" });
  await older("update users set language = null where id = 'usr_before'");
  assert.equal(await languageOf("usr_before"), null, "a choice leaves nothing of the one before it");

  await sql`update users set locale = 'tlh' where id = 'usr_beside'`.execute(db);
  assert.equal(await languageOf("usr_beside"), null, "a later version's language counts as none");
}

test("SQLite: a language that older servers do not know is kept apart from theirs", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "store-"));
  context.after(() => rmSync(folder, { recursive: true }));
  await besideOlder(context, { kind: "sqlite", file: join(folder, "plaza.sqlite") });
});

test("PostgreSQL: a language that older servers do not know is kept apart from theirs", async (context) => {
  const url = await (await sharedPostgres()).newDatabase();
  await besideOlder(context, { kind: "postgres", url });
});
