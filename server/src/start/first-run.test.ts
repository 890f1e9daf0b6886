/** Changes by the catalog file are recorded in the audit log, at startup and while it is watched. */
import assert from "node:assert/strict";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { type TestContext, test } from "node:test";
import { operationsOf } from "@plaza/contract/operations.ts";
import { readConfig } from "../config/config.ts";
import { createLog } from "../lib/telemetry/log.ts";
import { systemClock as clock } from "../lib/time/clock.ts";
import { findProvider, loadProviders } from "../providers/index.ts";
import { storeErrorOf } from "../store/error.ts";
import { openStoreInProcess } from "../store/open.ts";
import { firstRun, watchCatalogFile } from "./first-run.ts";

const catalogOf = (...models: string[]): string =>
  JSON.stringify({
    upstreams: [{ id: "main", provider: "openai", baseUrl: "http://127.0.0.1:1/v1", credentials: ["sk-x"] }],
    models: models.map((id) => ({
      id,
      price: { input: "1", output: "2" },
      deployments: [{ upstream: "main", model: id }],
    })),
  });

async function place(context: TestContext, text: string) {
  const folder = mkdtempSync(join(tmpdir(), "plaza-first-run-"));
  const file = join(folder, "plaza.yaml");
  writeFileSync(file, text);
  const read = readConfig({ env: {}, flags: { dataDir: folder, catalog: file } });
  assert.ok(read.ok);
  const database = { kind: "sqlite", file: join(folder, "plaza.sqlite") } as const;
  const store = await openStoreInProcess({ database, secretKey: Buffer.alloc(32, 7) });
  await store.migrate();
  context.after(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const lines = new PassThrough();
  const log = createLog({ level: "info", clock, write: (line) => void lines.write(line) });
  return { options: { config: read.config, store, clock, log }, file, store, lines };
}

test("a first start without a file offers a model for everything the demo answers", async (context) => {
  const { options, store } = await place(context, catalogOf("a"));
  const { catalog: _, ...config } = options.config;
  await firstRun({ ...options, config: config as typeof options.config });
  await loadProviders(["demo"]);
  const demo = findProvider("demo");
  assert.ok(demo?.transport === "local");
  const { models = [] } = (await store.loadCatalog()) ?? {};
  assert.deepEqual(models.flatMap(operationsOf).toSorted(), Object.keys(demo.scripts).toSorted());
  assert.ok(models.every(({ price, deployments }) => price !== undefined && deployments.length === 1));
});

test("what the file changes at the start and while it is watched has a line; what changes nothing has none", async (context) => {
  const { options, file, store, lines } = await place(context, catalogOf("a", "b"));
  await firstRun(options);
  await firstRun(options);
  lines.read();
  const watch = watchCatalogFile(options);
  await watch.look();
  writeFileSync(`${file}.new`, catalogOf("a"));
  renameSync(`${file}.new`, file);
  await Promise.all([watch.look(), watch.look()]);
  assert.match(String(lines.read()), /catalog_applied/);
  const entries = (await store.listAudit({ limit: 9 })).reverse();
  assert.deepEqual(
    entries.map(({ action, outcome, subject, detail }) => ({ action, outcome, subject, detail })),
    [
      {
        action: "apply",
        outcome: "done",
        subject: "plaza.yaml",
        detail: { added: 3, changed: 0, removed: 0 },
      },
      {
        action: "apply",
        outcome: "done",
        subject: "plaza.yaml",
        detail: { added: 0, changed: 0, removed: 1 },
      },
    ],
  );
  assert.deepEqual(entries[0]?.actor, { kind: "cli", id: null, name: "catalog file" });
});

test("sections that only plaza apply applies are left alone, with a warning", async (context) => {
  const accounts = [{ id: "acc_file", name: "From the file" }];
  const text = JSON.stringify({ ...JSON.parse(catalogOf("a")), accounts });
  const { options, store, lines } = await place(context, text);
  await firstRun(options);
  assert.match(String(lines.read()), /catalog_warning.*only plaza apply applies accounts/);
  assert.equal(await store.findAccount("acc_file"), undefined);
});

test("a file that is broken, missing or written in place is noticed at the next look, and none is after the watch was stopped", async (context) => {
  const { options, file, lines } = await place(context, catalogOf("a"));
  await firstRun(options);
  lines.read();
  const watch = watchCatalogFile(options);
  /** Returns the audit log after a change and one check of the file. */
  const seen = async (change: () => void): Promise<string> => {
    change();
    await watch.look();
    const said = String(lines.read());
    await watch.look();
    assert.equal(lines.read(), null, "once for each change");
    return said;
  };
  assert.match(await seen(() => writeFileSync(file, "models: [")), /catalog_refused/);
  assert.match(await seen(() => rmSync(file)), /catalog_refused/);
  assert.match(await seen(() => writeFileSync(file, catalogOf("a", "b"))), /catalog_applied/);
  watch.stop();
  rmSync(file);
  await watch.look();
  assert.equal(lines.read(), null);
});

test("a file that the store refuses has a line that says so", async (context) => {
  const { options, store } = await place(context, catalogOf("a"));
  const applyCatalog = () => Promise.reject(storeErrorOf("invalid", "no"));
  const refusing = new Proxy(store, {
    get: (target, name) => (name === "applyCatalog" ? applyCatalog : Reflect.get(target, name)),
  });
  await assert.rejects(firstRun({ ...options, store: refusing }), /no/);
  assert.deepEqual(
    (await store.listAudit({ limit: 9 })).map(({ action, outcome }) => `${action} ${outcome}`),
    ["apply refused"],
  );
});
