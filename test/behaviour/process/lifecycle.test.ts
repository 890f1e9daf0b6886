/**
 * The product as a process: output of the first and second start, running requests at a stop, data after a
 * kill, and changes that reach a running server.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { get, inParallel, post } from "../../rigs/harness/http-client.ts";
import { eventually, monotonicMs } from "../../rigs/harness/measure/clock.ts";
import { lostWithin, startStallWatch } from "../../rigs/harness/measure/stall-watch.ts";
import { startUpstream, type Upstream } from "../../rigs/upstream/server.ts";
import {
  assertErrorAnswer,
  assertErrorBody,
  eventTexts,
  isFinished,
  send,
  sendChat,
} from "../harness/caller.ts";
import { demoUpstream, model, openaiUpstream } from "../harness/catalogs.ts";
import { isReady, type Product, startProduct, temporaryFolder } from "../harness/product.ts";

const hello = [{ role: "user", content: "hi" }];

let upstream: Upstream;
before(async () => {
  upstream = await startUpstream();
});
after(() => upstream?.stop());

const counting = () => ({
  upstreams: [openaiUpstream("counting", upstream.baseUrl)],
  models: [model("counting", ["counting", "upstream-model"])],
});

/** Runs a command line in a shell, as pasted by a user. */
function shell(line: string): Promise<{ code: number | null; out: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn("sh", ["-c", line], { stdio: ["ignore", "pipe", "pipe"] });
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, out }));
  });
}

/** The curl command of the start-up banner, with its continuation lines. */
function curlIn(banner: string): string {
  const lines = banner.split("\n").map((line) => line.trim());
  const start = lines.findIndex((line) => line.startsWith("curl "));
  assert.notEqual(start, -1, "the banner shows no curl");
  let end = start;
  while (lines[end]?.endsWith("\\")) end += 1;
  return lines.slice(start, end + 1).join("\n");
}

/** Sends the request of a curl command, for machines without curl. */
async function asCurl(line: string): Promise<string> {
  const url = /https?:\/\/[^\s'"\\]+/.exec(line)?.[0] ?? "";
  const headers = [...line.matchAll(/-H "([^:"]+): ([^"]*)"/g)].map(([, name = "", value = ""]) => [
    name,
    value,
  ]);
  const body = /-d '([^']*)'/.exec(line)?.[1];
  const answer = await send(new URL(url).origin, {
    path: new URL(url).pathname,
    headers: Object.fromEntries(headers),
    body,
  });
  return answer.text;
}

describe("the first start and the second", () => {
  const folder = temporaryFolder();
  let product: Product;
  let key = "";
  after(async () => {
    await product?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("the first start prints base_url, a key, where the data lies and how to connect a real upstream", async () => {
    product = await startProduct({ folder });
    const banner = product.running.stdout();
    key = product.firstKey;
    assert.match(key, /^sk-plaza-[0-9A-Za-z]{20,}$/);
    assert.match(banner, new RegExp(`base_url\\s+${product.origin}/v1\\s`));
    assert.ok(banner.includes(folder));
    assert.match(banner, /once/);
    assert.match(banner, /upstream/);
    assert.match(banner, /plaza connect/);
    assert.equal(product.running.stderr().includes(key), false, "the key is in the log");
  });

  test("its curl works as printed", async () => {
    const line = curlIn(product.running.stdout());
    const hasCurl = (await shell("command -v curl")).code === 0;
    const out = hasCurl ? (await shell(`${line.replace(/^curl /, "curl -sS ")}`)).out : await asCurl(line);
    const answer = JSON.parse(out) as { choices: { message: { content: string } }[] };
    assert.ok((answer.choices[0]?.message.content ?? "").length > 0);
  });

  test("the key is stored nowhere, and the data is the owner's alone", async () => {
    await product.stop();
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      const file = join(folder, name);
      if (!statSync(file).isFile()) continue;
      assert.equal(readFileSync(file).includes(key), false, `${name} holds the key`);
    }
    const secret = join(folder, "secret.key");
    assert.equal(statSync(secret).mode & 0o077, 0);
  });

  test("the second start is quiet, prints no secret, and serves the same data", async () => {
    product = await startProduct({ folder });
    const banner = product.running.stdout();
    assert.match(banner, new RegExp(`base_url\\s+${product.origin}/v1\\s`));
    assert.doesNotMatch(banner + product.running.stderr(), /sk-plaza-[0-9A-Za-z]/);
    assert.doesNotMatch(banner, /curl/);
    const answer = await sendChat(product.origin, key, { model: "demo", messages: hello });
    assert.equal(answer.status, 200, answer.text);
    assert.equal((await product.requests()).length, 2);
  });

  test("the log is JSON lines with a time, a level and an event", async () => {
    await product.stop();
    const lines = product.running
      .stderr()
      .split("\n")
      .filter((line) => line !== "");
    assert.ok(lines.length > 0);
    for (const line of lines) {
      const { time, level, event } = JSON.parse(line) as Record<string, string>;
      assert.ok(!Number.isNaN(Date.parse(time ?? "")), line);
      assert.match(level ?? "", /^(?:debug|info|warn|error)$/);
      assert.match(event ?? "", /^[a-z_]+$/);
    }
  });
});

/** Starts a stream; returns promises of its start and its end. */
function openStream(product: Product, x_rig: Readonly<Record<string, unknown>>, modelId = "counting") {
  let first: () => void = () => {};
  const begun = new Promise<void>((resolve) => {
    first = resolve;
  });
  const ended = post({
    url: product.chatUrl,
    key: product.firstKey,
    body: JSON.stringify({ model: modelId, messages: hello, stream: true, x_rig }),
    onArrival: () => first(),
  });
  return { begun: Promise.race([begun, ended]), ended };
}

describe("a stop", () => {
  test("lets a stream under way finish, takes no newcomers, exits with 0", async () => {
    const product = await startProduct({ catalog: counting() });
    const stream = openStream(product, { tokens: 40, gapMs: 40 });
    await stream.begun;
    product.running.child.kill("SIGTERM");
    assert.ok(await eventually(async () => !(await isReady(product.origin)), 3_000, 20));
    // Connections are refused by the system, so that a load balancer tries another process at once; already
    // queued ones are served.
    const isRefused = () =>
      get(`${product.origin}/healthz`).then(
        () => false,
        (error: NodeJS.ErrnoException) => error.code === "ECONNREFUSED",
      );
    assert.ok(await eventually(isRefused, 3_000, 20));
    const seen = await stream.ended;
    assert.equal(seen.status, 200);
    assert.ok(isFinished(seen.body.toString("utf8")), seen.body.toString("utf8").slice(-300));
    assert.equal(await product.running.ended, 0);
    await product.stop();
  });

  test("what lasts longer than the bound ends with an error, and its row says so", async () => {
    const folder = temporaryFolder();
    const product = await startProduct({ catalog: counting(), folder, env: { PLAZA_DRAIN_MS: "300" } });
    const stream = openStream(product, { id: "too-long", tokens: 5_000, gapMs: 20 });
    const whole = sendChat(product.origin, product.firstKey, {
      model: "counting",
      messages: hello,
      x_rig: { id: "too-late", headersMs: 20_000 },
    });
    await stream.begun;
    assert.ok(await eventually(() => upstream.findCall("too-late") !== undefined, 3_000, 5));
    product.running.child.kill("SIGTERM");
    const seen = await stream.ended;
    const text = seen.body.toString("utf8");
    assert.equal(isFinished(text), false);
    assertErrorBody(eventTexts(text).at(-1) ?? "", { code: "overloaded" });
    assert.ok(seen.isWhole, "the answer ends as HTTP says it should");
    const refused = await whole;
    assertErrorAnswer(refused, 503, { code: "overloaded" });
    assert.ok(Number(refused.headers["retry-after"]) >= 1);
    assert.equal(await product.running.ended, 0);
    for (const id of ["too-long", "too-late"]) {
      assert.ok(await eventually(() => upstream.findCall(id)?.end === "cancelled", 3_000, 5), id);
    }
    const states = (await product.requests()).map((row) => [row.id, row.state]);
    assert.deepEqual(Object.fromEntries(states), {
      [String(seen.headers["x-request-id"])]: "incomplete",
      [String(refused.headers["x-request-id"])]: "failed",
    });
    rmSync(folder, { recursive: true, force: true });
  });

  test("an idle process stops at once, with 0", async () => {
    const product = await startProduct();
    assert.equal(await product.stop("SIGINT"), 0);
    assert.equal(await isReady(product.origin), false);
  });
});

/** Makes the launcher believe that it runs under an old Node; the process that it starts does not. */
const asOldNode =
  "--import=data:text/javascript," +
  "process.env.LAUNCH_LIFELINE??Object.defineProperty(process,'versions',{value:{node:'20.0.0'}})";

test("a launcher under an old Node that is killed outright takes the server with it", async () => {
  const product = await startProduct({ env: { NODE_OPTIONS: asOldNode } });
  assert.ok(await isReady(product.origin));
  await product.stop("SIGKILL");
  assert.equal(product.running.hasLeftOthers(), false);
  assert.equal(await isReady(product.origin), false);
});

test("kill -9 loses no acknowledged row", async () => {
  const folder = temporaryFolder();
  const first = await startProduct({ catalog: counting(), folder });
  const completed: string[] = [];
  let sent = 0;
  let isKilled = false;
  const kill = (): void => {
    isKilled = true;
    process.kill(first.pid, "SIGKILL");
  };
  await inParallel(
    Array.from({ length: 400 }, (_, index) => index),
    16,
    async (index) => {
      if (isKilled) return;
      sent += 1;
      const stream = index % 2 === 0;
      const seen = await post({
        url: first.chatUrl,
        key: first.firstKey,
        body: JSON.stringify({ model: "counting", messages: hello, stream, x_rig: { tokens: 3 } }),
      });
      const isWhole =
        seen.status === 200 && seen.isWhole && (!stream || isFinished(seen.body.toString("utf8")));
      if (isWhole) completed.push(String(seen.headers["x-request-id"]));
      if (completed.length >= 150 && !isKilled) kill();
    },
  );
  await first.running.ended;
  assert.ok(isKilled && completed.length >= 150 && completed.length < sent + 1);
  const second = await startProduct({ catalog: counting(), folder });
  const rows = new Set((await second.requests(1_000)).map((row) => row.id));
  assert.deepEqual(
    completed.filter((id) => !rows.has(id)),
    [],
  );
  await second.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe("changes while running", () => {
  let product: Product;
  let account = "";
  before(async () => {
    product = await startProduct({ catalog: counting() });
    account = await product.createAccount();
  });
  after(() => product?.stop());

  const servesModel = async (id: string): Promise<boolean> => {
    const headers = { authorization: `Bearer ${product.firstKey}` };
    return (await send(product.origin, { method: "GET", path: `/v1/models/${id}`, headers })).status === 200;
  };

  test("a valid edit of the catalog file is served within two seconds or so", async () => {
    const { upstreams, models } = counting();
    product.writeCatalog({ upstreams, models: [...models, model("added", ["counting", "other"])] });
    assert.ok(await eventually(() => servesModel("added"), 15_000));
    const answer = await sendChat(product.origin, product.firstKey, { model: "added", messages: hello });
    assert.equal(answer.status, 200, answer.text);
  });

  test("a stream under way outlives the model and the upstream it began with", async () => {
    const { upstreams, models } = counting();
    const leaving = openaiUpstream("leaving", upstream.baseUrl);
    const gone = { upstreams: [...upstreams, leaving], models: [...models, model("gone", ["leaving", "x"])] };
    product.writeCatalog(gone);
    assert.ok(await eventually(() => servesModel("gone"), 15_000));
    const stream = openStream(product, { tokens: 50, gapMs: 40 }, "gone");
    await stream.begun;
    product.writeCatalog({ upstreams, models: [...models, model("added", ["counting", "other"])] });
    assert.ok(await eventually(async () => !(await servesModel("gone")), 15_000));
    const seen = await stream.ended;
    assert.ok(isFinished(seen.body.toString("utf8")), seen.body.toString("utf8").slice(-300));
  });

  test("an invalid edit keeps the last good catalog and says so in the log", async () => {
    product.writeCatalog("upstreams: [\nmodels: {");
    assert.ok(await eventually(() => /catalog_refused/.test(product.running.stderr()), 15_000));
    assert.ok(await servesModel("added"));
    const { upstreams } = counting();
    product.writeCatalog({ upstreams, models: [model("lost", ["nobody", "x"])] });
    assert.ok(
      await eventually(() => /nobody/.test(product.running.stderr()), 15_000),
      "the log names what is wrong",
    );
    assert.ok(await servesModel("added"));
    assert.equal(await servesModel("lost"), false);
  });

  test("mending it by putting another file in its place is noticed too, and what left is gone", async () => {
    const beside = `${product.catalogFile}.new`;
    writeFileSync(beside, JSON.stringify(counting()));
    renameSync(beside, product.catalogFile);
    assert.ok(await eventually(async () => !(await servesModel("added")), 15_000));
    assert.ok(await servesModel("counting"));
  });

  test("a key made while running works at once", async () => {
    for (let round = 0; round < 2; round += 1) {
      const { key } = await product.createKey(account);
      const answer = await sendChat(product.origin, key, { model: "counting", messages: hello });
      assert.equal(answer.status, 200, answer.text);
    }
  });

  test("a revoked key is refused within a second; stalls of the machine do not count", async (context) => {
    const watch = await startStallWatch();
    context.after(() => watch.stop());
    const { id, key } = await product.createKey(account);
    assert.equal((await sendChat(product.origin, key, { model: "counting", messages: hello })).status, 200);
    await product.command(["key", "revoke", id]);
    const revokedMs = monotonicMs();
    let endedMs = 0;
    const isRefused = async (): Promise<boolean> => {
      const { status } = await sendChat(product.origin, key, { model: "counting", messages: hello });
      endedMs = monotonicMs();
      return status !== 200;
    };
    assert.ok(await eventually(isRefused, 15_000));
    const lostMs = lostWithin(await watch.stalls(), revokedMs, endedMs);
    const tookMs = endedMs - revokedMs - lostMs;
    assert.ok(tookMs <= 1_000, `${tookMs} ms, beside ${lostMs} that the machine lost`);
    const answer = await sendChat(product.origin, key, { model: "counting", messages: hello });
    assertErrorAnswer(answer, 401, { code: "invalid_api_key", message: /revoked/ });
    assert.equal((await sendChat(product.origin, key, { model: "counting", messages: hello })).status, 401);
  });

  test("plaza apply changes a running server, and applying twice changes nothing", async () => {
    const own = await startProduct();
    const file = join(own.folder, "applied.yaml");
    writeFileSync(
      file,
      JSON.stringify({ upstreams: [demoUpstream], models: [model("applied", ["demo", "demo"])] }),
    );
    const text = await own.command(["apply", file]);
    assert.match(text, /applied/);
    const isServed = async (): Promise<boolean> =>
      (await sendChat(own.origin, own.firstKey, { model: "applied", messages: hello })).status === 200;
    assert.ok(await eventually(isServed, 15_000));
    const again = (await own.json(["apply", file])) as Record<string, unknown>;
    assert.deepEqual([again["added"], again["changed"], again["removed"]], [[], [], []]);
    await own.stop();
  });

  test("plaza apply refuses an invalid file and changes nothing", async () => {
    const file = join(product.folder, "wrong.yaml");
    writeFileSync(file, JSON.stringify({ upstreams: [], models: [model("lost", ["nobody", "x"])] }));
    await assert.rejects(product.command(["apply", file]), /nobody/);
    assert.ok(await servesModel("counting"));
  });
});
