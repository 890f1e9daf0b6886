import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Catalog, defaultTimeouts } from "@plaza/contract/catalog.ts";
import { loadOrCreateKeyFile } from "../../lib/secret.ts";
import { openSealedCredentials, sealCredential } from "../../start/sealed-credentials.ts";
import { catalogFile, catalogText, commandLine } from "../testing/test-command-line.ts";
import { rotateKeys } from "./rotate.ts";

const secret = "sk-upstream-secret";
const place = { provider: "openai", baseUrl: "http://127.0.0.1:9/v1" };

/** A data directory with a catalog in its database, and a catalog file with a sealed credential. */
async function installation() {
  const line = commandLine();
  await line.run("account", "create", "nobody");
  const keyFile = join(line.dataDir, "secret.key");
  const sealed = sealCredential(secret, place, loadOrCreateKeyFile(keyFile));
  const file = catalogFile(
    catalogText.replace(/\$\{UPSTREAM_KEY\}/, sealed).replace("models:", "# kept\nmodels:"),
  );
  assert.equal((await line.run("apply", file)).status, 0);
  return { ...line, keyFile, file };
}

/** The credential as read now from the database and the file. */
async function readable({ store, file, run }: Awaited<ReturnType<typeof installation>>): Promise<void> {
  const opened = await store();
  try {
    assert.deepEqual((await opened.loadCatalog())?.upstreams[0]?.credentials, [secret]);
  } finally {
    await opened.close();
  }
  const applied = await run("apply", file);
  assert.equal(applied.status, 0, applied.err);
  assert.equal(applied.out, "no change\n");
}

test("everything is sealed with a new key, and the old one opens nothing any more", async () => {
  const place = await installation();
  const { json, run, keyFile, file } = place;
  const before = readFileSync(keyFile);
  const text = readFileSync(file, "utf8");
  const { status, value } = await json("secret", "rotate", "--catalog", file);
  assert.equal(status, 0);
  assert.deepEqual(value, { credentials: 1, files: [file], oldKey: "removed" });
  const after = readFileSync(keyFile);
  assert.equal(after.length, 32);
  assert.notDeepEqual(after, before);
  await readable(place);
  const now = readFileSync(file, "utf8");
  assert.notEqual(now, text);
  assert.equal(
    now.replace(/sealed:[\w.-]+/, ""),
    text.replace(/sealed:[\w.-]+/, ""),
    "more than the seal was changed",
  );
  writeFileSync(keyFile, before);
  assert.match((await run("apply", file)).err, /sealed with another key/);
});

test("--keep-old keeps the old key behind the new one, until the next time", async () => {
  const place = await installation();
  const old = readFileSync(place.keyFile);
  assert.equal((await place.run("secret", "rotate", "--catalog", place.file, "--keep-old")).status, 0);
  assert.equal(readFileSync(place.keyFile).length, 64);
  assert.deepEqual(readFileSync(place.keyFile).subarray(32), old);
  await readable(place);
  assert.equal((await place.run("secret", "rotate", "--catalog", place.file)).status, 0);
  assert.equal(readFileSync(place.keyFile).length, 32);
  await readable(place);
});

test("wherever it is cut off, everything opens, and the next run finishes", async () => {
  for (const steps of [0, 1, 2, 3, 4]) {
    const place = await installation();
    const store = await place.store();
    const rotation = rotateKeys({
      keyFile: place.keyFile,
      catalogFiles: [place.file],
      readCatalog: async (): Promise<Catalog> => {
        const upstream = {
          id: "main",
          provider: "openai",
          baseUrl: "http://127.0.0.1:9/v1",
          timeouts: defaultTimeouts,
        };
        const credentials = /sealed:[\w.-]+/.exec(readFileSync(place.file, "utf8")) ?? [];
        return { upstreams: [{ ...upstream, credentials: [...credentials] }], models: [], limits: {} };
      },
      resealDatabase: (keys) => store.resealCredentials(keys),
      keepsOld: false,
    });
    const seen: string[] = [];
    for (let count = 0; count < steps; count += 1) seen.push((await rotation.next()).value?.step ?? "");
    await rotation.return(undefined);
    await store.close();
    const all = ["key_added", "database_resealed", "file_resealed", "old_key_removed"];
    assert.deepEqual(seen, all.slice(0, steps));
    await readable(place);
    assert.equal((await place.run("secret", "rotate", "--catalog", place.file)).status, 0);
    assert.equal(readFileSync(place.keyFile).length, 32);
    await readable(place);
  }
});

test("what cannot be opened stops it before anything is changed", async () => {
  const place = await installation();
  const key = readFileSync(place.keyFile);
  writeFileSync(place.keyFile, randomBytes(32));
  const wrong = readFileSync(place.keyFile);
  const refused = await place.run("secret", "rotate", "--catalog", place.file);
  assert.equal(refused.status, 1);
  assert.match(refused.err, /cannot be opened/);
  assert.deepEqual(readFileSync(place.keyFile), wrong);
  writeFileSync(place.keyFile, key);
  writeFileSync(place.file, readFileSync(place.file, "utf8").replace("127.0.0.1:9", "127.0.0.1:10"));
  assert.equal((await place.run("secret", "rotate", "--catalog", place.file)).status, 1);
  assert.deepEqual(readFileSync(place.keyFile), key);
  assert.ok(!existsSync(`${place.keyFile}.rotating`));
});

test("one at a time; what one that died left behind is no obstacle", async () => {
  const place = await installation();
  writeFileSync(`${place.keyFile}.rotating`, String(process.pid));
  assert.match((await place.run("secret", "rotate")).err, /another plaza secret rotate is running/);
  writeFileSync(`${place.keyFile}.rotating`, "2147483646");
  assert.equal((await place.run("secret", "rotate", "--catalog", place.file)).status, 0);
  assert.ok(!existsSync(`${place.keyFile}.rotating`));
});

test("a key of the environment is exchanged for one that a variable holds", async () => {
  const [old, fresh] = [randomBytes(32), randomBytes(32)];
  const env: Record<string, string> = { PLAZA_SECRET_KEY: old.toString("base64") };
  const { run, json } = commandLine(env);
  const file = catalogFile(catalogText.replace(/\$\{UPSTREAM_KEY\}/, sealCredential(secret, place, old)));
  assert.equal((await run("apply", file)).status, 0);
  const untold = await run("secret", "rotate", "--catalog", file);
  assert.equal(untold.status, 1);
  assert.match(untold.err, /PLAZA_SECRET_KEY.*--new-key-from NEW_KEY/);
  assert.match(
    (await run("secret", "rotate", "--new-key-from", "NEW_KEY")).err,
    /NEW_KEY must hold 32 bytes/,
  );
  env["NEW_KEY"] = fresh.toString("base64");
  const { status, value } = await json("secret", "rotate", "--catalog", file, "--new-key-from", "NEW_KEY");
  assert.equal(status, 0);
  assert.deepEqual(value, { credentials: 1, files: [file], oldKey: "replaced" });
  assert.match(
    (await run("apply", catalogFile(catalogText.replace("UPSTREAM_KEY", "NEW_KEY")))).err,
    /secret.key/,
  );
  env["PLAZA_SECRET_KEY"] = fresh.toString("base64");
  const applied = await run("apply", file);
  assert.equal(applied.out, "no change\n", applied.err);
});

test("another key is refused with what to do, and a lost one is given up only when that is meant", async () => {
  const place = await installation();
  writeFileSync(place.keyFile, randomBytes(32));
  const file = catalogFile(catalogText.replace(/\$\{UPSTREAM_KEY\}/, "literal-credential"));
  const refused = await place.run("apply", file);
  assert.equal(refused.status, 1);
  assert.match(refused.err, /copy secret\.key .*plaza secret rotate.*plaza secret reset/s);
  const unsure = await place.run("secret", "reset");
  assert.equal(unsure.status, 1);
  assert.match(unsure.err, /--yes/);
  assert.equal((await place.run("apply", file)).status, 1);
  assert.equal((await place.run("secret", "reset", "--yes")).status, 0);
  assert.equal((await place.run("apply", file)).status, 0);
});

test("the sealed text of a file opens with the new key alone", () => {
  const [old, fresh] = [randomBytes(32), randomBytes(32)];
  const credentials = [sealCredential(secret, place, old)];
  const catalog = {
    upstreams: [{ id: "a", ...place, credentials, timeouts: defaultTimeouts }],
    models: [],
    limits: {},
  };
  assert.deepEqual(
    openSealedCredentials(catalog, () => Buffer.concat([fresh, old])).upstreams[0]?.credentials,
    [secret],
  );
  assert.throws(() => openSealedCredentials(catalog, () => fresh), /another key/);
});
