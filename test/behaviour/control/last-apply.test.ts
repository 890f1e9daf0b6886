/** What the console says of the last applied file, from entries of the audit log. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewAuditEntry } from "../../../server/src/store/people/people.ts";
import { startConsole } from "../harness/console-rig.ts";

test("the last apply, and each change of the configuration since, newest first", async (context) => {
  const { as, store } = await startConsole(context);
  const operator = as("operator");
  const read = async () => (await operator.call("GET", "/operator/last-apply")).body;
  const apply = async (outcome: NewAuditEntry["outcome"], more: Partial<NewAuditEntry> = {}) => {
    const id = await store.beginAudit({
      at: Date.now(),
      actorKind: "cli",
      actorId: null,
      actorName: "ana",
      accountId: null,
      action: "apply",
      subject: "plaza.yaml",
      detail: null,
      ip: null,
      requestId: null,
      outcome: "begun",
      ...more,
    });
    if (outcome !== "begun") await store.endAudit(id, { outcome });
  };
  const rename = async (name: string) => {
    const { body } = await operator.call("GET", "/operator/settings");
    const { revision } = body;
    return operator.call("PUT", "/operator/settings", {
      name,
      plazaIsPublic: false,
      lowBalance: null,
      revision,
    });
  };

  assert.equal((await rename("before")).status, 200);
  assert.deepEqual(await read(), { applied: null, changes: [], hasMore: false });
  await apply("done", { at: 1_000 });
  await apply("refused", { subject: "refused.yaml" });
  await apply("begun", { subject: "begun.yaml" });
  const first = await read();
  assert.deepEqual(first.applied, { file: "plaza.yaml", by: "ana", at: "1970-01-01T00:00:01.000Z" });
  assert.deepEqual(first.changes, [], "what was before the apply is none");

  assert.equal((await rename("one")).status, 200);
  assert.equal((await rename("two")).status, 200);
  const body = { name: "x", plazaIsPublic: false, lowBalance: null, revision: 99 };
  assert.equal((await operator.call("PUT", "/operator/settings", body)).status, 409, "refused");
  const key = await as("owner").call("POST", "/keys", { name: "k" });
  assert.equal(key.status, 201);
  const made = await operator.call("POST", "/operator/tokens", { name: "t", scopes: ["catalog:read"] });
  assert.equal(made.status, 201, "a token is in no file");
  const { changes, hasMore } = await read();
  assert.deepEqual(
    changes.map(({ action, subject, times }: Record<string, unknown>) => [action, subject, times]),
    [
      ["createKey", key.body.key.id, 1],
      ["changeSettings", null, 2],
    ],
  );
  assert.equal(hasMore, false);
  for (let count = 0; count < 25; count += 1) await as("owner").call("POST", "/keys", { name: "k" });
  const many = await read();
  assert.equal(many.changes.length, 20);
  assert.equal(many.hasMore, true);
  assert.equal((await as("owner").call("GET", "/operator/last-apply")).status, 403);
});
