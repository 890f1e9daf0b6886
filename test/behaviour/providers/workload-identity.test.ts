/**
 * Upstreams with the machine's identity in place of a credential, from the environment of the process to the
 * signature of a call: chat and embeddings at Bedrock, a token at Azure, `plaza connect` and `plaza doctor`.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Upstream, workloadIdentity } from "@plaza/contract/catalog.ts";
import { runPlaza } from "../../../server/src/cli/testing/run-plaza.ts";
import { loadProviders } from "../../../server/src/providers/index.ts";
import { modelOn, startApp, upstreamAt } from "../harness/app-in-process.ts";
import { temporaryFolder } from "../harness/product.ts";

const converse = {
  output: { message: { role: "assistant", content: [{ text: "hello" }] } },
  stopReason: "end_turn",
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
};

const completion = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "hello" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

/** The metadata of a container on EKS or App Service, Bedrock and Azure, in one. */
async function startCloud(t: TestContext) {
  const calls: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
  const cloud = { asked: 0, isIll: false, calls, origin: "" };
  const answers = {
    agent: () => ({
      AccessKeyId: `ASIACANARYEXAMPLE${cloud.asked}`,
      SecretAccessKey: "cAnArY7MDENG/bPxRfiCYzEXAMPLEKEY",
      Token: "session-canary==",
      Expiration: new Date(Date.now() + 3_600_000).toISOString(),
    }),
    msi: () => ({ access_token: "eyJ.canary", expires_on: String(Math.floor(Date.now() / 1_000) + 3_600) }),
  };
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    request.resume();
    request.on("end", () => {
      const service = path.split(/[/?]/)[1] ?? "";
      if (service === "agent" || service === "msi") {
        cloud.asked += 1;
        if (cloud.isIll) response.writeHead(500).end();
        else response.end(JSON.stringify(answers[service]()));
        return;
      }
      calls.push({ path, headers: request.headers });
      response.setHeader("content-type", "application/json");
      if (path.endsWith("/invoke")) {
        response.setHeader("x-amzn-bedrock-input-token-count", "1");
        response.end(JSON.stringify({ embedding: [0.5, 0.25], inputTextTokenCount: 1 }));
      } else response.end(JSON.stringify(path.startsWith("/model/") ? converse : completion));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  cloud.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return cloud;
}

/** The application reads the environment of this process. */
function setEnvironment(t: TestContext, env: Readonly<Record<string, string>>): void {
  Object.assign(process.env, env);
  t.after(() => {
    for (const name of Object.keys(env)) delete process.env[name];
  });
}

const machine = { credentials: [workloadIdentity] };

async function start(t: TestContext, upstream: Upstream) {
  await loadProviders([upstream.provider]);
  const titan = modelOn("titan", [], {
    operations: ["embeddings"],
    deployments: [{ upstream: upstream.id, model: "amazon.titan-embed-text-v2:0", priority: 1, weight: 1 }],
  });
  const app = await startApp({
    catalog: { upstreams: [upstream], models: [modelOn("m", [upstream.id]), titan], limits: {} },
  });
  t.after(() => app.stop());
  const { key } = await app.newAccount("10");
  const post = async (path: string, body: object) => {
    const response = await fetch(`${app.origin}/v1/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  };
  const chat = () => post("chat/completions", { model: "m", messages: [{ role: "user", content: "hi" }] });
  return { app, post, chat };
}

test("Bedrock with the container's role: one question for all calls, which are signed with its session", async (t) => {
  const cloud = await startCloud(t);
  setEnvironment(t, { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${cloud.origin}/agent` });
  const options = { region: "eu-central-1" };
  const aws = upstreamAt("aws", cloud.origin, { provider: "bedrock", options, ...machine });
  const { app, post, chat } = await start(t, aws);
  assert.equal(cloud.asked, 0, "nothing is asked before it is needed");
  const answers = await Promise.all(Array.from({ length: 20 }, chat));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  const vectors = await post("embeddings", { model: "titan", input: ["a", "b", "c"] });
  assert.equal(vectors.status, 200, vectors.text);
  assert.equal(cloud.asked, 1);
  assert.equal(cloud.calls.length, 23);
  for (const { headers } of cloud.calls) {
    assert.equal(headers["x-amz-security-token"], "session-canary==");
    assert.match(
      headers.authorization ?? "",
      /Credential=ASIACANARYEXAMPLE1\/\d{8}\/eu-central-1\/bedrock\//,
    );
    assert.doesNotMatch(JSON.stringify(headers), /workload-identity/);
  }
  assert.doesNotMatch(app.log.join(""), /canary/i);
});

test("where no catalog asks for it, nothing is asked, whatever the environment says", async (t) => {
  const cloud = await startCloud(t);
  setEnvironment(t, { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${cloud.origin}/agent` });
  const credentials = ["AKIACANARYEXAMPLE123:cAnArY7MDENG/bPxRfiCYzEXAMPLEKEY"];
  const aws = upstreamAt("aws", cloud.origin, { provider: "bedrock", credentials });
  const { chat } = await start(t, aws);
  assert.equal((await chat()).status, 200);
  assert.equal(cloud.asked, 0);
  assert.equal(cloud.calls[0]?.headers["x-amz-security-token"], undefined);
});

test("a machine without an answer: the caller learns nothing, the log says what is wrong", async (t) => {
  const cloud = await startCloud(t);
  cloud.isIll = true;
  setEnvironment(t, { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${cloud.origin}/agent` });
  const aws = upstreamAt("aws", cloud.origin, { provider: "bedrock", ...machine });
  const { app, chat } = await start(t, aws);
  const { status, text } = await chat();
  assert.ok(status === 502 || status === 503, text);
  assert.doesNotMatch(text, /identity|127\.0\.0\.1/);
  assert.match(app.log.join(""), /workload identity: http:\/\/127\.0\.0\.1:\d+ gave no credentials \(500\)/);
  assert.equal(cloud.calls.length, 0, "the upstream is not called");
});

test("Azure with a managed identity: its token, never the word", async (t) => {
  const cloud = await startCloud(t);
  setEnvironment(t, { IDENTITY_ENDPOINT: `${cloud.origin}/msi/token`, IDENTITY_HEADER: "secret-header" });
  const azure = upstreamAt("azure", `${cloud.origin}/openai/v1`, { provider: "azure", ...machine });
  const { chat } = await start(t, azure);
  assert.equal((await chat()).status, 200);
  assert.equal((await chat()).status, 200);
  assert.equal(cloud.asked, 1);
  for (const { headers } of cloud.calls) {
    assert.equal(headers.authorization, "Bearer eyJ.canary");
    assert.equal(headers["api-key"], undefined);
  }
});

test("plaza connect writes the word as it is, and plaza doctor asks the machine", async (t) => {
  const cloud = await startCloud(t);
  const folder = temporaryFolder();
  const file = join(folder, "plaza.yaml");
  const env = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${cloud.origin}/agent` };
  const words = ["connect", cloud.origin, "--provider", "bedrock", "--credential", workloadIdentity];
  const more = ["--models", "amazon.nova-lite-v1:0", "--price", "1/2", "--yes"];
  const place = ["--data", folder, "--catalog", file];
  cloud.isIll = true;
  const refused = await runPlaza([...words, ...more, ...place], {
    env: { AWS_EC2_METADATA_DISABLED: "true" },
  });
  assert.notEqual(refused.status, 0);
  assert.match(refused.err, /workload identity: AWS_EC2_METADATA_DISABLED/);
  cloud.isIll = false;
  const connected = await runPlaza([...words, ...more, ...place], { env });
  assert.equal(connected.status, 0, connected.err);
  assert.doesNotMatch(connected.err, /visible in the process list/);
  assert.match(readFileSync(file, "utf8"), /credentials:\s+(?:- |\[ ?)"?workload-identity/);
  const examine = async () => {
    const { out } = await runPlaza(["doctor", "--data", folder, "--json"], { env });
    const { findings } = JSON.parse(out) as { findings: { what: string; standing: string; text: string }[] };
    return findings.find(({ what }) => what.startsWith("upstream "));
  };
  assert.equal((await examine())?.standing, "ok");
  cloud.isIll = true;
  const finding = await examine();
  assert.equal(finding?.standing, "problem");
  assert.match(finding?.text ?? "", /workload identity: http:.* gave no credentials \(500\)/);
});

test("a provider without it is not connected with the word", async () => {
  const folder = temporaryFolder();
  const words = ["connect", "http://127.0.0.1:1/v1", "--credential", workloadIdentity, "--models", "m"];
  const place = ["--data", folder, "--catalog", join(folder, "plaza.yaml"), "--price", "1/2", "--yes"];
  const { status, err } = await runPlaza([...words, ...place]);
  assert.notEqual(status, 0);
  assert.match(err, /provider openai has no workload identity/);
});
