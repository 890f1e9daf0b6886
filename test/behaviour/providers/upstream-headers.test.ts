/**
 * The headers that an operator adds to an upstream, on both transports: every call carries them once, in
 * place of headers of the same name; the API shows their names only; and stored values stay with the server
 * they were entered for.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { runPlaza } from "../../../server/src/cli/testing/run-plaza.ts";
import { modelOn, startApp, upstreamAt } from "../harness/app-in-process.ts";
import { startConsole } from "../harness/console-rig.ts";
import { chunk, completion } from "../harness/openai-shapes.ts";
import { temporaryFolder } from "../harness/product.ts";
import { startScriptedUpstream } from "../harness/scripted-upstream.ts";

const secret = "gateway-token-of-the-test-0123456789";
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const whole = { body: { ...completion({ message: { content: "ok" } }), usage } };
const events = [chunk({ role: "assistant", content: "ok" }), { ...chunk({}, "stop"), usage }, "[DONE]"];

async function scripted(test: TestContext) {
  const up = await startScriptedUpstream();
  test.after(() => up.stop());
  return up;
}

for (const transport of ["node", "own"]) {
  test(`${transport}: every call carries the upstream's headers, and no other upstream's`, async (t) => {
    const [up, other] = [await scripted(t), await scripted(t)];
    const headers = { "x-team": "a", "user-agent": "our-gateway/1", "x-gateway-token": secret };
    const app = await startApp({
      env: { PLAZA_TRANSPORT: transport },
      catalog: {
        upstreams: [
          upstreamAt("with", up.baseUrl, { headers }),
          upstreamAt("claude", up.baseUrl, { provider: "anthropic", headers: { "x-team": "b" } }),
          upstreamAt("without", other.baseUrl),
        ],
        models: [
          modelOn("with", ["with"], { operations: ["chat", "embeddings"] }),
          modelOn("claude", ["claude"]),
          modelOn("without", ["without"]),
        ],
        limits: {},
      },
    });
    t.after(() => app.stop());
    const { key } = await app.newAccount("10");
    const ask = async (model: string, more: object = {}, path = "/chat/completions") => {
      const response = await fetch(app.chatUrl.replace("/chat/completions", path), {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "x-team": "caller" },
        body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }], ...more }),
      });
      return { status: response.status, text: await response.text() };
    };
    up.answerWith(whole, { events }, { status: 400, body: { error: { message: "no" } } });
    assert.equal((await ask("with")).status, 200);
    assert.match((await ask("with", { stream: true })).text, /\[DONE\]/);
    const large = await ask("with", { messages: [{ role: "user", content: "word ".repeat(100_000) }] });
    assert.equal(large.status, 400);
    await ask("with", { input: ["a", "b"], messages: undefined }, "/embeddings");
    await ask("claude");
    assert.equal(up.calls.length, 5);
    for (const call of up.calls.slice(0, 4)) {
      const { "x-team": team, "user-agent": agent, "x-gateway-token": token, host } = call.headers;
      assert.deepEqual([team, agent, token], ["a", "our-gateway/1", secret], call.path);
      assert.equal(host, new URL(up.baseUrl).host);
      assert.equal(call.headers["content-type"], "application/json");
    }
    assert.equal(up.calls[4]?.headers["x-team"], "b");
    other.answerWith(whole);
    assert.equal((await ask("without")).status, 200);
    assert.deepEqual(
      Object.keys(other.calls[0]?.headers ?? {}).filter((name) => name.startsWith("x-")),
      [],
    );
    assert.ok(!app.log.join("\n").includes(secret));
  });
}

test("plaza connect sends headers from variables, and those that stand sealed in the file", async (t) => {
  const up = await scripted(t);
  up.answerWith({ body: { object: "list", data: [{ id: "vendor/m", object: "model" }] } });
  const folder = temporaryFolder();
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "plaza.yaml");
  const plaza = async (...words: readonly string[]) => {
    const { status, out, err } = await runPlaza([...words, "--data", folder], { env: { GW_TOKEN: secret } });
    assert.ok(!(out + err).includes(secret), "a value was shown");
    return { status, err, text: existsSync(file) ? readFileSync(file, "utf8") : "" };
  };
  const words = ["connect", up.baseUrl, "--catalog", file, "--models", "all", "--price", "1/2", "--yes"];
  const unset = await plaza(...words, "--header-env", "x-token=NOT_THERE");
  assert.match(unset.err, /NOT_THERE of header x-token is not set/);
  assert.equal(up.calls.length, 0);
  const { status, err, text } = await plaza(...words, "--header-env", "X-Token=GW_TOKEN");
  assert.equal(status, 0, err);
  assert.equal(up.calls[0]?.headers["x-token"], secret);
  assert.match(text, /x-token: \$\{GW_TOKEN\}|x-token: "\$\{GW_TOKEN\}"/);
  rmSync(file);
  assert.equal((await plaza("export", "--out", file)).status, 0);
  const count = up.calls.length;
  const again = await plaza(...words);
  assert.equal(again.status, 0, again.err);
  assert.match(again.text, /x-token: sealed:/);
  assert.equal(up.calls[count]?.headers["x-token"], secret);
});

test("the console shows names, keeps values it was not sent, and sends them nowhere else", async (t) => {
  const up = await scripted(t);
  up.answerWith({ body: { object: "list", data: [{ id: "m", object: "model" }] } });
  const rig = await startConsole(t, { catalog: { upstreams: [], models: [], limits: {} } });
  const operator = rig.as("operator");
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await operator.call(method, `/operator${path}`, body);
    assert.ok(!JSON.stringify(answer.body).includes(secret), "a value was shown");
    return answer;
  };
  const form = { provider: "openai", baseUrl: up.baseUrl, credentials: ["sk-1"] };
  const { credentials: _, ...kept } = form;
  const put = (body: object) => call("PUT", "/upstreams/gw", { ...kept, ...body });
  const made = await call("POST", "/upstreams", {
    ...form,
    id: "gw",
    headers: { "X-Team": "a", "X-Token": secret },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const shown = async () => (await call("GET", "/catalog")).body.upstreams[0];
  assert.deepEqual((await shown()).headers, { "x-team": null, "x-token": null });
  // Its models are listed with the headers, too.
  assert.equal((await call("POST", "/connect/check", { upstreamId: "gw" })).status, 200);
  assert.deepEqual([up.calls[0]?.path, up.calls[0]?.headers["x-token"]], ["/v1/models", secret]);

  assert.equal((await put({ revision: 0, concurrency: 3 })).status, 200);
  const stored = async () => (await rig.store.openUpstream("gw"))?.headers;
  assert.deepEqual(await stored(), { "x-team": "a", "x-token": secret });
  assert.equal((await put({ revision: 1, headers: { "x-team": "b", "X-Token": null } })).status, 200);
  assert.deepEqual(await stored(), { "x-team": "b", "x-token": secret });
  // What is saved as it was is no change.
  const changes = await rig.store.lastChangeId();
  assert.equal((await put({ revision: 2, headers: { "x-team": "b", "x-token": null } })).body.revision, 2);
  assert.equal(await rig.store.lastChangeId(), changes);

  const faultsOf = async (body: object) => {
    const answer = await put({ revision: 2, ...body });
    assert.equal(answer.status, 400, JSON.stringify(answer.body));
    return answer.body.error.fields.map(({ path }: { path: string }) => path);
  };
  assert.deepEqual(await faultsOf({ headers: { "x-new": null } }), ["headers.x-new"]);
  assert.deepEqual(await faultsOf({ headers: { authorization: "x" } }), ["headers.authorization"]);
  const moved = { baseUrl: "http://127.0.0.1:9/v1" };
  assert.deepEqual(await faultsOf(moved), ["credentials", "headers.x-team", "headers.x-token"]);
  const elsewhere = { ...moved, credentials: ["sk-2"], headers: { "x-team": "b", "x-token": null } };
  assert.deepEqual(await faultsOf(elsewhere), ["headers.x-token"]);
  assert.equal((await put({ revision: 2, headers: {} })).status, 200);
  assert.deepEqual((await shown()).headers, {});
  const entries = await rig.store.listAudit({ limit: 50 });
  assert.match(JSON.stringify(entries), /x-team, x-token/);
  assert.ok(!JSON.stringify(entries).includes(secret));
});
