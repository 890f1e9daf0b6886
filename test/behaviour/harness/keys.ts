/**
 * One key of every kind a caller can hold, made through the `plaza` command.
 */
import { rmSync } from "node:fs";
import { pause } from "../../rigs/harness/measure/clock.ts";
import { type Product, plazaJson, temporaryFolder } from "./product.ts";

export interface TestKeys {
  /** Well-formed, but of another installation. */
  readonly unknown: string;
  /** A good key with its last character changed. */
  readonly mistyped: string;
  readonly expired: string;
  readonly disabled: string;
  readonly revoked: string;
  /** May use the models given to `makeKeys` only. */
  readonly limited: string;
}

/** Long enough for the product to take the date as one that lies ahead. */
const lifeMs = 1_500;

/** Makes them on a running product; takes as long as the shortest-lived key lives. */
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

/** A key of an installation of its own. */
async function makeStranger(): Promise<string> {
  const folder = temporaryFolder();
  const account = (await plazaJson(["account", "create", "stranger"], folder)) as { id: string };
  const made = (await plazaJson(["key", "create", "--account", account.id], folder)) as { key: string };
  rmSync(folder, { recursive: true, force: true });
  return made.key;
}
