import assert from "node:assert/strict";
import { test } from "node:test";
import type { Config } from "../config/config.ts";
import { archiveOf } from "./archive.ts";

const config = { archiveFormat: "csv", dataDir: "/data", requestsArchive: undefined } as unknown as Config;

test("an archive is a folder, or a bucket with the variables that are for buckets alone", () => {
  assert.equal(archiveOf(config, {}), undefined);
  const format = "csv";
  assert.deepEqual(archiveOf({ ...config, requestsArchive: "/archive" }, {}), { folder: "/archive", format });
  const env = { AWS_REGION: "eu-west-1", PLAZA_SECRET_KEY: "x", PATH: "/bin" };
  const bucket = { address: "s3://rows/plaza", env: { AWS_REGION: "eu-west-1" } };
  assert.deepEqual(archiveOf({ ...config, requestsArchive: "s3://rows/plaza" }, env), {
    folder: "/data/archive-unsent",
    format,
    bucket,
  });
});
