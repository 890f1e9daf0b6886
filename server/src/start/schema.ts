/**
 * Whether a process may use its database, and who brings it up to date: this process by itself, or
 * `plaza migrate` (`PLAZA_MIGRATE=manual`).
 */
import type { Config } from "../config/config.ts";
import { StoreError } from "../store/error.ts";
import type { MigrationReport } from "../store/operation/migration-shapes.ts";
import type { Store } from "../store/store.ts";
import { type MigrationProgress, watchMigration } from "./migration-progress.ts";

type MigratingStore = Pick<Store, "migrate" | "readMigrations">;

/** How often it is told how far a long migration is, in milliseconds. */
const tellEveryMs = 5_000;

/**
 * Makes the schema fit, or throws a StoreError that says what to do. Resolves with what was done; undefined
 * when the operator does it by hand. `tell`: how far a long one is.
 */
export async function requireSchema(
  store: MigratingStore,
  mode: Config["migrate"],
  tell: (progress: MigrationProgress) => void,
): Promise<MigrationReport | undefined> {
  if (mode === "auto") {
    const end = watchMigration(store, tell, tellEveryMs);
    return await store.migrate().finally(end);
  }
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
