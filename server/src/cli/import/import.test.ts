/** `plaza import litellm`: what comes along, and what is told. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { runPlaza } from "../testing/run-plaza.ts";
import { decimalOf, perMillion } from "./amounts.ts";
import { digestOf, folderFor, imported, keysIn } from "./testing/imported.ts";

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
        metadata: { tags: [" search ", "eu: west", "search", "", 7] },
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
      key({
        ...{ token: digestOf("sk-6"), key_alias: "many", blocked: true },
        metadata: { tags: ["x".repeat(41), "a\nb", ..."123456789"] },
      }),
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
    ...{ status: "active", limits: { requestsPerMinute: 60 }, tags: ["search", "eu: west"] },
  });
  assert.deepEqual([monthly?.["models"], monthly?.["budget"]], [["m"], { amount: "10", period: "month" }]);
  assert.deepEqual([rest?.["budget"], rest?.["expires"]], [{ amount: "3.5", period: "month" }, "2099-01-01"]);
  assert.deepEqual([weekly?.["status"], weekly?.["budget"]], ["disabled", undefined]);
  assert.deepEqual([blocked?.["status"], others], ["disabled", []]);
  assert.deepEqual([blocked?.["tags"], monthly?.["tags"]], [[..."12345678"], undefined]);
  assert.equal(keysIn(text, "litellm-red")[0]?.["status"], "disabled");
  for (const told of [
    "5 USD in 7d",
    "models were those of its team",
    "without a digest",
    "2 keys keep tags",
    "key many: 2 of its tags",
    "key many: tags beyond the first 8",
  ])
    assert.ok(err.includes(told), told);
  writeFileSync(join(folder, "config.yaml"), config);
  assert.match(
    (await runPlaza(["import", "litellm", join(folder, "config.yaml"), "--keys"])).err,
    /has no keys/,
  );
});
