/** Error messages for checkouts that cannot be measured. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findPlaza } from "./checkout.ts";

test("a checkout is found by folder or by file, and refused with what to do", (t) => {
  const root = mkdtempSync(join(tmpdir(), "bench-checkout-"));
  t.after(() => rmSync(root, { recursive: true }));
  assert.throws(() => findPlaza(join(root, "nowhere")), /nowhere does not exist/);
  assert.throws(() => findPlaza(root), /no checkout of Plaza/);
  mkdirSync(join(root, "server", "bin"), { recursive: true });
  const script = join(root, "server", "bin", "plaza.mjs");
  writeFileSync(script, "");
  assert.throws(() => findPlaza(root), /no node_modules: run npm ci/);
  mkdirSync(join(root, "node_modules"));
  assert.equal(findPlaza(root), script);
  assert.equal(findPlaza(script), script);
  writeFileSync(join(root, "package-lock.json"), "{}");
  writeFileSync(join(root, "node_modules", ".plaza-installed"), "of another day dev\n");
  assert.throws(() => findPlaza(root), /not what its package-lock\.json asks for/);
  const digest = createHash("sha256").update("{}").digest("hex");
  writeFileSync(join(root, "node_modules", ".plaza-installed"), `${digest} dev\n`);
  assert.equal(findPlaza(root), script);
});
