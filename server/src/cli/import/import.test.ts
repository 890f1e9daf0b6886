/** `plaza import`: what comes along of LiteLLM and new-api, and what is told. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { parse } from "yaml";
import { runPlaza } from "../testing/run-plaza.ts";
import { decimalOf, perMillion } from "./amounts.ts";

interface CatalogFile {
  readonly upstreams: readonly Record<string, unknown>[];
  readonly models: readonly (Record<string, unknown> & {
    readonly id: string;
    readonly price?: Record<string, string>;
    readonly deployments: readonly Record<string, unknown>[];
  })[];
}

const folderFor = (context: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), "import-"));
  context.after(() => rmSync(folder, { recursive: true }));
  return folder;
};

/** Imports, and applies the file; resolves with it and with what is told. */
async function imported(folder: string, words: readonly string[], env: Record<string, string> = {}) {
  const out = join(folder, "plaza.yaml");
  const data = ["--data", join(folder, "data")];
  const { status, err } = await runPlaza(["import", ...words, ...data, "--out", out], { env });
  assert.equal(status, 0, err);
  const text = readFileSync(out, "utf8");
  const variables = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => [name, "secret"]);
  const applied = await runPlaza(["apply", out, ...data], { env: Object.fromEntries(variables) });
  assert.equal(applied.status, 0, applied.err);
  const file = parse(text) as CatalogFile;
  const upstreamOf = (id: unknown) => file.upstreams.find((one) => one["id"] === id);
  const modelOf = (id: string) => file.models.find((one) => one.id === id);
  return { text, err, file, upstreamOf, modelOf };
}

const config = `
model_list:
  - model_name: fast
    litellm_params: { model: openai/gpt-5-mini, api_key: os.environ/MY_OPENAI_KEY, timeout: 30, rpm: 100 }
  - model_name: fast
    litellm_params: { model: azure/mini-eu, api_base: "https://eu.openai.azure.com/", api_version: "2025-04-01-preview", api_key: os.environ/AZURE_KEY, order: 2, weight: 3 }
    model_info: { base_model: azure/gpt-5-mini }
  - model_name: claude
    litellm_params: { model: bedrock/converse/eu.anthropic.claude-sonnet-4-5-20250929-v1:0, aws_region_name: eu-central-1, aws_access_key_id: os.environ/AWS_ID, aws_secret_access_key: os.environ/AWS_SECRET }
  - model_name: claude
    litellm_params: { model: vertex_ai/claude-sonnet-4-5@20250929, vertex_project: my-project, vertex_location: us-east5 }
  - model_name: own
    litellm_params: { model: hosted_vllm/qwen3, api_base: "http://10.0.0.5:8000/v1", input_cost_per_token: 2.5e-07, output_cost_per_token: 0.000001 }
  - model_name: groq-by-address
    litellm_params: { model: openai/llama-3.3-70b-versatile, api_base: "https://api.groq.com/openai/v1", api_key: gsk-plain-secret }
  - model_name: vectors
    litellm_params: { model: text-embedding-3-small, api_key: os.environ/MY_OPENAI_KEY }
    model_info: { mode: embedding }
  - model_name: "team b/best"
    litellm_params: { model: mistral/mistral-large-latest, api_key: os.environ/MISTRAL_API_KEY }
  - model_name: "*"
    litellm_params: { model: "openai/*", api_key: os.environ/MY_OPENAI_KEY }
  - model_name: pictures
    litellm_params: { model: openai/gpt-image-1, api_key: os.environ/MY_OPENAI_KEY }
    model_info: { mode: image_generation }
  - model_name: odd
    litellm_params: { model: nosuch/model }
litellm_settings:
  num_retries: 3
  fallbacks: [{ fast: [own, nobody] }]
router_settings:
  model_group_alias: { quick: fast }
general_settings: { master_key: sk-master }
`;

test("amounts of other gateways become decimals, exactly", () => {
  assert.equal(perMillion(2.5e-7), "0.25");
  assert.equal(perMillion("0.0000015"), "1.5");
  assert.equal(perMillion(0), "0");
  assert.equal(perMillion(1.23456789012e-9), "0.001234568");
  assert.equal(decimalOf(["1.25", "2", "8"]), "20");
  assert.equal(decimalOf([37.5, "2"]), "75");
  for (const wrong of [undefined, null, "x", -1, Number.NaN, "1e9999"])
    assert.equal(perMillion(wrong), undefined);
});

test("a LiteLLM config comes along: keys, addresses, orders, prices, fallbacks and aliases", async (context) => {
  const folder = folderFor(context);
  writeFileSync(join(folder, "config.yaml"), config);
  const { text, err, upstreamOf, modelOf } = await imported(folder, ["litellm", join(folder, "config.yaml")]);
  const fast = modelOf("fast");
  assert.deepEqual(fast?.deployments, [
    { upstream: "openai", model: "gpt-5-mini", timeouts: { total: "30s" } },
    { upstream: "azure", model: "mini-eu", priority: 2, weight: 3 },
  ]);
  assert.equal(fast?.price?.["input"], "0.25");
  assert.deepEqual(upstreamOf("openai")?.["credentials"], [`\${MY_OPENAI_KEY}`]);
  assert.deepEqual(upstreamOf("azure")?.["options"], { apiVersion: "2025-04-01-preview" });
  assert.deepEqual(upstreamOf("bedrock")?.["credentials"], [`\${AWS_ID}:\${AWS_SECRET}`]);
  assert.equal(
    upstreamOf("vertex-anthropic")?.["baseUrl"],
    "https://us-east5-aiplatform.googleapis.com/v1/projects/my-project/locations/us-east5/publishers/anthropic",
  );
  assert.deepEqual(modelOf("own")?.price, { input: "0.25", output: "1" });
  assert.equal(upstreamOf(modelOf("groq-by-address")?.deployments[0]?.["upstream"])?.["preset"], "groq");
  assert.deepEqual(modelOf("vectors")?.["operations"], ["embeddings"]);
  assert.deepEqual(fast?.["fallbacks"], ["own"]);
  assert.deepEqual(modelOf("quick")?.deployments, fast?.deployments);
  assert.ok(modelOf("team-b/best") !== undefined);
  // A key that stood in the file is sealed, and shown nowhere.
  assert.ok(!text.includes("gsk-plain-secret") && text.includes("sealed:"));
  assert.ok(!err.includes("gsk-plain-secret") && !err.includes("sk-master"));
  for (const told of [
    "(fast): rpm",
    "(*)",
    "mode image_generation",
    "provider nosuch",
    "fast → nobody",
    "num_retries",
    "master_key",
    '"team b/best"',
  ])
    assert.ok(err.includes(told), told);
});

test("a LiteLLM proxy is asked for its models, with its master key only", async (context) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.writeHead(request.headers.authorization === "Bearer sk-master" ? 200 : 401);
    response.end(
      JSON.stringify({
        data: [{ model_name: "m", litellm_params: { model: "groq/llama-3.3-70b-versatile" } }],
      }),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  context.after(() => server.close());
  const folder = folderFor(context);
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const words = ["litellm", address, "--key-env", "MASTER"];
  const { upstreamOf } = await imported(folder, words, { MASTER: "sk-master" });
  assert.deepEqual(upstreamOf("groq")?.["credentials"], [`\${GROQ_API_KEY}`]);
  assert.deepEqual(asked, ["GET /model/info Bearer sk-master"]);
  const refused = await runPlaza(["import", ...words, "--json"], { env: { MASTER: "sk-other" } });
  assert.equal(refused.status, 1);
  assert.match(refused.out, /"refused"/);
});

test("what is no config, and a file that is there already, are refused and nothing is written", async (context) => {
  const folder = folderFor(context);
  const file = join(folder, "config.yaml");
  for (const text of ["model_list: [", "general_settings: {}", "just words"]) {
    writeFileSync(file, text);
    const { status, err } = await runPlaza(["import", "litellm", file]);
    assert.equal(status, 1);
    assert.match(err, /^error: .*config\.yaml: /);
  }
  writeFileSync(file, config);
  const there = join(folder, "there.yaml");
  writeFileSync(there, "mine");
  const refused = await runPlaza(["import", "litellm", file, "--data", folder, "--out", there]);
  assert.equal(refused.status, 1);
  assert.equal(readFileSync(there, "utf8"), "mine");
});

/** A database as new-api makes it, as far as it is read. */
function newApiFile(file: string): void {
  const database = new DatabaseSync(file);
  database.exec(`
    create table channels (id integer primary key, type integer, "key" text, status integer, name text, weight integer,
      base_url text, other text, models text, "group" text, model_mapping text, priority integer);
    create table options ("key" text primary key, value text);
    create table users (id integer primary key);
    create table tokens (id integer primary key);
    insert into channels values
      (1, 1, 'sk-one' || char(10) || 'sk-two', 1, 'Main account', 0, '', '', 'gpt-5-mini,alias', 'default', '{"alias":"gpt-5"}', 10),
      (2, 3, 'azure-key', 1, 'azure', 5, 'https://my.openai.azure.com', '2025-04-01-preview', 'gpt-5-mini', 'default', null, 0),
      (3, 43, 'sk-deep', 1, 'deep', 0, null, null, 'deepseek-chat', 'vip', '', 0),
      (4, 14, 'sk-off', 2, 'off', 0, null, null, 'claude-x', 'default', null, 0),
      (5, 36, 'k', 1, 'songs', 0, null, null, 'suno', 'default', null, 0);
    insert into options values ('ModelRatio', '{"gpt-5-mini":0.125,"deepseek-chat":0.135}'),
      ('CompletionRatio', '{"gpt-5-mini":8}'), ('CacheRatio', '{"gpt-5-mini":0.1}');
    insert into users values (1), (2);
    insert into tokens values (1);
  `);
  database.close();
}

test("a new-api database comes along: channels, priorities, mappings and ratios", async (context) => {
  const folder = folderFor(context);
  const file = join(folder, "one-api.db");
  newApiFile(file);
  const { text, err, upstreamOf, modelOf } = await imported(folder, ["new-api", file]);
  assert.deepEqual(modelOf("gpt-5-mini")?.deployments, [
    { upstream: "Main-account", model: "gpt-5-mini", priority: 1 },
    { upstream: "azure", model: "gpt-5-mini", priority: 2, weight: 5 },
  ]);
  assert.deepEqual(modelOf("gpt-5-mini")?.price, { input: "0.25", output: "2", cachedInput: "0.025" });
  assert.equal(modelOf("alias")?.deployments[0]?.["model"], "gpt-5");
  const credentials = upstreamOf("Main-account")?.["credentials"];
  assert.ok(Array.isArray(credentials) && credentials.length === 2);
  assert.deepEqual(upstreamOf("azure")?.["options"], { apiVersion: "2025-04-01-preview" });
  assert.equal(upstreamOf("deep")?.["preset"], "deepseek");
  assert.ok(!/sk-(?:one|two|deep)|azure-key/.test(text + err));
  for (const told of ["channel 4 (off)", "channel 5 (songs)", "group vip", "2 users", "1 tokens"])
    assert.ok(err.includes(told), told);
  const missing = await runPlaza(["import", "new-api", join(folder, "absent.db")]);
  assert.equal(missing.status, 1);
  const other = join(folder, "other.db");
  new DatabaseSync(other).close();
  assert.match((await runPlaza(["import", "new-api", other])).err, /cannot be read as a new-api database/);
});

const plainKey = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKl";
const digestOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");

interface KeysFile {
  readonly accounts: readonly {
    readonly id: string;
    readonly status?: string;
    readonly keys: readonly Record<string, unknown>[];
  }[];
}
const keysIn = (text: string, account: string) =>
  (parse(text) as KeysFile).accounts.find(({ id }) => id === account)?.keys ?? [];

test("new-api's tokens come along as digests, with what they may do, in an account for each user", async (context) => {
  const folder = folderFor(context);
  const file = join(folder, "one-api.db");
  newApiFile(file);
  const database = new DatabaseSync(file);
  database.exec(`
    drop table users; drop table tokens;
    create table users (id integer primary key, username text, password text, quota integer, status integer, deleted_at text);
    create table tokens (id integer primary key, user_id integer, "key" text, status integer, name text,
      expired_time integer, remain_quota integer, unlimited_quota integer, model_limits_enabled integer, model_limits text,
      allow_ips text, "group" text, deleted_at text);
    insert into users values (7, 'ana', 'hash-of-ana', 617283500, 1, null), (8, 'bob', 'x', 0, 2, null), (9, 'gone', 'x', 5, 1, '2026-01-01');
    insert into tokens values
      (1, 7, '${plainKey}', 1, 'laptop', -1, 0, 1, 0, '', null, 'default', null),
      (2, 7, '${plainKey}2', 1, 'ci', 4070908800, 1600000, 0, 1, 'gpt-5-mini,alias', '10.0.0.0/8', '', null),
      (3, 7, '${plainKey}3', 1, 'odd', -1, 0, 1, 1, 'gpt-*', 'not an address', '', null),
      (4, 8, '${plainKey}4', 2, 'off', -1, 0, 1, 0, '', '', '', null),
      (5, 9, '${plainKey}5', 1, 'of nobody', -1, 0, 1, 0, '', '', '', null),
      (6, 7, '${plainKey}6', 1, 'deleted', -1, 0, 1, 0, '', '', '', '2026-01-01'),
      (7, 7, 'short', 1, 'guessed', -1, 0, 1, 0, '', '', '', null);`);
  database.close();
  const { text, err } = await imported(folder, ["new-api", file, "--keys"]);
  assert.ok(!(text + err).includes(plainKey) && !(text + err).includes("hash-of-ana"));
  const own = { digest: digestOf(`sk-${plainKey}`), visiblePrefix: "sk-AbCd", status: "active" };
  const [laptop, ci, odd, ...others] = keysIn(text, "new-api-user-7");
  assert.deepEqual(laptop, { id: "new-api-token-1", name: "laptop (new-api)", ...own });
  assert.deepEqual(ci, {
    ...{ id: "new-api-token-2", name: "ci (new-api)", ...own, digest: digestOf(`sk-${plainKey}2`) },
    ...{ models: ["gpt-5-mini", "alias"], ips: ["10.0.0.0/8"] },
    ...{ budget: { amount: "3.2", period: "month" }, expires: "2099-01-01" },
  });
  assert.deepEqual([odd?.["status"], odd?.["models"], odd?.["ips"]], ["disabled", undefined, undefined]);
  assert.deepEqual(others, []);
  assert.equal(keysIn(text, "new-api-user-8")[0]?.["status"], "disabled");
  assert.equal((parse(text) as KeysFile).accounts.length, 2);
  for (const told of [
    "plaza topup new-api-user-7 1234.567",
    "3.2 USD is left",
    "its user is gone",
    "too short",
  ])
    assert.ok(err.includes(told), told);
});

test("a LiteLLM proxy's keys come along as the digests it has, and may do no more than there", async (context) => {
  const key = (more: Record<string, unknown>) => ({ models: [], blocked: null, expires: null, ...more });
  const pages = [
    [
      key({
        token: digestOf("sk-1"),
        key_name: "sk-...ab12",
        key_alias: "app",
        rpm_limit: 60,
        tpm_limit: null,
      }),
      key({
        token: digestOf("sk-2"),
        key_name: "sk-...cd34",
        models: ["m"],
        max_budget: 10,
        budget_duration: "30d",
      }),
    ],
    [
      key({ token: digestOf("sk-3"), models: ["all-team-models"], team_id: "red", key_alias: "team" }),
      key({ token: digestOf("sk-4"), max_budget: 5, spend: 1.5, expires: "2099-01-01T00:00:00" }),
      key({ token: digestOf("sk-5"), max_budget: 5, budget_duration: "7d", blocked: false }),
      key({ token: digestOf("sk-6"), blocked: true }),
      key({ key_alias: "without a digest" }),
    ],
  ];
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://x");
    asked.push(pathname);
    const page = Number(searchParams.get("page"));
    const list = { keys: pages[page - 1] ?? [], current_page: page, total_pages: pages.length };
    const models = { data: [{ model_name: "m", litellm_params: { model: "groq/llama-3.3-70b-versatile" } }] };
    response.end(JSON.stringify(pathname === "/key/list" ? list : models));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  context.after(() => server.close());
  const folder = folderFor(context);
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const words = ["litellm", address, "--key-env", "MASTER", "--keys"];
  const { text, err } = await imported(folder, words, { MASTER: "sk-master" });
  assert.deepEqual(asked, ["/model/info", "/key/list", "/key/list"]);
  const [app, monthly, rest, weekly, blocked, ...others] = keysIn(text, "litellm");
  const id = (secret: string) => `litellm-${digestOf(secret).slice(0, 16)}`;
  assert.deepEqual(app, {
    ...{ id: id("sk-1"), name: "app (LiteLLM)", digest: digestOf("sk-1"), visiblePrefix: "sk-...ab12" },
    ...{ status: "active", limits: { requestsPerMinute: 60 } },
  });
  assert.deepEqual([monthly?.["models"], monthly?.["budget"]], [["m"], { amount: "10", period: "month" }]);
  assert.deepEqual([rest?.["budget"], rest?.["expires"]], [{ amount: "3.5", period: "month" }, "2099-01-01"]);
  assert.deepEqual([weekly?.["status"], weekly?.["budget"]], ["disabled", undefined]);
  assert.deepEqual([blocked?.["status"], others], ["disabled", []]);
  assert.equal(keysIn(text, "litellm-red")[0]?.["status"], "disabled");
  for (const told of ["5 USD in 7d", "models were those of its team", "without a digest"])
    assert.ok(err.includes(told), told);
  writeFileSync(join(folder, "config.yaml"), config);
  assert.match(
    (await runPlaza(["import", "litellm", join(folder, "config.yaml"), "--keys"])).err,
    /has no keys/,
  );
});
