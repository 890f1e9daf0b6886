/**
 * Objects in a bucket. Each is written as a multipart upload, which makes no object until it is completed,
 * and read in ranges.
 */
import { type Bucket, type Environment, ObjectStoreError, readAddress } from "./address.ts";
import { type CallStore, elementIn, unescaped } from "./client.ts";

const mebibyte = 1024 ** 2;

/** Parts of one size, since some stores want that; the least that AWS takes is 5 MiB. */
const partBytesMin = 16 * mebibyte;
/** AWS takes 10,000. */
const partsMax = 9_000;

/** Escapes what an ETag may hold for XML. */
const forXml = (text: string): string => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);

/** True when the bucket has the object. */
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
  throw new ObjectStoreError("storage", `${shown} was not completed (${code}): try again`);
}

/** An object that is being written. It is there only after `commit`. */
export interface ObjectUpload {
  readonly write: (bytes: Buffer) => Promise<void>;
  /** Makes the object. Throws ObjectStoreError `exists` instead of replacing one. */
  commit(): Promise<void>;
  /** Ends the upload; what was written must not stay. Never rejects. */
  abandon(): Promise<void>;
}

export interface UploadOptions {
  /** About the size of the object. */
  readonly bytes: number;
  /** The object's name, for messages. */
  readonly shown: string;
  /** Bytes of a part, at least; absent: 16 MiB. */
  readonly partBytesMin?: number;
  /** Replaces an object of that key. */
  readonly isReplacing?: boolean;
}

/** Begins a multipart upload; its parts are written in order. */
export async function beginUpload(
  call: CallStore,
  key: string,
  options: UploadOptions,
): Promise<ObjectUpload> {
  const { bytes, shown, isReplacing = false } = options;
  const partBytes = Math.max(options.partBytesMin ?? partBytesMin, Math.ceil(bytes / partsMax));
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
      if (!isReplacing && (await isThere(call, key)))
        throw new ObjectStoreError("exists", `${shown} exists already: try again`);
      await complete(call, key, uploadId, etags, shown);
    },
    async abandon() {
      await call({ method: "DELETE", key, query: { uploadId } }, true).catch(() => {});
    },
  };
}

/** The keys that begin with the prefix. */
export async function listKeys(call: CallStore, prefix: string): Promise<string[]> {
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
export interface FoundObject {
  readonly bytes: number;
  readonly etag: string;
}

/** Finds an object. Throws ObjectStoreError `not_found` when there is none. */
export async function describe(call: CallStore, key: string): Promise<FoundObject> {
  const { status, headers } = await call({ method: "HEAD", key }, true);
  if (status === 404) throw new ObjectStoreError("not_found", `the bucket has no object ${key}`);
  return { bytes: Number(headers.get("content-length")), etag: headers.get("etag") ?? "" };
}

/** Reads an object in ranges of that many bytes, so that a broken connection costs one of them. */
export async function* readObject(
  call: CallStore,
  key: string,
  found?: FoundObject,
  rangeBytes = 16 * mebibyte,
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

/** Reads `s3://bucket/prefix`. The prefix of the bucket is empty or ends with a slash; `rest` is as given. */
export function bucketOf(text: string, env: Environment): { bucket: Bucket; rest: string } {
  const { bucket, rest } = readAddress(text, env);
  const prefix = rest === "" || rest.endsWith("/") ? rest : `${rest}/`;
  return { bucket: { ...bucket, prefix }, rest };
}
