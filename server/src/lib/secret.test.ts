import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createKeyRing, loadOrCreateKeyFile, replaceKeyFile, seal, sealSteadily, unseal } from "./secret.ts";

const key = randomBytes(32);

test("what is sealed opens again, and no two sealed texts are equal", () => {
  for (const plain of ["", "sk-secret", "ünï\u0000cödé 🔑", "x".repeat(100_000)]) {
    const sealed = seal(plain, key, "row 1");
    assert.equal(unseal(sealed, key, "row 1"), plain);
    assert.notEqual(seal(plain, key, "row 1"), sealed);
    assert.match(sealed, /^v1\.[0-9a-f]{8}\.[\w-]+$/);
  }
  assert.ok(!seal("canary-secret", key).includes(Buffer.from("canary-secret").toString("base64url")));
});

test("another key is told apart from a damaged or moved text", () => {
  const sealed = seal("secret", key, "row 1");
  assert.throws(() => unseal(sealed, randomBytes(32), "row 1"), /sealed with another key/);
  assert.throws(() => unseal(sealed, key, "row 2"), /damaged or was moved/);
  assert.throws(() => unseal("secret", key), /not a sealed text of version v1/);
  assert.throws(() => unseal(sealed.replace("v1.", "v2."), key), /newer version/);
  assert.throws(() => unseal(sealed.slice(0, 20), key, "row 1"), /damaged/);
  assert.throws(() => seal("secret", randomBytes(16)), /32 bytes, not 16/);
  const start = sealed.lastIndexOf(".") + 1;
  for (let at = start; at < sealed.length - 1; at++) {
    const other = sealed[at] === "A" ? "B" : "A";
    const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
    assert.throws(() => unseal(changed, key, "row 1"), /damaged/, `letter ${at}`);
  }
});

test("of several keys the first seals and any opens", () => {
  const [old, fresh, other] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  const both = Buffer.concat([fresh, old]);
  assert.equal(unseal(seal("secret", old), both), "secret");
  assert.equal(unseal(seal("secret", both), fresh), "secret");
  assert.throws(() => unseal(seal("secret", both), old), /another key/);
  assert.throws(() => unseal(seal("secret", other), both), /another key/);
  assert.throws(() => seal("secret", randomBytes(33)), RangeError);
  assert.throws(() => seal("secret", randomBytes(32 * 9)), RangeError);
});

test("a ring has the file's keys of the moment first, and those it saw before", (context) => {
  const directory = mkdtempSync(join(tmpdir(), "secret-"));
  context.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "key");
  const [first, second] = [randomBytes(32), randomBytes(32)];
  replaceKeyFile(path, first);
  const ring = createKeyRing(first, path);
  assert.deepEqual(ring(), first);
  replaceKeyFile(path, Buffer.concat([second, first]));
  assert.deepEqual(ring(), Buffer.concat([second, first]));
  replaceKeyFile(path, second);
  assert.deepEqual(
    ring(),
    Buffer.concat([second, first]),
    "what is being read may be sealed with the old one",
  );
  writeFileSync(path, "damaged");
  assert.deepEqual(ring(), Buffer.concat([second, first]));
  rmSync(path);
  assert.deepEqual(ring(), Buffer.concat([second, first]));
  for (let round = 0; round < 20; round += 1) {
    replaceKeyFile(path, randomBytes(32));
    ring();
  }
  assert.deepEqual(ring().subarray(0, 32), readFileSync(path));
  assert.equal(ring().length, 32 * 8);
  assert.deepEqual(createKeyRing(first, undefined)(), first);
  if (process.platform !== "win32") assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(directory), ["key"]);
});

test("a key file is made once, for its owner only, and read afterwards", (context) => {
  const directory = mkdtempSync(join(tmpdir(), "secret-"));
  context.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "key");
  const first = loadOrCreateKeyFile(path);
  assert.equal(first.length, 32);
  assert.deepEqual(loadOrCreateKeyFile(path), first);
  assert.deepEqual(readFileSync(path), first);
  if (process.platform !== "win32") assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(directory), ["key"]);
});

test("a key file that cannot be used is named", (context) => {
  const directory = mkdtempSync(join(tmpdir(), "secret-"));
  context.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "key");
  writeFileSync(path, "short");
  assert.throws(() => loadOrCreateKeyFile(path), /key holds 5 bytes instead of 32/);
  assert.throws(() => loadOrCreateKeyFile(join(directory, "absent", "key")), /cannot be created/);
  assert.throws(() => loadOrCreateKeyFile(directory), /cannot be read/);
});

test("processes that start together get the same key", async (context) => {
  const directory = mkdtempSync(join(tmpdir(), "secret-"));
  context.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "key");
  const source = `import { loadOrCreateKeyFile } from ${JSON.stringify(new URL("./secret.ts", import.meta.url).href)};
    process.stdout.write("ready\\n");
    process.stdin.once("data", () => { console.log(loadOrCreateKeyFile(${JSON.stringify(path)}).toString("hex")); process.exit(); });`;
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ["--input-type=module", "-e", source], { stdio: ["pipe", "pipe", "inherit"] }),
  );
  await Promise.all(children.map((child) => once(child.stdout, "data")));
  const outputs = children.map(async (child) => {
    let text = "";
    for await (const part of child.stdout) text += part;
    return text.trim();
  });
  for (const child of children) child.stdin.write("go");
  const keys = await Promise.all(outputs);
  assert.match(keys[0] ?? "", /^[0-9a-f]{64}$/);
  assert.equal(new Set(keys).size, 1);
  assert.deepEqual(readdirSync(directory), ["key"]);
});

test("a text that is sealed steadily is the same each time, and differs with text, context and key", () => {
  const [key, other] = [randomBytes(32), randomBytes(32)];
  const sealed = sealSteadily("text", key, "here");
  assert.equal(sealSteadily("text", key, "here"), sealed);
  assert.equal(unseal(sealed, key, "here"), "text");
  assert.throws(() => unseal(sealed, key, "there"), /damaged or was moved/);
  const nonceOf = (one: string) => Buffer.from(one.split(".")[2] ?? "", "base64url").toString("hex", 0, 12);
  const others = [
    sealSteadily("texu", key, "here"),
    sealSteadily("text", key, "there"),
    sealSteadily("text", other, "here"),
  ];
  assert.equal(new Set([sealed, ...others].map(nonceOf)).size, 4, "no nonce is used twice");
});
