/**
 * Checks which key seals this installation's credentials. The store keeps the key's fingerprint, so that a
 * machine with another key is refused instead of sealing shared credentials again. Handles keys only to
 * compute fingerprints.
 */
import type { Kysely, Transaction } from "kysely";
import { fingerprintsOf, sealedWith } from "../../lib/secret.ts";
import { StoreError } from "../error.ts";
import type { Database } from "../sql/schema.ts";
import type { Store } from "../store.ts";

/** The row of `installation_settings` that holds the fingerprint as JSON. */
const rowName = "sealingKey";

function anotherKey(recorded: string, keys: Uint8Array): StoreError {
  const ours = fingerprintsOf(keys).join(", ");
  return new StoreError(
    "another_secret_key",
    `this database belongs to the sealing key ${recorded}, and this process has ${ours}: copy secret.key from the data directory of a machine that works with this database (or set PLAZA_SECRET_KEY as it does there). To exchange the key: npx plaza secret rotate. If the key is lost for good: npx plaza secret reset (docs/operate/credentials.md)`,
  );
}

async function findFingerprint(trx: Transaction<Database>): Promise<string | undefined> {
  const row = await trx
    .selectFrom("installation_settings")
    .select("value")
    .where("name", "=", rowName)
    .executeTakeFirst();
  return row && (JSON.parse(row.value) as string);
}

/** The fingerprint of the key that sealed existing rows, for databases older than stored fingerprints. */
async function fingerprintInUse(trx: Transaction<Database>): Promise<string | undefined> {
  const row = await trx.selectFrom("credentials").select("sealed").limit(1).executeTakeFirst();
  return row && sealedWith(row.sealed);
}

async function record(trx: Transaction<Database>, fingerprint: string): Promise<void> {
  const value = JSON.stringify(fingerprint);
  await trx
    .insertInto("installation_settings")
    .values({ name: rowName, value, revision: 1 })
    .onConflict((conflict) =>
      conflict
        .column("name")
        .doUpdateSet({ value, revision: (eb) => eb("installation_settings.revision", "+", 1) }),
    )
    .execute();
}

/**
 * Throws StoreError `another_secret_key` unless one of `keys` is the installation's. The first process of an
 * installation stores its own. Must be called inside the transaction that seals.
 */
export async function requireSealingKey(trx: Transaction<Database>, keys: Uint8Array): Promise<void> {
  const ours = fingerprintsOf(keys);
  const recorded = await findFingerprint(trx);
  const known = recorded ?? (await fingerprintInUse(trx)) ?? (ours[0] as string);
  if (!ours.includes(known)) throw anotherKey(known, keys);
  if (recorded === undefined) await record(trx, known);
}

/** Makes the first of `keys` the installation's, after an exchange or when the old key was lost. */
export async function recordSealingKey(trx: Transaction<Database>, keys: Uint8Array): Promise<void> {
  await record(trx, fingerprintsOf(keys)[0] as string);
}

/**
 * Writing transactions run one after the other on both databases, so two first processes with different keys
 * cannot both succeed.
 */
export function createSealingKeyMethods(
  db: Kysely<Database>,
  keysNow: () => Uint8Array,
): Pick<Store, "claimSealingKey" | "resetSealingKey"> {
  return {
    claimSealingKey: () => db.transaction().execute((trx) => requireSealingKey(trx, keysNow())),
    resetSealingKey: () => db.transaction().execute((trx) => recordSealingKey(trx, keysNow())),
  };
}
