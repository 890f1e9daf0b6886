import assert from "node:assert/strict";
import { readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import { checkApiKeyShape, digestApiKey } from "../domain/keys/api-key.ts";
import type { RequestRow } from "../store/requests/shapes.ts";
import { catalogFile, catalogText, commandLine } from "./testing/test-command-line.ts";

test("--version, --help and what is not understood", async () => {
  const { run } = commandLine();
  assert.deepEqual(await run("--version"), { status: 0, out: "9.8.7\n", err: "" });
  const help = await run("--help");
  assert.equal(help.status, 0);
  for (const name of ["serve", "apply", "account", "key", "topup", "ledger", "requests"])
    assert.match(help.out, new RegExp(`^  ${name} `, "m"));
  for (const command of [
    ["serve"],
    ["apply"],
    ["account", "create"],
    ["key", "create"],
    ["key", "revoke"],
    ["topup"],
    ["ledger", "verify"],
    ["requests"],
  ]) {
    const { status, out } = await run(...command, "--help");
    assert.equal(status, 0, command.join(" "));
    assert.match(out, /--data <dir> .*/);
  }
  const nothing = await run();
  assert.equal(nothing.status, 2);
  assert.equal(nothing.out, "");
  assert.match(nothing.err, /^Usage: plaza/);
  const typo = await run("acount");
  assert.equal(typo.status, 2);
  assert.match(typo.err, /unknown command 'acount'\n\(Did you mean account\?\)\nRun the command with --help/);
});

test("with --json an error is one JSON document, whatever kind it is", async () => {
  const { json } = commandLine({ UPSTREAM_KEY: "x" });
  const cases: [string[], number, string, RegExp][] = [
    [["account", "create"], 2, "usage", /^missing required argument 'name'/],
    [["account", "create", "x", "--balance", "1e9"], 2, "usage", /Exponents are not .* for example "5\.00"/],
    [["account", "create", "x", "--blance", "1"], 2, "usage", /Did you mean --balance\?/],
    [["key", "create"], 2, "usage", /--account/],
    [
      ["key", "create", "--account", "acc_none"],
      1,
      "not_found",
      /^account acc_none not found; see: npx plaza account list$/,
    ],
    [["key", "revoke", "key_none"], 1, "not_found", /^key key_none not found; see: npx plaza key list$/],
    [["key", "list", "--account", "acc_none"], 1, "not_found", /acc_none/],
    [["requests", "--account", "acc_none"], 1, "not_found", /acc_none/],
    [["requests", "--limit", "0"], 2, "usage", /from 1 to 10000/],
    [["account", "list", "--database", "mysql://u:hunter2@h/d"], 2, "invalid_config", /postgres:\/\/USER/],
    [
      ["account", "list", "--database", "postgres://u:hunter2@127.0.0.1:1/d"],
      1,
      "unavailable",
      /127\.0\.0\.1:1/,
    ],
    [["account", "list", "--database", `sqlite:${catalogFile()}/x`], 1, "cannot_open", /plaza\.yaml\/x/],
    [["apply", "/nowhere/plaza.yaml"], 1, "system", /^\/nowhere\/plaza\.yaml: no such file/],
    [["apply", tmpdir()], 1, "system", /is a directory/],
    [["apply", catalogFile("models: []")], 1, "invalid_catalog", /plaza\.yaml:1:1 upstreams: is missing/],
  ];
  for (const [words, status, code, message] of cases) {
    const answer = await json(...words);
    assert.equal(answer.status, status, words.join(" "));
    assert.deepEqual(Object.keys(answer.value), ["error"]);
    assert.deepEqual(Object.keys(answer.value.error), ["code", "message"]);
    assert.equal(answer.value.error.code, code, words.join(" "));
    assert.match(answer.value.error.message, message);
    assert.match(answer.err, /^error: /);
    assert.equal(answer.err.includes("hunter2"), false);
    assert.equal(answer.err.includes("    at "), false, answer.err);
  }
});

test("all faults of the settings are told, on standard error, with status 2", async () => {
  const { run } = commandLine({ PLAZA_PROT: "1" });
  const { status, out, err } = await run("serve", "--port", "abc", "--workers", "99");
  assert.equal(status, 2);
  assert.equal(out, "");
  assert.deepEqual(err.split("\n"), [
    'error: port (--port): "abc" is not allowed; enter a whole number from 0 to 65535',
    'error: workers (--workers): "99" is not allowed; enter a whole number from 1 to 64',
    "error: PLAZA_PROT: unknown setting; did you mean PLAZA_PORT?",
    "",
  ]);
});

test("an account is created before there was any server, and listed", async () => {
  const { dataDir, run, json } = commandLine();
  assert.match(
    (await run("account", "list")).out,
    /^No accounts yet\. Create one: {2}npx plaza account create/,
  );
  const created = await json("account", "create", "Team Blue", "--balance", "5.00");
  assert.equal(created.status, 0);
  assert.equal(created.err, "");
  assert.deepEqual(Object.keys(created.value), ["id", "name", "balance", "leased"]);
  assert.match(created.value.id, /^acc_[0-9a-z]{26}$/);
  assert.equal(created.value.name, "Team Blue");
  assert.deepEqual([created.value.balance, created.value.leased], ["5.00", "0.00"]);
  const listed = await json("account", "list");
  assert.equal(listed.value.length, 1);
  const { createdAt, limits, ...account } = listed.value[0];
  assert.deepEqual(account, { ...created.value, status: "active", responsesKeptMs: null });
  assert.deepEqual(limits, { requestsPerMinute: null, tokensPerMinute: null, concurrency: null });
  assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
  assert.match((await run("account", "list")).out, /Team Blue +active +5\.00 +0\.00 +\d{4}-/);
  const said = await run("account", "create", "b", "--data", dataDir);
  assert.match(said.out, /npx plaza key create --account acc_\w+ --data \S+data\n$/);
  assert.equal(statSync(dataDir).mode & 0o777, 0o700);
  assert.ok(readdirSync(dataDir).includes("plaza.sqlite"));
});

test("a key is created, found by its digest, and its secret is nowhere else", async () => {
  const { run, json, store } = commandLine();
  const { value: account } = await json("account", "create", "a");
  const words = ["key", "create", "--account", account.id];
  const { value: key, err } = await json(...words, "--name", "laptop", "--models", "b,a", "--expires", "30d");
  assert.equal(err, "");
  assert.deepEqual(Object.keys(key).slice(0, 2), ["id", "key"]);
  assert.ok(checkApiKeyShape(key.key));
  const inDays = (Date.parse(key.expiresAt) - Date.now()) / 86_400_000;
  assert.ok(inDays > 29.9 && inDays <= 30);
  const opened = await store();
  const found = await opened.findKeyByDigest(digestApiKey(key.key));
  await opened.close();
  assert.equal(found?.key.id, key.id);
  assert.deepEqual(found?.key.models, ["b", "a"]);
  const listed = await run("key", "list");
  assert.match(listed.out, /laptop/);
  assert.equal(listed.out.includes(key.key), false);
  assert.equal(JSON.stringify((await json("key", "list")).value).includes(key.key), false);
  const plain = await run(...words);
  assert.match(
    plain.out,
    /^sk-plaza-\w{38}\n\nThis is the secret of key key_\w+ for all models\.\nPlaza shows it once/,
  );
});

test("limits and a budget of a key are stored", async () => {
  const { json } = commandLine();
  const { value: account } = await json("account", "create", "a");
  const { value, err } = await json(
    ...["key", "create", "--account", account.id, "--rpm", "60", "--tpm", "1000"],
    ...["--concurrency", "2", "--budget", "10.00/month"],
  );
  assert.equal(err, "");
  const budgeted = await json("key", "create", "--account", account.id, "--budget", "1/day");
  assert.deepEqual([budgeted.err, budgeted.value.budget], ["", "1.00/day"]);
  await json("key", "revoke", budgeted.value.id);
  const { value: keys } = await json("key", "list", "--account", account.id);
  assert.equal(keys.length, 2);
  keys.splice(1);
  const { key: _secret, ...withoutSecret } = value;
  assert.deepEqual(keys, [withoutSecret]);
  assert.equal(keys[0].requestsPerMinute, 60);
  assert.equal(keys[0].tokensPerMinute, 1_000);
  assert.equal(keys[0].concurrency, 2);
  assert.equal(keys[0].budget, "10.00/month");
});

test("a key is disabled, enabled, revoked; what is revoked stays so", async () => {
  const { run, json } = commandLine();
  const { value: account } = await json("account", "create", "a");
  const { value: key } = await json("key", "create", "--account", account.id);
  for (const [verb, status] of [
    ["disable", "disabled"],
    ["enable", "active"],
    ["revoke", "revoked"],
    ["revoke", "revoked"],
  ] as const) {
    assert.deepEqual((await json("key", verb, key.id)).value, { id: key.id, status });
  }
  for (const verb of ["enable", "disable"]) {
    const { status, value } = await json("key", verb, key.id);
    assert.equal(status, 1);
    assert.equal(value.error.code, "key_revoked");
  }
  assert.match((await run("key", "list")).out, / revoked /);
});

test("apply: dry run, first time, again, changed, removed", async () => {
  const { run, json } = commandLine({ UPSTREAM_KEY: "sk-canary" });
  const file = catalogFile();
  const dry = await json("apply", file, "--dry-run");
  assert.deepEqual(dry.value, {
    added: ["upstream main", "model gpt-5-mini"],
    changed: [],
    removed: [],
    changes: [
      { sign: "+", name: "upstream main", fields: [] },
      { sign: "+", name: "model gpt-5-mini", fields: [] },
    ],
    dryRun: true,
    warnings: [],
  });
  const first = await run("apply", file);
  assert.deepEqual(first, { status: 0, out: "+ upstream main\n+ model gpt-5-mini\n", err: "" });
  assert.deepEqual(await run("apply", file), { status: 0, out: "no change\n", err: "" });
  const dearer = catalogFile(catalogText.replace('"2.00"', '"2.50"'));
  assert.match((await run("apply", dearer)).out, /^~ model gpt-5-mini\n$/);
  const emptied = await run("apply", catalogFile("upstreams: []\nmodels: []\n"));
  assert.equal(emptied.out, "- upstream main\n- model gpt-5-mini\n");
});

test("apply: a fault anywhere stores nothing and every fault is a line; warnings go beside", async () => {
  const { run, json } = commandLine({ UPSTREAM_KEY: "sk-canary" });
  const file = catalogFile(
    `${catalogText}  - { id: x, deployments: [{ upstream: mian, model: x }], prise: 1 }\n`,
  );
  const { status, out, err } = await run("apply", file);
  assert.equal(status, 1);
  assert.equal(out, "");
  assert.equal(err.split("\n").length, 3, err);
  assert.match(
    err,
    /^error: \S+plaza\.yaml:7:40 models\[1\]\.deployments\[0\]\.upstream: unknown upstream "mian"/,
  );
  assert.deepEqual((await json("apply", catalogFile(), "--dry-run")).value.added.length, 2);
  const free = catalogFile(catalogText.replace(/ {4}price.*\n/, ""));
  const warned = await run("apply", free);
  assert.match(
    warned.err,
    /^warning: \S+:4:5 models\[0\]: has no price: the model is visible but not callable\n$/,
  );
  assert.equal(warned.status, 0);
});

test("a key for models the catalog does not have is refused with those it has", async () => {
  const { json } = commandLine({ UPSTREAM_KEY: "x" });
  const { value: account } = await json("account", "create", "a");
  await json("apply", catalogFile());
  const create = ["key", "create", "--account", account.id, "--models"];
  const { status, value } = await json(...create, "gpt-5-mini,gpt5-mini");
  assert.equal(status, 1);
  assert.deepEqual(value.error, {
    code: "model_not_found",
    message: 'unknown model "gpt5-mini"; did you mean "gpt-5-mini"? (models: gpt-5-mini)',
  });
  assert.equal((await json("key", "list")).value.length, 0);
  assert.equal((await json(...create, "gpt-5-mini")).status, 0);
});

test("requests: newest first, estimated tokens marked, every column in JSON, control characters kept off the terminal", async () => {
  const { run, json, store } = commandLine();
  assert.equal((await run("requests")).out, "No requests yet.\n");
  const { value: account } = await json("account", "create", "a");
  const { value: key } = await json("key", "create", "--account", account.id);
  const row: RequestRow = {
    id: "req_1",
    createdAt: Date.parse("2026-01-02T03:04:05.678Z"),
    accountId: account.id,
    keyId: key.id,
    operation: "chat",
    modelId: "gpt-5-mini",
    upstreamId: "main",
    upstreamModel: "gpt-5-mini",
    isStream: true,
    status: 200,
    state: "complete",
    errorCode: null,
    attempts: 1,
    inputTokens: 10,
    cachedInputTokens: 3,
    cacheWriteTokens: 2,
    outputTokens: 7,
    reasoningTokens: 0,
    usageSource: "exact",
    usageParts: null,
    firstTokenMs: 12,
    durationMs: 34,
    charge: nanoUsd(0n),
    priceId: null,
    cost: null,
    attemptLog: null,
    queueMs: null,
  };
  const evil = "x\u001b[2J\u009b1m";
  const opened = await store();
  await opened.recordRequest(row);
  await opened.recordRequest({
    ...row,
    id: "req_2",
    createdAt: row.createdAt + 1_000,
    usageSource: "estimated",
  });
  await opened.recordRequest({
    ...row,
    id: "req_3",
    createdAt: row.createdAt + 2_000,
    modelId: evil,
    state: "failed",
    status: 404,
    errorCode: "model_not_found",
    usageSource: "none",
    firstTokenMs: null,
  });
  await opened.close();
  assert.deepEqual((await run("requests")).out.split("\n"), [
    "time (UTC)           id     model       state                     status   in  out  charge USD  first token ms  ms",
    "2026-01-02 03:04:07  req_3  x�[2J�1m    failed (model_not_found)     404    -    -           -               -  34",
    "2026-01-02 03:04:06  req_2  gpt-5-mini  complete                     200  ~15   ~7           -              12  34",
    "2026-01-02 03:04:05  req_1  gpt-5-mini  complete                     200   15    7           -              12  34",
    "~ estimated: the upstream reported no usage, so Plaza counted what went by.",
    "",
  ]);
  const { value } = await json("requests", "--limit", "1", "--account", account.id);
  assert.equal(value.length, 1);
  assert.equal(value[0].modelId, evil);
  const { value: all } = await json("requests");
  assert.deepEqual(all[2], {
    ...row,
    createdAt: "2026-01-02T03:04:05.678Z",
    charge: "0.00",
    loss: "0.00",
  });
});

test("a database of another key file is not written to by mistake", async () => {
  const { run, json, dataDir } = commandLine({ UPSTREAM_KEY: "x" });
  assert.equal((await run("apply", catalogFile())).status, 0);
  rmSync(join(dataDir, "secret.key"));
  const { value: account } = await json("account", "create", "a");
  const { status, value } = await json("key", "create", "--account", account.id, "--models", "gpt-5-mini");
  assert.equal(status, 1);
  assert.equal(value.error.code, "unreadable_credentials");
});
