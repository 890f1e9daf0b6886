/** Metrics, traces and request logs, in one process and collected from several. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { inParallel } from "../../rigs/harness/http-client.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { send, sendChat } from "../harness/caller.ts";
import { demoUpstream, model } from "../harness/catalogs.ts";
import { completion, someUsage, streamOf } from "../harness/openai-shapes.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

const secretWords = "a-prompt-nobody-may-see";
const messages = [{ role: "user", content: secretWords }];

/** Metric values by name and labels. */
function read(text: string): Map<string, string> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), line.slice(line.lastIndexOf(" ") + 1)]),
  );
}

async function scrape(origin: string): Promise<{ text: string; samples: Map<string, string> }> {
  const { status, headers, text } = await send(origin, { method: "GET", path: "/metrics" });
  assert.equal(status, 200, text);
  assert.equal(headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
  return { text, samples: read(text) };
}

interface SpanShown {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { key: string; value: Record<string, unknown> }[];
}

const attribute = (span: SpanShown, key: string): unknown =>
  Object.values(span.attributes.find((one) => one.key === key)?.value ?? {})[0];

/** A trace collector that stores everything. */
async function startCollector() {
  const bodies: string[] = [];
  const heads: Record<string, unknown>[] = [];
  const server = createServer((req, res) => {
    heads.push({ ...req.headers, path: req.url });
    let body = "";
    req.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    req.on("end", () => {
      bodies.push(body);
      res.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    heads,
    spans: (): SpanShown[] => bodies.flatMap((body) => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans),
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

describe("one process", () => {
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let upstream: ScriptedUpstream;
  let app: TestApp;
  let account: TestAccount;
  const ids: string[] = [];
  const trace = "0af7651916cd43dd8448eb211c80319c";
  const ask = async (body: object, headers: Record<string, string> = {}) => {
    const answer = await send(app.origin, {
      method: "POST",
      path: "/v1/chat/completions",
      headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json", ...headers },
      body: JSON.stringify({ messages, ...body }),
    });
    ids.push(String(answer.headers["x-request-id"]));
    return answer;
  };

  before(async () => {
    collector = await startCollector();
    upstream = await startScriptedUpstream();
    app = await startApp({
      catalog: {
        upstreams: [upstreamAt("main", upstream.baseUrl), upstreamAt("spare", upstream.baseUrl)],
        models: [modelOn("one", ["main"]), modelOn("two", ["main", "spare"])],
        limits: {},
      },
      env: {
        PLAZA_LOG_REQUESTS: "on",
        PLAZA_OTLP_ENDPOINT: collector.url,
        PLAZA_OTLP_HEADERS: "x-team=ops%20room",
      },
    });
    account = await app.newAccount("5.00");
    const whole = { body: completion({ message: { content: "hello" } }) };
    upstream.answerWith(whole);
    await ask({ model: "one" }, { traceparent: `00-${trace}-b7ad6b7169203331-01` });
    await ask({ model: "one" }, { traceparent: `00-${trace.replace("0af", "fff")}-b7ad6b7169203331-00` });
    upstream.answerWith({ events: streamOf([{ content: "hello" }]) });
    await ask({ model: "one", stream: true });
    upstream.answerWith({ status: 500, body: { error: { message: "a bad moment" } } }, whole);
    await ask({ model: "two" });
    upstream.answerWith({ status: 400, body: { error: { message: "no", code: "invalid_value" } } });
    await ask({ model: "one" });
    await ask({ model: "typed-by-a-stranger" });
    await sendChat(app.origin, "sk-plaza-wrong", { model: "one", messages });
  });
  after(async () => {
    await app?.stop();
    await upstream?.stop();
    await collector?.stop();
  });

  test("requests, tokens, charges, attempts are counted", async () => {
    const { samples } = await scrape(app.origin);
    const value = (name: string) => samples.get(name.replace(/\}$/, ',process="1"}'));
    assert.equal(
      value('plaza_requests_total{status="200",state="complete",model="one",operation="chat"}'),
      "3",
    );
    assert.equal(
      value('plaza_requests_total{status="200",state="complete",model="two",operation="chat"}'),
      "1",
    );
    assert.equal(
      value('plaza_requests_total{status="404",state="failed",error="model_not_found",operation="chat"}'),
      "1",
    );
    assert.equal(
      value('plaza_requests_total{status="401",state="failed",error="invalid_api_key",operation="chat"}'),
      "1",
    );
    assert.equal(value('plaza_attempts_total{upstream="main",outcome="server"}'), "1");
    assert.equal(value('plaza_fallbacks_total{upstream="spare"}'), "1");
    const calls = 'gen_ai_operation_name="chat",gen_ai_provider_name="openai",gen_ai_request_model="one"';
    assert.equal(value(`gen_ai_client_operation_duration_seconds_count{${calls}}`), "3");
    assert.equal(value(`gen_ai_server_time_to_first_token_seconds_count{${calls}}`), "1");
    assert.equal(value(`gen_ai_client_token_usage_count{${calls},gen_ai_token_type="input"}`), "3");
    const row = (await app.store.listRequests({ accountId: account.accountId, limit: 100 })).reduce(
      (sum, { charge }) => sum + charge,
      0n,
    );
    const charged = ["one", "two"].map((id) => String(value(`plaza_charges_usd_total{model="${id}"}`)));
    const nanos = charged.reduce((sum, usd) => sum + BigInt(usd.split(".")[1]?.padEnd(9, "0") ?? ""), 0n);
    assert.equal(nanos, row);
    assert.ok(row > 0n);
    assert.equal(samples.get('plaza_overhead_seconds_count{process="1"}'), "5");
    assert.equal(samples.get('plaza_settle_seconds_count{process="1"}'), "6");
  });

  test("the process, its money and its store can be looked at", async () => {
    const { samples } = await scrape(app.origin);
    for (const name of [
      "process_resident_memory_bytes",
      "process_cpu_seconds_total",
      "plaza_heap_used_bytes",
      "plaza_in_flight",
      "plaza_leases_usd",
      "plaza_holds_usd",
      "plaza_store_behind",
      "process_open_fds",
      "process_max_fds",
      "plaza_disk_free_bytes",
      "plaza_database_bytes",
      "plaza_database_wal_bytes",
      "plaza_schema_version",
      "plaza_journal_bytes",
      "plaza_journal_age_seconds",
      "plaza_connection_oldest_idle_seconds",
      "plaza_connections_refused_total",
    ]) {
      assert.ok(samples.has(`${name}{process="1"}`), name);
    }
    assert.ok([...samples.keys()].some((name) => name.startsWith('plaza_build_info{version="')));
    assert.ok(Number(samples.get('plaza_connections{state="active",process="1"}')) >= 1);
    assert.ok(samples.has('plaza_gc_pauses_total{kind="minor",process="1"}'));
  });

  test("every name is explained once, with all its samples behind it", async () => {
    const { text } = await scrape(app.origin);
    const names = [...text.matchAll(/^# TYPE (\S+) (?:counter|gauge|histogram)$/gm)].map((match) => match[1]);
    assert.equal(new Set(names).size, names.length);
    let current = "";
    for (const line of text.trimEnd().split("\n")) {
      if (line.startsWith("#")) current = line.split(" ")[2] ?? "";
      else {
        assert.match(line, /^[a-z_]+(?:\{(?:[a-z_]+="(?:[^"\\]|\\.)*",?)*\})? (?:[0-9.e+-]+|\+Inf)$/);
        assert.ok(line.startsWith(current), line);
      }
    }
  });

  test("a caller from elsewhere sees no metrics", async () => {
    const answer = await send(app.origin, {
      method: "GET",
      path: "/metrics",
      headers: { "x-forwarded-for": "10.0.0.1" },
    });
    assert.equal(answer.status, 403);
  });

  test("every request has its line, when asked for", () => {
    const lines = app.log.map((line) => JSON.parse(line)).filter(({ event }) => event === "request");
    assert.deepEqual(
      lines.map(({ request }) => request),
      ids,
    );
    const [first] = lines;
    assert.equal(first.model, "one");
    assert.equal(first.status, 200);
    assert.equal(first.account, account.accountId);
    assert.match(first.charge, /^0\.0\d+$/);
    assert.equal(first.ip, "127.0.0.1");
    assert.match(first.tried, /^main answered \d+$/);
    assert.match(lines[3].tried, /^main server \d+, spare answered \d+$/);
    assert.equal(lines.at(-1).tried, undefined);
  });

  test("the collector gets a span per request, with its attempts below, in the caller's trace", async () => {
    const spanOf = (id: string | undefined) =>
      collector.spans().find((span) => attribute(span, "plaza.request.id") === id);
    assert.ok(await eventually(async () => spanOf(ids.at(-1)) !== undefined, 10_000));
    const traced = spanOf(ids[0]);
    assert.ok(traced !== undefined);
    assert.equal(traced.traceId, trace);
    assert.equal(traced.parentSpanId, "b7ad6b7169203331");
    assert.equal(traced.name, "chat one");
    assert.equal(attribute(traced, "gen_ai.usage.output_tokens"), String(someUsage.completion_tokens));
    assert.equal(spanOf(ids[1]), undefined, "a caller that does not sample is not traced");
    const fallen = spanOf(ids[3]);
    const children = collector.spans().filter((span) => span.parentSpanId === fallen?.spanId);
    assert.deepEqual(
      children.map((span) => [span.kind, attribute(span, "plaza.upstream"), span.status.code ?? 0]),
      [
        [3, "main", 2],
        [3, "spare", 0],
      ],
    );
    for (const child of children) {
      assert.equal(child.traceId, fallen?.traceId);
      assert.ok(BigInt(child.startTimeUnixNano) >= BigInt(fallen?.startTimeUnixNano ?? 0));
      assert.ok(BigInt(child.endTimeUnixNano) >= BigInt(child.startTimeUnixNano));
    }
    assert.equal(collector.heads[0]?.["path"], "/v1/traces");
    assert.equal(collector.heads[0]?.["x-team"], "ops room");
  });

  test("nobody is told a prompt, a key or what a stranger typed as a label", async () => {
    const { text } = await scrape(app.origin);
    const seen = [text, ...collector.bodies, ...app.log].join("\n");
    for (const secret of [secretWords, account.key, "sk-up"]) assert.ok(!seen.includes(secret), secret);
    assert.ok(!text.includes("typed-by-a-stranger"));
  });
});

describe("several processes", () => {
  let product: Product;
  before(async () => {
    product = await startProduct({
      catalog: { upstreams: [demoUpstream], models: [model("demo", ["demo", "demo"])] },
      serve: ["--workers", "3"],
    });
  });
  after(() => product?.stop());

  test("any of them tells of all", async () => {
    const { key } = await product.createKey(await product.createAccount());
    const calls = Array.from({ length: 30 });
    await inParallel(calls, 6, () => sendChat(product.origin, key, { model: "demo", messages }));
    const { samples } = await scrape(product.origin);
    const places = ["1", "2", "3"];
    for (const place of places) assert.equal(samples.get(`plaza_process_up{process="${place}"}`), "1");
    const counted = places.map((place) =>
      Number(
        samples.get(
          `plaza_requests_total{status="200",state="complete",model="demo",operation="chat",process="${place}"}`,
        ) ?? 0,
      ),
    );
    assert.equal(
      counted.reduce((sum, count) => sum + count, 0),
      calls.length,
    );
  });
});
