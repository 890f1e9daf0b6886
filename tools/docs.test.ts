import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { errorCatalogue, upstreamRequestCodes } from "@plaza/contract/errors.ts";
import { environmentName, listSettings } from "../server/src/config/config.ts";
import { missingPaths } from "../server/src/http/routes/missing-paths.ts";
import { clientsPage } from "./clients-page.ts";
import { configPage, errorsPage, outdatedPages } from "./docs.ts";

test("the generated pages are up to date", () => {
  assert.deepEqual(outdatedPages(), []);
  const script = fileURLToPath(new URL("./docs.ts", import.meta.url));
  assert.equal(spawnSync(process.execPath, [script, "--check"]).status, 0);
});

test("every setting, every error and every code passed on has its place", () => {
  const config = configPage();
  for (const [name] of listSettings()) assert.ok(config.includes(`| \`${environmentName(name)}\` |`), name);
  const errors = errorsPage();
  for (const [code, { status }] of Object.entries(errorCatalogue)) {
    assert.ok(errors.includes(`| \`${code}\` | ${status} |`), code);
  }
  const clients = clientsPage();
  for (const { path } of missingPaths) assert.ok(clients.includes(`\`${path}\``), path);
  for (const code of Object.keys(errorCatalogue)) assert.ok(clients.includes(`| \`${code}\` |`), code);
  for (const code of upstreamRequestCodes) assert.ok(errors.includes(`\`${code}\``), code);
});

test("a table's cells cannot break it", () => {
  const rows = configPage()
    .split("\n")
    .filter((line) => line.startsWith("|"));
  for (const row of rows) assert.equal(row.match(/(?<!\\)\|/g)?.length, 6, row);
});
