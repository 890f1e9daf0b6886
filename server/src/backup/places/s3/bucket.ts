/** Backups in a bucket: which objects are backups, and how they are named. */
import type { Environment } from "../../../lib/s3/address.ts";
import { createStoreClient } from "../../../lib/s3/client.ts";
import { beginUpload, bucketOf, describe, listKeys, readObject } from "../../../lib/s3/objects.ts";
import { type BackupPlace, isBackupName } from "../place.ts";

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
    begin: (backup, _folder, bytes) =>
      beginUpload(call, prefix + backup, { bytes, shown: `${shown}/${backup}` }),
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

/** Opens the object `s3://bucket/key`. Throws ObjectStoreError `not_found` when there is none. */
export async function openObject(
  text: string,
  env: Environment,
): Promise<{ bytes: number; source: AsyncIterable<Buffer> }> {
  const { bucket, rest } = bucketOf(text, env);
  const call = createStoreClient(bucket);
  const found = await describe(call, rest);
  return { bytes: found.bytes, source: readObject(call, rest, found) };
}
