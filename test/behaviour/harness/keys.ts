/** One key of every kind that a caller can have, created with the `plaza` command. */
import { rmSync } from "node:fs";
import { pause } from "../../rigs/harness/measure/clock.ts";
import { type Product, plazaJson, temporaryFolder } from "./product.ts";

export interface TestKeys {
  /** Well-formed, but of another installation. */
  readonly unknown: string;
  /** A valid key with its last character changed. */
  readonly mistyped: string;
  readonly expired: string;
  readonly disabled: string;
  readonly revoked: string;
  /** May use only the models given to `makeKeys`. */
  readonly limited: string;
}

/** Long enough that the expiry date is still in the future when the key is created. */
const lifeMs = 1_500;

/** Creates the keys on a running product; takes until the short-lived key has expired. */
export async function makeKeys(
  product: Product,
  account: string,
  models: readonly string[],
): Promise<TestKeys> {
  const expiresAt = Date.now() + lifeMs;
  const expired = await product.createKey(account, ["--expires", new Date(expiresAt).toISOString()]);
  const [revoked, disabled, limited, unknown] = await Promise.all([
    product.createKey(account),
    product.createKey(account),
    product.createKey(account, ["--models", models.join(",")]),
    makeStranger(),
  ]);
  await product.command(["key", "revoke", revoked.id]);
  await product.command(["key", "disable", disabled.id]);
  await pause(Math.max(0, expiresAt - Date.now()) + 5);
  const last = limited.key.at(-1) === "a" ? "b" : "a";
  return {
    unknown,
    mistyped: limited.key.slice(0, -1) + last,
    expired: expired.key,
    disabled: disabled.key,
    revoked: revoked.key,
    limited: limited.key,
  };
}

/** A key of another installation. */
async function makeStranger(): Promise<string> {
  const folder = temporaryFolder();
  const account = (await plazaJson(["account", "create", "stranger"], folder)) as { id: string };
  const made = (await plazaJson(["key", "create", "--account", account.id], folder)) as { key: string };
  rmSync(folder, { recursive: true, force: true });
  return made.key;
}
