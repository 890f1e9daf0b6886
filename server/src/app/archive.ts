/** Where the archive is, by how the operator names it: a folder, or `s3://bucket/prefix`. */
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import type { Environment } from "../lib/s3/address.ts";
import type { Archive } from "../store/retention/shapes.ts";

/** Variables that `lib/s3/address.ts` reads, and no others: they are handed to the storage thread. */
const isForBucket = ([name]: readonly [string, unknown]): boolean => name.startsWith("AWS_");

/** The archive of requests and of the audit log; undefined: there is none. */
export function archiveOf(
  { requestsArchive: place, archiveFormat: format, dataDir }: Config,
  env: Environment,
): Archive | undefined {
  if (place === undefined) return undefined;
  if (!place.startsWith("s3://")) return { folder: place, format };
  const folder = join(dataDir, "archive-unsent");
  return {
    folder,
    format,
    bucket: { address: place, env: Object.fromEntries(Object.entries(env).filter(isForBucket)) },
  };
}
