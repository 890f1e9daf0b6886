/**
 * Puts a file of the archive into a bucket, reads it back and compares. A file that is there already, because
 * a process was killed after the upload, is not sent again.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { ObjectStoreError } from "../../../lib/s3/address.ts";
import { type CallStore, createStoreClient } from "../../../lib/s3/client.ts";
import { beginUpload, bucketOf, describe, type FoundObject, readObject } from "../../../lib/s3/objects.ts";
import type { ArchiveBucket } from "../shapes.ts";
import { differs } from "./table.ts";

/** Parts and ranges: the least that AWS takes, because the thread that hashes them also has other work. */
const pieceBytes = 5 * 1024 ** 2;

/** A file that is whole, and its SHA-256 in hex. */
export interface WholeFile {
  readonly path: string;
  readonly bytes: number;
  readonly digest: string;
}

/** What an object should have in it. */
interface Content {
  readonly source: AsyncIterable<Buffer>;
  readonly bytes: number;
  readonly digest: string;
}

async function findObject(call: CallStore, key: string): Promise<FoundObject | undefined> {
  try {
    return await describe(call, key);
  } catch (error) {
    if (error instanceof ObjectStoreError && error.code === "not_found") return undefined;
    throw error;
  }
}

async function digestOfObject(call: CallStore, key: string, found: FoundObject): Promise<string> {
  const hash = createHash("sha256");
  for await (const part of readObject(call, key, found, pieceBytes)) hash.update(part);
  return hash.digest("hex");
}

/** Writes an object and reads it back; replaces one of that key. */
async function putObject(
  call: CallStore,
  key: string,
  { source, bytes, digest }: Content,
  shown: string,
): Promise<void> {
  const options = { bytes, shown, partBytesMin: pieceBytes, isReplacing: true };
  const upload = await beginUpload(call, key, options);
  try {
    for await (const piece of source) await upload.write(piece);
    await upload.commit();
  } catch (error) {
    await upload.abandon();
    throw error;
  }
  const found = await findObject(call, key);
  if (found !== undefined && (await digestOfObject(call, key, found)) === digest) return;
  // So that a store that is broken does not fill up, where the credentials may remove an object.
  await call({ method: "DELETE", key }, true).catch(() => {});
  throw new ObjectStoreError("storage", `${shown}: ${differs}; check the store`);
}

/**
 * Puts the file into the bucket under this name. An object of that name with something else in it gets
 * another name: after a restore of a backup, a day may have fewer rows than when it was archived. Rejects
 * with ObjectStoreError.
 */
export async function storeInBucket(
  { address, env }: ArchiveBucket,
  name: string,
  { path, bytes, digest }: WholeFile,
): Promise<void> {
  const { bucket } = bucketOf(address, env);
  const call = createStoreClient(bucket);
  const key = bucket.prefix + name;
  const shown = `s3://${bucket.name}/${key}`;
  const found = await findObject(call, key);
  if (found !== undefined) {
    const before = await digestOfObject(call, key, found);
    if (before === digest) return;
    const source = readObject(call, key, found, pieceBytes);
    const kept = `.replaced-${before.slice(0, 12)}`;
    await putObject(call, key + kept, { source, bytes: found.bytes, digest: before }, shown + kept);
  }
  await putObject(call, key, { source: createReadStream(path), bytes, digest }, shown);
}
