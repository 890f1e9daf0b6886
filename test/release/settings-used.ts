/** Compares the settings that files for containers name with those that the product has. */
import assert from "node:assert/strict";
import { environmentName, listSettings, readConfig } from "../../server/src/config/config.ts";

const known = new Set(listSettings().map(([name]) => environmentName(name)));

/** Fails when the text names a setting that Plaza does not have. */
export function assertKnownSettings(text: string): void {
  const names = new Set([...text.matchAll(/\bPLAZA_[A-Z0-9_]+\b/g)].map(([name]) => name));
  assert.ok(names.size > 0, "no setting is named");
  assert.deepEqual(
    [...names].filter((name) => !known.has(name)),
    [],
  );
}

/** Seconds that a stop may take with these variables: lame duck, drain, and 10 s for the rest. */
export function stopSecondsOf(env: Readonly<Record<string, string>>): number {
  const result = readConfig({ env, flags: {} });
  assert.ok(result.ok, JSON.stringify(result));
  return (result.config.lameDuckMs + result.config.drainMs) / 1000 + 10;
}
