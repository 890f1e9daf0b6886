/** Console access from the command line: setup and reset links. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "../../control/auth/secret-text.ts";
import { commandLine } from "../testing/test-command-line.ts";

test("a set-up link is made while there is no operator, the one before is void then", async (context) => {
  const { run, json, store: open } = commandLine({ PLAZA_PORT: "9999" });
  const first = await json("setup-link");
  const second = await json("setup-link");
  assert.equal(second.value.url, `http://127.0.0.1:9999/link/${second.value.token}`);
  const store = await open();
  context.after(() => store.close());
  assert.equal(await store.findLink(digestOf(first.value.token)), undefined);
  const found = await store.findLink(digestOf(second.value.token));
  assert.deepEqual([found?.kind, found?.isOperator, found?.usedAt], ["setup", true, null]);
  const use = { digest: digestOf(second.value.token), userId: "usr_1", email: "ana@x.test", name: "Ana" };
  await store.useLink({ ...use, password: "hash", nowMs: Date.now() });
  const { status, err } = await run("setup-link");
  assert.equal(status, 1);
  assert.equal(
    err,
    "error: an operator already exists (ana@x.test); to reset a sign-in, run: npx plaza user reset EMAIL\n",
  );
  const listed = await json("user", "list");
  assert.deepEqual(listed.value, [
    {
      id: "usr_1",
      email: "ana@x.test",
      name: "Ana",
      isOperator: true,
      status: "active",
      account: null,
      hasTwoFactor: false,
    },
  ]);
  assert.match((await run("user", "list")).out, /ana@x\.test +Ana +operator +active +never/);
});

test("a reset link lets a user back in, and is in the audit log", async (context) => {
  const { run, json, store: open } = commandLine({ PLAZA_PUBLIC_URL: "https://plaza.test/v1" });
  const setup = await json("setup-link");
  const store = await open();
  context.after(() => store.close());
  const use = { digest: digestOf(setup.value.token), userId: "usr_1", email: "ana@x.test", name: "Ana" };
  await store.useLink({ ...use, password: "hash", nowMs: Date.now() });
  const { value } = await json("user", "reset", " Ana@X.test ");
  assert.equal(value.url, `https://plaza.test/link/${value.token}`);
  assert.equal((await store.findLink(digestOf(value.token)))?.userId, "usr_1");
  const { status, err } = await run("user", "reset", "bea@x.test");
  assert.deepEqual([status, err], [1, "error: user bea@x.test not found; see: npx plaza user list\n"]);
  const acts = (await store.listAudit({ limit: 10 })).map(({ actor, action, subject }) => [
    actor.kind,
    action,
    subject,
  ]);
  assert.deepEqual(acts, [
    ["cli", "user reset", "usr_1"],
    ["cli", "setup-link", null],
  ]);
  assert.match(
    (await run("user", "reset", "ana@x.test")).out,
    /\n\n {2}https:\/\/plaza\.test\/link\/[\w-]{43}\n$/,
  );
});
