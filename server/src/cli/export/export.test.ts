/** `plaza export` and `plaza apply` of the whole configuration: round trip, drift, prune, adopt, secrets. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Model, Upstream } from "@plaza/contract/catalog.ts";
import { defaultTimeouts } from "@plaza/contract/catalog.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import { parse } from "yaml";
import { deploymentFields, modelFields } from "../../domain/catalog/file/models.ts";
import { upstreamNames } from "../../domain/catalog/file/upstreams.ts";
import { sections } from "../../domain/catalog/file.ts";
import { accountNames, settingNames, userNames } from "../../domain/configuration/read.ts";
import { keyNames } from "../../domain/configuration/read-key.ts";
import type { Store } from "../../store/store.ts";
import { newUser } from "../../store/testing/behaviour/console/keys.ts";
import { catalogFile, commandLine } from "../testing/test-command-line.ts";
import { variablesOf } from "./variables.ts";

type CommandLine = ReturnType<typeof commandLine>;

const usd = (dollars: number) => nanoUsd(BigInt(Math.round(dollars * 1e9)));
const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");
const futureMs = Date.UTC(2097, 0, 1, 8, 30);

const upstream: Upstream = {
  id: "main",
  provider: "openai",
  baseUrl: "https://api.example.com/v1",
  credentials: ["sk-first-secret", "sk-$econd-secret"],
  timeouts: { ...defaultTimeouts, connectMs: 3_000, firstByteMs: 90_500 },
  options: { allowUnpriced: "service_tier" },
  headers: { "x-token": "gw-$ecret-value", "x-team": "a" },
  onDisconnect: "finish",
  concurrency: 20,
  queue: 7,
  affinity: "none",
};

const price = { input: usd(0.25), output: usd(2), cachedInput: usd(0.000000001) };

const model: Model = {
  id: "team/fast",
  name: 'Fast: "quick" #1 $5',
  description: "Two lines,\nthe second with a tab\t.",
  operations: ["chat", "completion"],
  context: 400_000,
  maxOutput: 128_000,
  family: "Example",
  modalities: { input: ["text", "image"], output: ["text"] },
  capabilities: [],
  deprecatedAt: Date.UTC(2098, 1, 3),
  isDisabled: true,
  price: { ...price, perRequest: usd(0.01), tiers: [{ abovePromptTokens: 200_000, ...price }] },
  scheduledPrices: [{ validFrom: futureMs, price: { input: usd(1), output: usd(0) } }],
  deployments: [
    {
      upstream: "main",
      model: "true",
      priority: 1,
      weight: 1,
      cost: price,
      timeouts: { firstTokenMs: 1_500 },
      formats: ["openai-chat"],
    },
    { upstream: "main", model: "$other", priority: 2, weight: 0 },
  ],
  limits: { requestsPerMinute: 3_000 },
  fallbacks: ["plain"],
  hedge: { afterMs: 800 },
};

const plain: Model = {
  id: "plain",
  name: "plain",
  price: { input: usd(0), output: usd(0) },
  deployments: [{ upstream: "main", model: "plain", priority: 1, weight: 1 }],
  hedge: {},
};

async function addAccounts(store: Store): Promise<void> {
  await store.createAccount({ id: "acc_blue", name: "Team Blue", balance: usd(12) });
  await store.createAccount({ id: "acc_old", name: "Old", balance: usd(0) });
  await store.createAccount({ id: "acc_gone", name: "Gone", balance: usd(0) });
  await store.setAccountStatus("acc_old", "suspended");
  await store.setAccountStatus("acc_gone", "closed");
  const found = await store.findConsoleAccount("acc_blue");
  await store.changeAccount("acc_blue", found?.revision ?? 0, {
    limits: { requestsPerMinute: 60, concurrency: 0 },
    lowBalance: usd(3.5),
    responsesKeptMs: 86_400_000,
  });
  const rules = { requestsPerMinute: null, tokensPerMinute: null, concurrency: null, expiresAt: null };
  const bare = { accountId: "acc_blue", ...rules, models: null, budget: null };
  const named = (id: string) => ({ id, name: id, visiblePrefix: "sk-plaza-abcd", digest: digestOf(id) });
  await store.createKey({ ...bare, ...named("key_plain") });
  await store.createKey({
    ...bare,
    ...named("key_bound"),
    models: ["team/fast", "plain"],
    ips: ["203.0.113.7", "10.0.0.0/8"],
    tokensPerMinute: 5,
    budget: { amount: usd(10), period: "month" },
    expiresAt: futureMs + 1,
    project: 'search: "v2"',
    tags: ["batch", "007"],
  });
  await store.createKey({ ...bare, ...named("key_gone") });
  await store.setKeyStatus("key_bound", "disabled");
  await store.setKeyStatus("key_gone", "revoked");
}

/** An installation set through the store, as the console does it. */
async function fill(line: CommandLine): Promise<void> {
  await line.run("account", "list");
  const store = await line.store();
  try {
    await store.createUpstream(upstream);
    assert.equal((await store.createModel(plain)).kind, "done");
    assert.equal((await store.createModel(model)).kind, "done");
    const { keptLimits } = await store.showCatalog();
    const limits = { limits: { requestsPerMinute: 600 }, installation: { concurrency: 50 } };
    assert.equal((await store.changeLimits(limits, keptLimits.revision ?? 0)).kind, "done");
    await addAccounts(store);
    await store.changeSettings({
      name: `Plaza of \${ACME}`,
      plazaIsPublic: true,
      lowBalance: usd(5),
      revision: 0,
    });
    await newUser(store, "boss", null);
    await newUser(store, "ana", "acc_blue");
  } finally {
    await store.close();
  }
}

/** A second, empty installation with the same sealing key and the same people. */
async function secondOf(line: CommandLine): Promise<CommandLine> {
  const second = commandLine();
  mkdirSync(second.dataDir);
  copyFileSync(join(line.dataDir, "secret.key"), join(second.dataDir, "secret.key"));
  await second.run("account", "list");
  const store = await second.store();
  await newUser(store, "boss", null);
  await store.createAccount({ id: "acc_other", name: "Other", balance: usd(0) });
  await newUser(store, "ana", "acc_other");
  await store.setAccountStatus("acc_other", "closed");
  await store.close();
  return second;
}

async function exported(line: CommandLine, ...words: string[]): Promise<string> {
  const { status, out, err } = await line.run("export", ...words);
  assert.equal(status, 0, err);
  return out;
}

async function applied(line: CommandLine, text: string, ...words: string[]): Promise<string> {
  const { status, out, err } = await line.run("apply", catalogFile(text), ...words);
  assert.equal(status, 0, err);
  return out;
}

async function refused(line: CommandLine, text: string, ...words: string[]): Promise<string> {
  const { status, err } = await line.run("apply", catalogFile(text), ...words);
  assert.equal(status, 1);
  return err;
}

test("what is exported and applied elsewhere is exported there as the same text", async () => {
  const line = commandLine();
  await fill(line);
  const text = await exported(line);
  assert.equal(await exported(line), text, "twice the same");
  for (const word of ["first-secret", "econd-secret", "ecret-value", "acc_gone", "key_gone", "balance:"])
    assert.ok(!text.includes(word), `${word}\n${text}`);
  const second = await secondOf(line);
  await applied(second, text);
  assert.equal(await exported(second), text);
  assert.equal(await applied(second, text, "--dry-run"), "no change\n");
  const store = await second.store();
  const [loaded, found] = [await store.loadCatalog(), await store.findKeyByDigest(digestOf("key_plain"))];
  const account = await store.findAccount("acc_blue");
  await store.close();
  assert.deepEqual(loaded?.upstreams[0]?.credentials, upstream.credentials);
  assert.deepEqual(loaded?.upstreams[0]?.headers, upstream.headers);
  assert.equal(found?.key.id, "key_plain", "a key made elsewhere works");
  assert.equal(account?.balance, 0n, "balances stay behind");
});

/** Names of all fields of one level: of all items of a list. */
const namesIn = (items: unknown): Set<string> =>
  new Set([items].flat().flatMap((item) => Object.keys((item ?? {}) as object)));

test("every key that the reader knows is written", async () => {
  const line = commandLine();
  await fill(line);
  const file = parse(await exported(line)) as Record<string, Record<string, unknown>[]>;
  const deployments = file["models"]?.flatMap(({ deployments: list }) => list);
  const keys = file["accounts"]?.flatMap(({ keys: list }) => list);
  const levels: readonly [readonly string[], unknown][] = [
    [sections, file],
    [upstreamNames.filter((name) => name !== "preset"), file["upstreams"]],
    [modelFields, file["models"]],
    [deploymentFields, deployments],
    [settingNames, file["settings"]],
    [accountNames, file["accounts"]],
    [keyNames, keys],
    [userNames, file["users"]],
  ];
  for (const [names, items] of levels) {
    const written = namesIn(items);
    assert.deepEqual(
      names.filter((name) => !written.has(name)),
      [],
    );
  }
});

test("a dry run names exactly what drifted, with old and new values", async () => {
  const line = commandLine();
  await fill(line);
  const text = await exported(line);
  await applied(line, text, "--adopt");
  const store = await line.store();
  const account = await store.findConsoleAccount("acc_blue");
  await store.changeAccount("acc_blue", account?.revision ?? 0, { limits: { requestsPerMinute: 61 } });
  await store.setKeyLimits("key_plain", { concurrency: 3 });
  const settings = await store.getSettings();
  await store.changeSettings({ ...settings, name: "Renamed", lowBalance: null });
  const ana = (await store.listUsers({ search: "ana", limit: 1 }))[0];
  await store.changeUser({ id: ana?.id ?? "", revision: ana?.revision ?? 0, role: "owner" });
  await store.close();
  const drifted = await applied(line, text, "--dry-run");
  assert.equal(
    drifted,
    `~ settings
    name: Renamed → "Plaza of \${ACME}"
    lowBalance: null → "5.00"
~ account acc_blue
    limits: { requestsPerMinute: 61, concurrency: 0 } → { requestsPerMinute: 60, concurrency: 0 }
~ key key_plain
    limits: { concurrency: 3 } → not set
~ user ana@example.com
    role: owner → member
`,
  );
  await applied(line, text);
  assert.equal(await exported(line), text);
  const cheaper = text.replace('perRequest: "0.01"', 'perRequest: "0.02"').replace("queue: 7", "queue: 8");
  const plan = await applied(line, cheaper, "--dry-run");
  assert.match(
    plan,
    /^~ upstream main\n {4}queue: 7 → 8\n~ model team\/fast\n {4}prices: .*0\.01.*→.*0\.02.*\n$/,
  );
});

test("a changed credential is named and not shown", async () => {
  const line = commandLine({ KEY: "sk-one" });
  const file = (credential: string) =>
    `upstreams: [{ id: a, provider: openai, baseUrl: "https://a.example/v1", credentials: ["${credential}"] }]\nmodels: []\n`;
  await applied(line, file(`\${KEY}`));
  const { out } = await line.run("apply", catalogFile(file("sk-two")), "--dry-run");
  assert.equal(out, "~ upstream a\n    credentials: not shown (1) → not shown (1)\n");
  const headers = async (value: string) => {
    const added = file("sk-one").replace("credentials", `headers: ${value}, credentials`);
    return (await line.run("apply", catalogFile(added), "--dry-run")).out;
  };
  assert.equal(await headers("{ X-A: one }"), "~ upstream a\n    headers: not set → x-a\n");
  await applied(line, file("sk-one").replace("credentials", "headers: { X-A: one }, credentials"));
  assert.equal(await headers("{ X-A: two }"), "~ upstream a\n    headers: x-a → x-a (new values)\n");
  assert.equal(await headers("{ x-a: one }"), "no change\n");
});

test("--adopt takes over what the console manages; without it the file is refused", async () => {
  const line = commandLine();
  await fill(line);
  const text = await exported(line);
  assert.match(await refused(line, text), /upstream main of the file is already managed in the console/);
  const plan = await applied(line, text, "--adopt", "--dry-run");
  assert.match(plan, /^~ upstream main\n {4}managed by: console → file\n/);
  assert.match(plan, /~ limits\n {4}managed by: console → file\n$/);
  await applied(line, text, "--adopt");
  const store = await line.store();
  const shown = await store.showCatalog();
  await store.close();
  assert.deepEqual(
    [...shown.upstreams, ...shown.models].map(({ source }) => source),
    ["file", "file", "file"],
  );
  assert.equal(shown.keptLimits.source, "file");
  assert.equal(await applied(line, text, "--dry-run"), "no change\n");
  assert.equal(await exported(line), text);
});

test("--adopt leaves alone what of the console the file does not list", async () => {
  const line = commandLine();
  await fill(line);
  const only = "upstreams: [{ id: main, provider: demo }]\nmodels: []\n";
  assert.equal(
    await applied(line, only, "--adopt", "--dry-run").then((out) => out.split("\n")[0]),
    "~ upstream main",
  );
  await applied(line, only, "--adopt");
  const store = await line.store();
  const { models } = await store.showCatalog();
  await store.close();
  assert.deepEqual(
    models.map(({ id, source }) => [id, source]),
    [
      ["plain", "console"],
      ["team/fast", "console"],
    ],
  );
});

test("--prune suspends and disables what is not listed, and deletes nothing", async () => {
  const line = commandLine();
  await fill(line);
  const head = "upstreams: []\nmodels: []\n";
  const blue = "accounts:\n  - { id: acc_blue, name: Team Blue, keys: [] }\nusers: []\nsettings: {}\n";
  const kept = await line.json("account", "list");
  assert.match(await applied(line, head + blue, "--dry-run"), /^~ account acc_blue\n/);
  assert.equal(await applied(line, `${head}accounts: []\n`, "--prune"), "- account acc_blue (suspended)\n");
  assert.equal(
    await applied(line, head + blue, "--prune"),
    "~ account acc_blue\n- key key_plain (disabled)\n",
  );
  const now = await line.json("account", "list");
  assert.deepEqual(
    now.value.map(({ id, balance }: { id: string; balance: string }) => [id, balance]),
    kept.value.map(({ id, balance }: { id: string; balance: string }) => [id, balance]),
  );
  const keys = await line.json("key", "list");
  assert.equal(keys.value.length, 3);
  assert.equal(await applied(line, head + blue, "--prune"), "no change\n");
  assert.equal(await applied(line, head, "--prune"), "no change\n", "without the section nothing is pruned");
});

test("the last operator stays, and an unknown address is to be invited first", async () => {
  const line = commandLine();
  await fill(line);
  const file = (users: string) => `upstreams: []\nmodels: []\nusers:\n  - ${users}\n`;
  assert.match(
    await refused(line, file("{ email: boss@example.com, operator: false }")),
    /plaza\.yaml:4:5 users\[0\]: no operator who can sign in would be left/,
  );
  assert.match(
    await refused(line, file("{ email: eve@example.com, role: owner }")),
    /plaza\.yaml:4:14 users\[0\]\.email: no user has the address "eve@example\.com"; invite them/,
  );
  const both = "{ email: ana@example.com, operator: true }\n  - { email: BOSS@example.com, operator: false }";
  assert.match(await refused(line, file(both)), /no operator who can sign in would be left/);
  await applied(line, file("{ email: ana@example.com, operator: true, account: null }"));
  await applied(line, file("{ email: boss@example.com, operator: false, account: acc_blue }"));
  const { value } = await line.json("user", "list");
  assert.deepEqual(
    value
      .map(({ email, isOperator, account }: Record<string, unknown>) => [email, isOperator, account])
      .toSorted(),
    [
      ["ana@example.com", true, null],
      ["boss@example.com", false, { id: "acc_blue", role: "owner" }],
    ],
  );
});

test("faults have line, column and path, and nothing of the file is applied", async () => {
  const line = commandLine();
  await fill(line);
  const key = (fields: string) =>
    `upstreams: []\nmodels: []\nsettings: { name: Other }\naccounts:\n  - id: acc_blue\n    name: B\n    keys:\n      - ${fields}\n`;
  const rest = "name: k, visiblePrefix: sk-plaza-abcd";
  const cases: readonly [string, RegExp][] = [
    [
      key(`{ id: key_x, ${rest}, digst: a }`),
      /8:\d+ accounts\[0\]\.keys\[0\]: unknown key "digst"; did you mean "digest"\?/,
    ],
    [
      key(`{ id: key_x, ${rest}, digest: sk-plaza-secret }`),
      /8:\d+ accounts\[0\]\.keys\[0\]\.digest: must be the SHA-256 digest/,
    ],
    [
      key(`{ id: key_gone, ${rest}, digest: ${digestOf("key_gone")} }`),
      /keys\[0\]\.id: key key_gone was permanently revoked/,
    ],
    [
      key(`{ id: key_plain, ${rest}, digest: ${digestOf("new")} }`),
      /keys\[0\]\.digest: key key_plain has another secret/,
    ],
    [
      key(`{ id: key_x, ${rest}, digest: ${digestOf("key_plain")} }`),
      /keys\[0\]\.digest: key key_plain has this digest/,
    ],
    [
      key(`{ id: key_x, ${rest}, digest: ${digestOf("x")}, budget: { amount: 5, period: month } }`),
      /budget\.amount: must be text; put it in quotes: "5"/,
    ],
    [
      key(`{ id: key_x, ${rest}, digest: ${digestOf("x")}, ips: [10.0.0.1/8] }`),
      /ips\[0\]: "10\.0\.0\.1\/8" is not allowed/,
    ],
    [
      key(`{ id: key_x, ${rest}, digest: ${digestOf("x")}, project: " ", tags: [ok, ${"x".repeat(41)}] }`),
      /project: " " is not allowed; must be a label of 1 to 40 characters.*\n.*tags\[1\]/,
    ],
    [
      "upstreams: []\nmodels: []\naccounts: [{ id: acc_gone, name: G }]\n",
      /3:18 accounts\[0\]\.id: account acc_gone is closed for good/,
    ],
    ["upstreams: []\nmodels: []\nacounts: []\n", /3:1 unknown key "acounts"; did you mean "accounts"\?/],
    [
      "upstreams: []\nmodels: []\nusers: [{ email: ana@example.com, account: acc_none }]\n",
      /users\[0\]\.account: unknown account "acc_none"/,
    ],
  ];
  const before = await exported(line);
  for (const [text, form] of cases) {
    const err = await refused(line, text);
    assert.match(err, form);
    assert.ok(!err.includes("sk-plaza-secret"));
  }
  assert.equal(await exported(line), before);
});

test("a credential may be in a file; what is wrong with it is named", async () => {
  const line = commandLine();
  const secret = catalogFile("sk-in-a-file\n");
  const file = (path: string) =>
    `upstreams: [{ id: a, provider: openai, baseUrl: "https://a.example/v1", credentials: ["file:${path}"] }]\nmodels: []\n`;
  await applied(line, file(secret));
  const store = await line.store();
  assert.deepEqual((await store.loadCatalog())?.upstreams[0]?.credentials, ["sk-in-a-file"]);
  await store.close();
  assert.match(
    await refused(line, file("/nowhere/key")),
    /credentials\[0\]: the file "\/nowhere\/key" cannot be read: there is no such file/,
  );
  assert.match(await refused(line, file("/dev/zero")), /it is no regular file/);
  writeFileSync(secret, "\n");
  assert.match(await refused(line, file(secret)), /is empty; it must hold the credential/);
  writeFileSync(secret, "sk-a\nsk-b\n");
  const err = await refused(line, file(secret));
  assert.match(err, /must be printable ASCII/);
  assert.ok(!err.includes("sk-a"));
});

test("credentials as variables, listed at the end; users may be left out", async () => {
  const line = commandLine();
  await fill(line);
  const out = catalogFile("old");
  const { status, err } = await line.run("export", "--credentials", "variables", "--no-users", "--out", out);
  assert.equal(status, 0, err);
  const text = readFileSync(out, "utf8");
  assert.match(text, /credentials: \["\$\{UPSTREAM_MAIN_KEY_1\}", "\$\{UPSTREAM_MAIN_KEY_2\}"\]/);
  assert.ok(!/^users:/m.test(text));
  assert.match(
    err,
    /Set these variables[^\n]*\n {2}UPSTREAM_MAIN_KEY_1 {2}\(upstream main\)\n {2}UPSTREAM_MAIN_KEY_2/,
  );
  assert.match(text, /x-token: "\$\{UPSTREAM_MAIN_HEADER_X_TOKEN\}"/);
  const elsewhere = commandLine({
    UPSTREAM_MAIN_KEY_1: "a",
    UPSTREAM_MAIN_KEY_2: "b",
    UPSTREAM_MAIN_HEADER_X_TOKEN: "c",
    UPSTREAM_MAIN_HEADER_X_TEAM: "d",
  });
  await applied(elsewhere, text);
  assert.equal(await exported(elsewhere, "--credentials", "variables", "--no-users"), text);
  const { value } = await line.json("export", "--credentials", "variables");
  assert.deepEqual([value.upstreams, value.models, value.accounts, value.keys, value.users], [1, 2, 2, 2, 2]);
});

test("variables of upstreams whose ids differ only in signs are different ones", () => {
  const made = variablesOf([
    { id: "a-b", credentials: 1, headers: [] },
    { id: "a.b", credentials: 1, headers: [] },
    { id: "none", credentials: 0, headers: ["x-a", "x_a"] },
  ]);
  assert.deepEqual(
    made.map(({ variable }) => variable),
    [
      ...["UPSTREAM_A_B_KEY_1", "UPSTREAM_A_B_2_KEY_1"],
      ...["UPSTREAM_NONE_HEADER_X_A", "UPSTREAM_NONE_HEADER_X_A_2"],
    ],
  );
});

test("the audit log names what was applied", async () => {
  const line = commandLine();
  await applied(line, "upstreams: []\nmodels: []\naccounts: [{ id: acc_new, name: New }]\n");
  const store = await line.store();
  const [entry] = await store.listAudit({ limit: 1 });
  await store.close();
  assert.deepEqual(
    [entry?.action, entry?.outcome, entry?.detail],
    ["apply", "done", { added: 0, changed: 0, removed: 0, items: ["+ account acc_new"] }],
  );
});
