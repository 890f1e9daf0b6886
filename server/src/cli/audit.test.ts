import assert from "node:assert/strict";
import { userInfo } from "node:os";
import { test } from "node:test";
import { catalogFile, commandLine } from "./testing/test-command-line.ts";

test("every act of the command line is in the audit log, with how it ended and without secrets", async () => {
  const { run, json, store } = commandLine();
  const { value: account } = await json("account", "create", "Ærø", "--balance", "5");
  const { value: key } = await json(
    ...["key", "create", "--account", account.id, "--ips", "203.0.113.7, 10.0.0.0/8"],
  );
  await run("key", "limits", key.id, "--rpm", "5");
  await run("key", "limits", key.id);
  await run("key", "revoke", key.id);
  await run("key", "enable", key.id);
  await run("account", "limits", account.id, "--concurrency", "2");
  await run("account", "limits", account.id, "--concurrency", "2");
  await run("account", "limits", account.id);
  await run("topup", account.id, "2.50", "--note", "invoice");
  await run("ledger", "adjust", account.id, "-100", "--note", "too much");
  await run("account", "suspend", account.id);
  await run("account", "suspend", account.id);
  await run("key", "list");
  const opened = await store();
  const entries = (await opened.listAudit({ limit: 50 })).reverse();
  await opened.close();
  assert.deepEqual(
    entries.map(({ action, outcome }) => `${action}: ${outcome}`),
    [
      "account create: done",
      "key create: done",
      "key limits: done",
      "key revoke: done",
      "key enable: refused",
      "account limits: done",
      "topup: done",
      "ledger adjust: refused",
      "account suspend: done",
    ],
  );
  for (const { action, actor, accountId } of entries) {
    assert.deepEqual(actor, { kind: "cli", id: null, name: userInfo().username });
    if (action !== "key enable") assert.equal(accountId, account.id, action);
  }
  assert.deepEqual(entries[6]?.detail, { amount: "2.50", note: "invoice" });
  assert.equal(entries[1]?.subject, key.id);
  assert.ok(!JSON.stringify(entries).includes(key.key));
});

test("a key keeps the addresses it may be used from, and what is none is refused by name", async () => {
  const { run, json } = commandLine();
  const { value: account } = await json("account", "create", "a");
  const create = ["key", "create", "--account", account.id];
  const { value: key } = await json(...create, "--ips", "203.0.113.7,2001:DB8::/32,203.0.113.7");
  assert.deepEqual(key.ips, ["203.0.113.7", "2001:db8::/32"]);
  assert.match((await run("key", "list")).out, /203\.0\.113\.7,2001:db8::\/32/);
  for (const wrong of ["", "10.0.0.1/8", "localhost", "1.2.3.4,", "10.0.0.0/33"]) {
    const { status, err } = await run(...create, "--ips", wrong);
    assert.equal(status, 2, wrong);
    assert.match(err, /addresses or networks/, wrong);
  }
  assert.deepEqual((await json(...create)).value.ips, null);
});

test("a key's project and tags are given when it is created, shown, changed and taken away", async () => {
  const { run, json, store } = commandLine();
  const { value: account } = await json("account", "create", "a");
  const create = ["key", "create", "--account", account.id];
  const labels = ["--project", " search ", "--tag", "batch", "--tag", "team a", "--tag", "batch"];
  const { value: key } = await json(...create, ...labels);
  assert.deepEqual([key.project, key.tags], ["search", ["batch", "team a"]]);
  assert.match((await run("key", "list")).out, /search +batch, team a/);
  const { value: other } = await json(...create, "--tag", "nightly");
  const listed = async (...options: string[]) =>
    (await json("key", "list", ...options)).value.map(({ id }: { id: string }) => id).toSorted();
  assert.deepEqual(await listed("--project", "search"), [key.id]);
  assert.deepEqual(await listed("--tag", "team a"), [key.id]);
  assert.deepEqual(await listed("--tag", "batch", "--tag", "nightly"), [key.id, other.id].toSorted());
  assert.deepEqual(await listed("--project", "search", "--tag", "nightly"), []);
  assert.match((await run("key", "list", "--tag", "none of them")).out, /No keys with these labels/);
  const change = ["key", "labels", key.id];
  const shown = { id: key.id, project: "search", tags: ["batch", "team a"] };
  assert.deepEqual((await json(...change)).value, shown);
  assert.deepEqual((await json(...change, "--tag", "x")).value, { ...shown, tags: ["x"] });
  const none = await json(...change, "--project", "none", "--tag", "none");
  assert.deepEqual(none.value, { id: key.id, project: null, tags: [] });
  for (const wrong of ["", " ", "x".repeat(41), "a\nb"]) {
    for (const option of ["--project", "--tag"]) {
      const { status, err } = await run(...create, option, wrong);
      assert.equal(status, 2, wrong);
      assert.match(err, /one line of 1 to 40 characters/, wrong);
    }
  }
  const nine = Array.from({ length: 9 }, (_, number) => ["--tag", `${number}`]).flat();
  assert.match((await run(...create, ...nine)).err, /at most 8 tags/);
  assert.equal((await run("key", "labels", "key_none", "--tag", "x")).status, 1);
  const opened = await store();
  const entries = await opened.listAudit({ limit: 50 });
  await opened.close();
  const detail = entries.find(({ action, outcome }) => action === "key labels" && outcome === "done")?.detail;
  assert.deepEqual(detail, { project: null, tags: [] });
});

test("a catalog file that changes nothing has no line", async () => {
  const { run, store } = commandLine({ UPSTREAM_KEY: "sk-not-real" });
  const file = catalogFile();
  await run("apply", file);
  assert.equal((await run("apply", file)).out, "no change\n");
  const opened = await store();
  const entries = await opened.listAudit({ limit: 50 });
  await opened.close();
  assert.deepEqual(
    entries.map(({ action, outcome, detail }) => ({ action, outcome, detail })),
    [{ action: "apply", outcome: "done", detail: { added: 2, changed: 0, removed: 0 } }],
  );
});
