/** Opens the database for the duration of a command. A running server may be using it too. */
import { mkdirSync } from "node:fs";
import type { Command } from "commander";
import { type SettingName, secretKeyFile } from "../config/config.ts";
import { progressLine } from "../start/migration-progress.ts";
import { requireSchema } from "../start/schema.ts";
import type { Account } from "../store/accounts/account-shapes.ts";
import type { Store } from "../store/store.ts";
import type { CommandIo } from "./command-io.ts";
import { CommandFailure } from "./failure.ts";
import { addSettings, readSettings } from "./settings-options.ts";

export const storeSettings: readonly SettingName[] = ["dataDir", "database"];

/** Adds `--data` and `--database`. */
export function addStoreSettings(command: Command): Command {
  return addSettings(command, storeSettings);
}

const isSqlite = (database: string): boolean => database.startsWith("sqlite:");

/**
 * Returns the same options for a command suggested to the user, with a leading space, or "". A PostgreSQL URL
 * contains a password, so it is not printed.
 */
export function repeatStoreSettings(options: { data?: string; database?: string }): string {
  const { data, database } = options;
  const words = [
    ...(data === undefined ? [] : ["--data", data]),
    ...(database === undefined ? [] : ["--database", isSqlite(database) ? database : "postgres://…"]),
  ];
  return words.map((word) => ` ${/^[\w./:=-]+$/.test(word) ? word : JSON.stringify(word)}`).join("");
}

/** Loads the key that encrypts this installation's credentials, creating it if needed. */
export async function loadSecretKey(io: CommandIo, options: object): Promise<Buffer> {
  const config = readSettings(io, options, storeSettings);
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const { loadOrCreateKeyFile } = await import("../lib/secret.ts");
  return config.secretKey ?? loadOrCreateKeyFile(secretKeyFile(config));
}

/** Runs `work` with an open, migrated store and the encryption key. Always closes the store. */
export async function withStore<T>(
  io: CommandIo,
  options: object,
  work: (store: Store, secretKey: Buffer) => Promise<T>,
): Promise<T> {
  const config = readSettings(io, options, storeSettings);
  const secretKey = await loadSecretKey(io, options);
  // Loaded here, because `--help` does not need it.
  const { openStoreInProcess } = await import("../store/open.ts");
  const found = config.secretKey === undefined ? { secretKeyFile: secretKeyFile(config) } : {};
  const store = await openStoreInProcess({
    database: config.database,
    secretKey,
    ...found,
    clock: io.clock,
  });
  try {
    await requireSchema(store, config.migrate, (progress) => io.err(progressLine(progress)));
    return await work(store, secretKey);
  } finally {
    await store.close();
  }
}

/** Returns the account with this id. Throws `not_found` when there is none. */
export async function getAccount(store: Store, id: string): Promise<Account> {
  const account = await store.findAccount(id);
  if (account !== undefined) return account;
  throw new CommandFailure("not_found", `account ${id} not found; see: npx plaza account list`);
}
