/**
 * Whether a process may use its database, and who brings it up to date: this process by itself, or
 * `plaza migrate` (`PLAZA_MIGRATE=manual`).
 */
import type { Config } from "../config/config.ts";
import { StoreError } from "../store/error.ts";
import type { MigrationReport } from "../store/operation/migration-shapes.ts";
import type { Store } from "../store/store.ts";

type MigratingStore = Pick<Store, "migrate" | "readMigrations">;

/**
 * Makes the schema fit, or throws a StoreError that says what to do. Resolves with what was done; undefined
 * when the operator does it by hand.
 */
export async function requireSchema(
  store: MigratingStore,
  mode: Config["migrate"],
): Promise<MigrationReport | undefined> {
  if (mode === "auto") return await store.migrate();
  const { refusal, schema, missing } = await store.readMigrations();
  if (refusal === null) return undefined;
  if (refusal.code === "newer_schema" || refusal.code === "cannot_open") {
    throw new StoreError(refusal.code, refusal.message);
  }
  const names = missing.map(({ version, name }) => `${version} (${name})`).join(", ");
  throw new StoreError(
    "older_schema",
    `the database has schema ${schema} and lacks ${names}, and PLAZA_MIGRATE is manual: run \`plaza migrate\`, then start again`,
  );
}
