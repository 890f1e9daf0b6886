/** `plaza doctor`: whether the bucket of the archive can be reached and listed. */
import { createStoreClient } from "../../lib/s3/client.ts";
import { bucketOf, listKeys } from "../../lib/s3/objects.ts";
import type { CommandIo } from "../command-io.ts";
import { type Finding, ok, problem, reasonOf } from "./finding.ts";

const what = "archive";

/** `address`: `s3://bucket/prefix`. Changes nothing; `isOffline`: asks nothing, too. */
export async function checkArchiveBucket(
  { env }: CommandIo,
  address: string,
  isOffline: boolean,
): Promise<Finding> {
  try {
    const { bucket } = bucketOf(address, env);
    if (isOffline) return ok(what, `${address}, not asked`);
    await listKeys(createStoreClient(bucket), `${bucket.prefix}plaza-doctor`);
  } catch (error) {
    const todo = "until then nothing is archived and nothing removed: docs/operate/operations.md";
    return problem(what, reasonOf(error), todo);
  }
  return ok(what, `${address} answers`);
}
