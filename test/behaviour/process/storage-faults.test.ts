/**
 * A full disk and a damaged file while the product runs: readiness, health and metrics report them within
 * five seconds. Stalls of the machine do not count.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { get } from "../../rigs/harness/http-client.ts";
import { eventually, monotonicMs } from "../../rigs/harness/measure/clock.ts";
import { lostWithin, type StallWatch, startStallWatch } from "../../rigs/harness/measure/stall-watch.ts";
import { type Product, startProduct, temporaryFolder } from "../harness/product.ts";

const folder = temporaryFolder();
let watch: StallWatch;
before(async () => {
  watch = await startStallWatch();
});
after(async () => {
  await watch?.stop();
  spawnSync("umount", [folder]);
  rmSync(folder, { recursive: true, force: true });
});

const reasonOf = async ({ origin }: Product): Promise<string | undefined> => {
  const { status, text } = await get(`${origin}/readyz`);
  return status === 200 ? undefined : (JSON.parse(text) as { reason: string }).reason;
};

/** Waits for a readiness reason; resolves with the time it took, without what the machine lost. */
async function untilReason(product: Product, wanted: string | undefined): Promise<number> {
  const startedMs = monotonicMs();
  await eventually(async () => (await reasonOf(product)) === wanted, 20_000);
  const endedMs = monotonicMs();
  assert.equal(await reasonOf(product), wanted);
  return endedMs - startedMs - lostWithin(await watch.stalls(), startedMs, endedMs);
}

async function faultsCounted({ origin }: Product): Promise<string[]> {
  const { text } = await get(`${origin}/metrics`);
  return [...text.matchAll(/^plaza_storage_fault\{[^}]*fault="(\w+)"[^}]*\} 1$/gm)].map(
    ([, fault = ""]) => fault,
  );
}

/** Writes until the disk is full. */
function fill(file: string): void {
  const descriptor = openSync(file, "w");
  try {
    for (const size of [1024 * 1024, 4096]) {
      try {
        for (;;) writeSync(descriptor, Buffer.alloc(size));
      } catch {
        // Full, for chunks of this size.
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

test("a full disk turns readiness red without a call, and green again when there is room", async (context) => {
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=48m", "tmpfs", folder]);
  if (mounted.status !== 0) {
    context.skip("a small file system can be mounted by root only");
    return;
  }
  const product = await startProduct({ folder });
  try {
    const filler = join(folder, "filler");
    fill(filler);
    assert.ok((await untilReason(product, "the disk is full")) < 5_000);
    assert.deepEqual(await faultsCounted(product), ["disk_full"]);
    const isLogged = () => /"event":"storage_fault".*"code":"disk_full"/.test(product.logs());
    assert.ok(await eventually(isLogged, 5_000), product.logs());
    rmSync(filler);
    assert.ok((await untilReason(product, undefined)) < 5_000);
    assert.deepEqual(await faultsCounted(product), []);
  } finally {
    await product.stop();
  }
});

test("a file damaged under a running process is noticed, and the process says so until it is restarted", async () => {
  const own = temporaryFolder();
  // A stop writes the whole log into the database file.
  await (await startProduct({ folder: own })).stop();
  const product = await startProduct({ folder: own });
  try {
    const file = join(own, "plaza.sqlite");
    const { size } = statSync(file);
    const descriptor = openSync(file, "r+");
    writeSync(descriptor, Buffer.alloc(size - 8_192, 0xa5), 0, size - 8_192, 8_192);
    closeSync(descriptor);
    assert.ok((await untilReason(product, "the database is damaged")) < 5_000);
    assert.deepEqual(await faultsCounted(product), ["damaged"]);
  } finally {
    await product.stop("SIGKILL");
    rmSync(own, { recursive: true, force: true });
  }
});
