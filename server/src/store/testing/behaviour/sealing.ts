/**
 * What every store must do when the key that seals its credentials is exchanged. A part of `behaviour.ts`.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Upstream } from "@plaza/contract/catalog.ts";
import { replaceKeyFile } from "../../../lib/secret.ts";
import { full, load } from "../catalog-samples.ts";
import type { NewFixture } from "../fixture.ts";

export function sealingBehaviour(newFixture: NewFixture): void {
  test("credentials are sealed anew with the first of several keys, all or none", async (context) => {
    const { reopen } = await newFixture(context);
    const [old, fresh] = [randomBytes(32), randomBytes(32)];
    const before = await reopen(old);
    await before.applyCatalog(full);
    const last = await before.lastChangeId();
    const stranger = await reopen(fresh);
    await assert.rejects(stranger.resealCredentials(fresh), {
      code: "another_secret_key",
      message: /copy secret\.key .* npx plaza secret rotate.* npx plaza secret reset/,
    });
    assert.deepEqual(await load(before), full);
    const between = await reopen(Buffer.concat([fresh, old]));
    assert.deepEqual(await load(between), full);
    const countOf = ({ credentials, headers = {} }: Upstream): number =>
      credentials.length + Object.keys(headers).length;
    const count = full.upstreams.reduce((sum, upstream) => sum + countOf(upstream), 0);
    assert.ok(count > 1);
    assert.equal(await between.resealCredentials(Buffer.concat([fresh, old])), count);
    for (const store of [between, stranger]) assert.deepEqual(await load(store), full);
    await assert.rejects(before.loadCatalog(), { code: "unreadable_credentials" });
    assert.equal(await between.lastChangeId(), last, "nobody has to take anything anew");
  });

  test("a process with another key seals nothing and claims nothing", async (context) => {
    const { store, reopen } = await newFixture(context);
    await store.claimSealingKey();
    const refused = { code: "another_secret_key" };
    const stranger = await reopen(randomBytes(32));
    await assert.rejects(stranger.claimSealingKey(), refused);
    await store.claimSealingKey();
    await store.applyCatalog(full);
    await assert.rejects(stranger.applyCatalog(full), refused);
    assert.deepEqual(await load(store), full, "nothing was sealed anew");
  });

  test("of first processes with keys of their own one is the installation's", async (context) => {
    const { reopen } = await newFixture(context);
    const stores = await Promise.all(Array.from({ length: 8 }, () => reopen(randomBytes(32))));
    // Opens connections first, so that all claim at the same moment.
    await Promise.all(stores.map((one) => one.ping()));
    const claims = await Promise.allSettled(stores.map((one) => one.claimSealingKey()));
    assert.equal(claims.filter(({ status }) => status === "fulfilled").length, 1);
  });

  test("a lost key is given up: the new one seals what is applied anew", async (context) => {
    const { store, reopen } = await newFixture(context);
    await store.applyCatalog(full);
    const fresh = await reopen(randomBytes(32));
    await fresh.resetSealingKey();
    await fresh.claimSealingKey();
    await assert.rejects(store.claimSealingKey(), { code: "another_secret_key" });
    await assert.rejects(fresh.loadCatalog(), { code: "unreadable_credentials" });
    await fresh.applyCatalog(full);
    assert.deepEqual(await load(fresh), full);
  });

  test("keys are exchanged while catalogs are applied: everything opens with the new one", async (context) => {
    const { reopen } = await newFixture(context);
    const directory = mkdtempSync(join(tmpdir(), "plaza-keys-"));
    context.after(() => rmSync(directory, { recursive: true }));
    const file = join(directory, "key");
    const [old, fresh] = [randomBytes(32), randomBytes(32)];
    replaceKeyFile(file, old);
    const writer = await reopen(old, file);
    const rotator = await reopen(old, file);
    const reader = await reopen(old, file);
    await writer.applyCatalog(full);
    const renamed = {
      ...full,
      upstreams: full.upstreams.map((one) => ({ ...one, credentials: ["another"] })),
    };
    const writing = (async () => {
      for (let round = 0; round < 6; round += 1) await writer.applyCatalog(round % 2 === 0 ? renamed : full);
    })();
    replaceKeyFile(file, Buffer.concat([fresh, old]));
    await rotator.resealCredentials(Buffer.concat([fresh, old]));
    replaceKeyFile(file, fresh);
    await writing;
    assert.deepEqual(await load(reader), full);
    assert.deepEqual(await load(await reopen(fresh)), full, "nothing is left of the old key");
  });
}
