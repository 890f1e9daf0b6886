/** For tests of `plaza import`: runs it, applies what it wrote, and reads the file. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { parse } from "yaml";
import { runPlaza } from "../../testing/run-plaza.ts";

interface CatalogFile {
  readonly upstreams: readonly Record<string, unknown>[];
  readonly models: readonly (Record<string, unknown> & {
    readonly id: string;
    readonly price?: Record<string, string>;
    readonly deployments: readonly Record<string, unknown>[];
  })[];
}

interface KeysFile {
  readonly accounts: readonly {
    readonly id: string;
    readonly keys: readonly Record<string, unknown>[];
  }[];
}

/** A folder for the time of the test. */
export const folderFor = (context: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), "import-"));
  context.after(() => rmSync(folder, { recursive: true }));
  return folder;
};

export const digestOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");

/** Accounts of a catalog file. */
export const accountsIn = (text: string) => (parse(text) as KeysFile).accounts;

/** An account's keys in a catalog file. */
export const keysIn = (text: string, account: string) =>
  accountsIn(text).find(({ id }) => id === account)?.keys ?? [];

/** Imports, and applies the file; resolves with it and with what is told. */
export async function imported(
  folder: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const out = join(folder, "plaza.yaml");
  const data = ["--data", join(folder, "data")];
  const { status, err } = await runPlaza(["import", ...words, ...data, "--out", out], { env });
  assert.equal(status, 0, err);
  const text = readFileSync(out, "utf8");
  const variables = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => [name, "secret"]);
  const applied = await runPlaza(["apply", out, ...data], { env: Object.fromEntries(variables) });
  assert.equal(applied.status, 0, applied.err);
  const file = parse(text) as CatalogFile;
  const upstreamOf = (id: unknown) => file.upstreams.find((one) => one["id"] === id);
  const modelOf = (id: string) => file.models.find((one) => one.id === id);
  return { text, err, upstreamOf, modelOf };
}
