/** Backups in a store that speaks S3, against a local one that checks every signature. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { commandLine } from "../../../cli/testing/test-command-line.ts";
import { ObjectStoreError, readAddress } from "../../../lib/s3/address.ts";
import { type FakeStore, startFakeStore } from "../../../lib/testing/fake-store.ts";
import { systemClock } from "../../../lib/time/clock.ts";
import { newAccount } from "../../../store/testing/behaviour/money.ts";
import { openBucket, openObject } from "./bucket.ts";

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
const folder = mkdtempSync(join(tmpdir(), "plaza-s3-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const name = "plaza-20261127T102008Z.plazabackup";
const mebibyte = 1024 ** 2;

async function collect(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts);
}

test("a large file is written in parts of one size, becomes an object at once, and is read in ranges", async () => {
  const place = openBucket("s3://backups/a folder+/it's", store.env, folder);
  const content = randomBytes(40 * mebibyte + 5);
  const upload = await place.begin(name, folder, content.length);
  for (let at = 0; at < content.length; at += 3 * mebibyte)
    await upload.write(content.subarray(at, at + 3 * mebibyte));
  assert.equal(store.objects.size, 0, "nothing is there before the commit");
  await upload.commit();
  assert.deepEqual([...store.objects.keys()], [`a folder+/it's/${name}`]);
  assert.equal(store.uploads.size, 0);
  assert.equal(store.calls.filter((call) => call.startsWith("PUT")).length, 3);
  assert.ok((await collect(place.read(name))).equals(content));
  const { bytes, source } = await openObject(`s3://backups/a folder+/it's/${name}`, store.env);
  assert.equal(bytes, content.length);
  assert.ok((await collect(source)).equals(content));
});

test("an upload that is abandoned leaves nothing, and one of the same name is not replaced", async () => {
  const place = openBucket("s3://backups", store.env, folder);
  const abandoned = await place.begin(name, folder, 1);
  await abandoned.write(Buffer.from("x"));
  await abandoned.abandon();
  assert.deepEqual([store.objects.size, store.uploads.size], [0, 0]);
  store.objects.set(name, Buffer.from("first"));
  const second = await place.begin(name, folder, 1);
  await second.write(Buffer.from("second"));
  await assert.rejects(second.commit(), (error: ObjectStoreError) => error.code === "exists");
  assert.equal(String(store.objects.get(name)), "first");
});

test("lists go on over pages and have backups alone", async () => {
  const place = openBucket("s3://backups/p", store.env, folder);
  const names = [1, 2, 3, 4, 5].map((second) => `plaza-20261127T10200${second}Z.plazabackup`);
  for (const one of [...names, "plaza-notes & more", "other"])
    store.objects.set(`p/${one}`, Buffer.from("x"));
  assert.deepEqual(await place.list(), names);
  await place.remove(names[0] as string);
  assert.deepEqual(await place.list(), names.slice(1));
});

test("calls are repeated when the store is busy or a connection breaks, and not for ever", async () => {
  const place = openBucket("s3://backups", store.env, folder);
  store.objects.set(name, Buffer.from("content"));
  store.fail(/^GET/, 2, 503);
  assert.equal(String(await collect(place.read(name))), "content");
  store.fail(/^HEAD/, 1, "break");
  assert.equal(String(await collect(place.read(name))), "content");
  store.fail(/^HEAD/, 100, 503);
  store.calls.length = 0;
  await assert.rejects(collect(place.read(name)), (error: ObjectStoreError) => error.code === "storage");
  assert.equal(store.calls.length, 5);
});

test("the end of an upload whose answer is lost is no failure; an upload that is gone is one", async () => {
  const place = openBucket("s3://backups", store.env, folder);
  const upload = await place.begin(name, folder, 1);
  await upload.write(Buffer.from("content"));
  store.fail(/^POST/, 1, "lose");
  await upload.commit();
  assert.equal(String(store.objects.get(name)), "content");
  store.objects.clear();
  const gone = await place.begin(name, folder, 1);
  await gone.write(Buffer.from("content"));
  store.uploads.clear();
  await assert.rejects(gone.commit(), (error: ObjectStoreError) => /NoSuchUpload/.test(error.message));
});

test("errors name the bucket, the store's reason and what to do", async () => {
  const wrongKey = { ...store.env, AWS_SECRET_ACCESS_KEY: "another" };
  const refused = (pattern: RegExp) => (error: ObjectStoreError) =>
    error instanceof ObjectStoreError && pattern.test(error.message);
  await assert.rejects(
    openBucket("s3://backups", wrongKey, folder).list(),
    refused(/^s3:\/\/backups: SignatureDoesNotMatch: .*match & is refused.; check AWS_ACCESS_KEY_ID/),
  );
  await assert.rejects(openBucket("s3://others", store.env, folder).list(), refused(/NoSuchBucket/));
  await assert.rejects(openObject("s3://backups/none", store.env), refused(/no object none/));
  const nowhere = { ...store.env, AWS_ENDPOINT_URL: "http://127.0.0.1:1" };
  await assert.rejects(openObject("s3://backups/none", nowhere), refused(/127\.0\.0\.1:1 cannot be reached/));
});

test("addresses: a store of one's own by its path, AWS by the bucket's host", () => {
  const keys = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" };
  const url = (text: string, env: Record<string, string> = {}) =>
    readAddress(text, { ...keys, ...env }).bucket.url.href;
  assert.equal(url("s3://backups/x"), "https://backups.s3.us-east-1.amazonaws.com/");
  assert.equal(url("s3://a.b/x", { AWS_REGION: "eu-west-1" }), "https://s3.eu-west-1.amazonaws.com/a.b");
  assert.equal(url("s3://backups", { AWS_ENDPOINT_URL: "https://s3.test/" }), "https://s3.test/backups");
  assert.equal(readAddress("s3://backups/a/b", keys).rest, "a/b");
  for (const text of ["s3://", "s3://UPPER/x", "s3:///x"])
    assert.throws(() => readAddress(text, keys), /names no bucket/);
  assert.throws(() => readAddress("s3://backups", { AWS_ACCESS_KEY_ID: "a" }), /AWS_SECRET_ACCESS_KEY/);
  assert.throws(() => url("s3://backups", { AWS_ENDPOINT_URL: "nowhere" }), /must be a URL/);
});

test("commands make, keep, verify and restore backups in a bucket", async () => {
  let passedMs = 0;
  const wallMs = () => systemClock.wallMs() + passedMs;
  const line = commandLine(store.env, { ...systemClock, wallMs });
  mkdirSync(line.dataDir);
  const open = await line.store();
  await open.migrate();
  await newAccount(open, "acc_1", 1_000n);
  await open.close();
  const made: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    passedMs += 1_000;
    const { value, err } = await line.json("backup", "create", "s3://backups/plaza", "--keep", "2");
    assert.equal(err, "");
    made.push(value.backup);
  }
  const kept = [...store.objects.keys()].map((key) => `s3://backups/${key}`);
  assert.deepEqual(kept, made.slice(-2));
  const [file = ""] = kept;
  assert.equal((await line.json("backup", "verify", file)).value.ok, true);
  const target = join(folder, "restored");
  assert.equal((await line.run("backup", "restore", file, "--data", target)).status, 0);
  assert.deepEqual(readdirSync(target).sort(), ["journal", "plaza.sqlite"]);
});
