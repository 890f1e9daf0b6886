/** Files of the archive in a store that speaks S3, against a local one that checks every signature. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { type FakeStore, startFakeStore } from "../../../lib/testing/fake-store.ts";
import { storeInBucket } from "./archive-bucket.ts";

let store: FakeStore;
before(async () => {
  store = await startFakeStore();
});
after(() => store.stop());
beforeEach(() => {
  store.objects.clear();
  store.uploads.clear();
  store.calls.length = 0;
  store.fail(/never/, 0, "break");
});
const folder = mkdtempSync(join(tmpdir(), "plaza-archive-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const name = "requests-2026-08-01.parquet";
const key = `archive/${name}`;

function fileOf(content: Buffer) {
  const path = join(folder, name);
  writeFileSync(path, content);
  return { path, bytes: content.length, digest: createHash("sha256").update(content).digest("hex") };
}
const put = (content: Buffer, env = store.env) =>
  storeInBucket({ address: "s3://backups/archive", env }, name, fileOf(content));
const uploaded = () => store.calls.filter((call) => call.startsWith("PUT")).length;

test("a file is sent in parts and read back whole, and one that is there is not sent again", async () => {
  const content = randomBytes(12 * 1024 ** 2);
  await put(content);
  assert.deepEqual([...store.objects.keys()], [key]);
  assert.ok(store.objects.get(key)?.equals(content));
  assert.deepEqual([uploaded(), store.uploads.size], [3, 0]);
  const ranges = store.calls.filter((call) => call.startsWith("GET")).length;
  assert.equal(ranges, 3);
  await put(content);
  assert.equal(uploaded(), 3);
});

test("a store that answers 200 and holds other bytes is found out, and keeps nothing of it", async () => {
  store.fail(/^POST .*uploadId/, 1, "spoil");
  await assert.rejects(put(Buffer.from("rows")), /archive\/requests-.*read back is not what was written/);
  assert.equal(store.objects.size, 0);
  await put(Buffer.from("rows"));
  assert.equal(String(store.objects.get(key)), "rows");
});

test("an upload that fails half-way leaves nothing, and the next one is whole", async () => {
  const content = randomBytes(12 * 1024 ** 2);
  store.fail(/^PUT .*partNumber=2/, 100, 503);
  await assert.rejects(put(content), /SlowDown/);
  assert.deepEqual([store.objects.size, store.uploads.size], [0, 0]);
  store.fail(/never/, 0, "break");
  await put(content);
  assert.ok(store.objects.get(key)?.equals(content));
});

test("an object of that name with something else in it gets another name", async () => {
  const before = Buffer.from("more rows");
  store.objects.set(key, before);
  await put(Buffer.from("rows"));
  const kept = `${key}.replaced-${createHash("sha256").update(before).digest("hex").slice(0, 12)}`;
  assert.deepEqual([...store.objects.keys()].sort(), [key, kept]);
  assert.equal(String(store.objects.get(key)), "rows");
  assert.equal(String(store.objects.get(kept)), "more rows");
});

test("where the object that is there cannot be kept, it is not replaced", async () => {
  store.objects.set(key, Buffer.from("more rows"));
  store.fail(/^POST .*replaced.*uploadId/, 1, "spoil");
  await assert.rejects(put(Buffer.from("rows")), /replaced-\w{12}: what was read back/);
  assert.equal(String(store.objects.get(key)), "more rows");
});

test("errors name what to do", async () => {
  await assert.rejects(put(Buffer.from("rows"), {}), /set AWS_ACCESS_KEY_ID/);
  const wrongKey = { ...store.env, AWS_SECRET_ACCESS_KEY: "another" };
  await assert.rejects(put(Buffer.from("rows"), wrongKey), /check AWS_ACCESS_KEY_ID/);
});
