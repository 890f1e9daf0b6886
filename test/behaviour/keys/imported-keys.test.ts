/**
 * A token of new-api goes on working after `plaza import` and `plaza apply`, on a server that was running
 * before; other keys of that form are refused as before.
 */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { startProduct, temporaryFolder } from "../harness/product.ts";

const token = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKl";

/** A database of new-api with one user and one token. */
function writeDatabase(file: string): void {
  const database = new DatabaseSync(file);
  database.exec(`
    create table channels (id integer, type integer, "key" text, status integer, name text, weight integer,
      base_url text, other text, models text, "group" text, model_mapping text, priority integer);
    create table options ("key" text, value text);
    create table users (id integer, username text, quota integer, status integer);
    create table tokens (id integer, user_id integer, "key" text, status integer, name text, expired_time integer,
      remain_quota integer, unlimited_quota integer);
    insert into channels values (1, 1, 'sk-up', 1, 'main', 0, 'http://127.0.0.1:9', '', 'm', 'default', '', 0);
    insert into users values (1, 'ana', 0, 1);
    insert into tokens values (1, 1, '${token}', 1, 'laptop', -1, 0, 1);`);
  database.close();
}

test("a token of new-api works under its old text, and is shown as imported", async (context) => {
  const folder = temporaryFolder();
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const product = await startProduct({ env: { PLAZA_OPERATOR_TOKEN: "operator-token-0123456789" } });
  context.after(() => product.stop());
  const statusOf = async (key: string): Promise<number> => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${product.baseUrl}/models`, { headers });
    await response.body?.cancel();
    return response.status;
  };
  const [database, file] = [join(folder, "one-api.db"), join(folder, "plaza.yaml")];
  writeDatabase(database);
  await product.command(["import", "new-api", database, "--keys", "--out", file]);
  await product.command(["apply", file]);
  assert.ok(await eventually(async () => (await statusOf(`sk-${token}`)) === 200, 5_000));
  for (const other of [token, `sk-${token}x`, `sk-${token.slice(1)}`, "sk-proj-0123456789abcdefghijklmnop"])
    assert.equal(await statusOf(other), 401, other);
  const response = await fetch(`${product.origin}/api/operator/accounts/new-api-user-1/keys`, {
    headers: { authorization: "Bearer operator-token-0123456789" },
  });
  const [key] = ((await response.json()) as { keys: Record<string, unknown>[] }).keys;
  assert.deepEqual(
    [key?.["id"], key?.["name"], key?.["visiblePrefix"]],
    ["new-api-token-1", "laptop (new-api)", "sk-AbCd"],
  );
});
