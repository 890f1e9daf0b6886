/** Reading a catalog in a child process: the whole result arrives, however large. */
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { catalogProcessAhead, readCatalogInProcess, startCatalogProcess } from "./catalog-process.ts";

const question = { text: JSON.stringify({ upstreams: [], models: [] }), fileName: "plaza.yaml" };

/** Starts processes, told to the test. */
const startsTo = (started: ChildProcess[]) => (): ChildProcess => {
  const child = startCatalogProcess();
  started.push(child);
  return child;
};

function largeCatalog(models: number): string {
  const numbers = Array.from({ length: models }, (_, index) => index);
  return JSON.stringify({
    upstreams: [
      { id: "main", provider: "openai", baseUrl: "http://127.0.0.1:1/v1", credentials: ["sk-not-real"] },
    ],
    models: numbers.map((number) => ({
      id: `model-${number}`,
      description: "A model of which there is a lot to say. ".repeat(20),
      price: { input: "1", output: "2" },
      deployments: [{ upstream: "main", model: `model-${number}` }],
    })),
  });
}

test("a catalog of megabytes comes back whole", { timeout: 60_000 }, async () => {
  const result = await readCatalogInProcess({ text: largeCatalog(3_000), fileName: "plaza.yaml" });
  assert.equal(result.ok, true);
  assert.equal(result.ok && result.catalog.models.length, 3_000);
});

test("the child process reads credentials from files", { timeout: 60_000 }, async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "catalog-process-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const secret = join(folder, "key");
  writeFileSync(secret, "sk-in-a-file\r\n");
  const upstream = { id: "a", provider: "openai", credentials: [`file:${secret}`] };
  const text = JSON.stringify({ upstreams: [upstream], models: [] });
  const result = await readCatalogInProcess({ text, fileName: "plaza.yaml" });
  assert.deepEqual(result.ok && result.catalog.upstreams[0]?.credentials, ["sk-in-a-file"]);
});

test("a process that was started ahead answers the first question, others get their own", {
  timeout: 60_000,
}, async () => {
  const started: ChildProcess[] = [];
  const read = catalogProcessAhead(startsTo(started));
  assert.equal(started.length, 1);
  assert.equal((await read(question)).ok, true);
  assert.equal(started.length, 1);
  assert.equal((await read(question)).ok, true);
  assert.equal(started.length, 2);
});

test("a process that ended before it was asked is replaced", { timeout: 60_000 }, async () => {
  const started: ChildProcess[] = [];
  const read = catalogProcessAhead(startsTo(started));
  const [first] = started;
  assert.ok(first);
  first.kill("SIGKILL");
  await once(first, "exit");
  assert.equal((await read(question)).ok, true);
  assert.equal(started.length, 2);
});

test("a process that is never asked ends with its parent, and well", {
  timeout: 60_000,
}, async () => {
  const started: ChildProcess[] = [];
  catalogProcessAhead(startsTo(started));
  const [first] = started;
  assert.ok(first);
  const ended = once(first, "exit");
  first.ref();
  first.disconnect();
  assert.deepEqual(await ended, [0, null]);
});
