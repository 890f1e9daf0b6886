/**
 * Backups in a bucket. Each is written as a multipart upload, which makes no object until it is completed,
 * and read in ranges, so that a broken connection costs one range.
 */
import { BackupError } from "../../error.ts";
import { type BackupPlace, isBackupName, type Upload } from "../place.ts";
import { type Bucket, type Environment, readAddress } from "./address.ts";
import { type CallStore, createStoreClient, elementIn, unescaped } from "./client.ts";

/** Parts of one size, since some stores want that; the least that AWS takes is 5 MiB. */
const partBytesMin = 16 * 1024 ** 2;
/** AWS takes 10,000. */
const partsMax = 9_000;
const rangeBytes = 16 * 1024 ** 2;

/** Escapes what an ETag may hold for XML. */
const forXml = (text: string): string => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);

async function isThere(call: CallStore, key: string): Promise<boolean> {
  return (await call({ method: "HEAD", key }, true)).status !== 404;
}

/** Joins the parts of an upload to an object. */
async function complete(
  call: CallStore,
  key: string,
  uploadId: string,
  etags: readonly string[],
  shown: string,
): Promise<void> {
  const parts = etags.map(
    (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${forXml(etag)}</ETag></Part>`,
  );
  const body = Buffer.from(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`);
  const reply = await call({ method: "POST", key, query: { uploadId }, body }, true);
  // The status is sent before the parts are joined, so an error may come in the body. A repeated call whose
  // first answer was lost finds no upload any more.
  const code = elementIn(reply.body.toString(), "Code");
  if (code === undefined || (await isThere(call, key))) return;
  throw new BackupError("storage", `${shown} was not completed (${code}): run the command again`);
}

/** A multipart upload: its parts, in order. */
async function beginUpload(call: CallStore, key: string, bytes: number, shown: string): Promise<Upload> {
  const partBytes = Math.max(partBytesMin, Math.ceil(bytes / partsMax));
  const begun = await call({ method: "POST", key, query: { uploads: "" } });
  const uploadId = elementIn(begun.body.toString(), "UploadId") ?? "";
  const etags: string[] = [];
  let waiting: Buffer[] = [];
  let waitingBytes = 0;

  async function writePart(): Promise<void> {
    const body = Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
    const query = { partNumber: String(etags.length + 1), uploadId };
    const { headers } = await call({ method: "PUT", key, query, body });
    etags.push(headers.get("etag") ?? "");
  }

  return {
    async write(some) {
      for (let rest = some; rest.length > 0; ) {
        const part = rest.subarray(0, partBytes - waitingBytes);
        waiting.push(part);
        waitingBytes += part.length;
        rest = rest.subarray(part.length);
        if (waitingBytes === partBytes) await writePart();
      }
    },
    async commit() {
      if (waitingBytes > 0) await writePart();
      if (await isThere(call, key))
        throw new BackupError("exists", `${shown} exists already: run the command again`);
      await complete(call, key, uploadId, etags, shown);
    },
    async abandon() {
      await call({ method: "DELETE", key, query: { uploadId } }, true).catch(() => {});
    },
  };
}

async function listKeys(call: CallStore, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  let token: string | undefined;
  do {
    const query = {
      "list-type": "2",
      prefix,
      ...(token === undefined ? {} : { "continuation-token": token }),
    };
    const xml = (await call({ method: "GET", key: "", query })).body.toString();
    for (const [, key = ""] of xml.matchAll(/<Key>([^<]*)<\/Key>/g)) keys.push(unescaped(key));
    token = elementIn(xml, "NextContinuationToken");
  } while (token !== undefined);
  return keys;
}

/** The size of an object and its version, which must not change while it is read. */
async function describe(call: CallStore, key: string): Promise<{ bytes: number; etag: string }> {
  const { status, headers } = await call({ method: "HEAD", key }, true);
  if (status === 404) throw new BackupError("not_found", `the bucket has no object ${key}`);
  return { bytes: Number(headers.get("content-length")), etag: headers.get("etag") ?? "" };
}

async function* readObject(
  call: CallStore,
  key: string,
  found?: { readonly bytes: number; readonly etag: string },
): AsyncGenerator<Buffer> {
  const { bytes, etag } = found ?? (await describe(call, key));
  for (let at = 0; at < bytes; ) {
    const range = `bytes=${at}-${Math.min(bytes, at + rangeBytes) - 1}`;
    const { body } = await call({ method: "GET", key, headers: { range, "if-match": etag } });
    if (body.length === 0) return;
    yield body;
    at += body.length;
  }
}

function bucketOf(text: string, env: Environment): { bucket: Bucket; rest: string } {
  const { bucket, rest } = readAddress(text, env);
  const prefix = rest === "" || rest.endsWith("/") ? rest : `${rest}/`;
  return { bucket: { ...bucket, prefix }, rest };
}

/** Opens `s3://bucket/prefix` for backups. `workFolder`: a directory of this machine for the copy. */
export function openBucket(text: string, env: Environment, workFolder: string): BackupPlace {
  const { bucket } = bucketOf(text, env);
  const { name, prefix } = bucket;
  const call = createStoreClient(bucket);
  const shown = `s3://${name}/${prefix}`.replace(/\/$/, "");
  return {
    shown,
    workFolder,
    isOnDisk: false,
    begin: (backup, _folder, bytes) => beginUpload(call, prefix + backup, bytes, `${shown}/${backup}`),
    async list() {
      const names = (await listKeys(call, `${prefix}plaza-`)).map((key) => key.slice(prefix.length));
      return names.filter(isBackupName).sort();
    },
    read: (backup) => readObject(call, prefix + backup),
    async remove(backup) {
      await call({ method: "DELETE", key: prefix + backup }, true);
    },
  };
}

/** Opens the object `s3://bucket/key`. Throws BackupError `not_found` when there is none. */
export async function openObject(
  text: string,
  env: Environment,
): Promise<{ bytes: number; source: AsyncIterable<Buffer> }> {
  const { bucket, rest } = bucketOf(text, env);
  const call = createStoreClient(bucket);
  const found = await describe(call, rest);
  return { bytes: found.bytes, source: readObject(call, rest, found) };
}
