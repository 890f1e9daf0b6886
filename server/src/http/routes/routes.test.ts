/** Which handler gets a call, and the answers to calls without one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import { servedPaths } from "@plaza/contract/operations.ts";
import { Reply } from "../../gateway/request/reply.ts";
import { FakeExchange } from "../../gateway/request/testing/fake-exchange.ts";
import { type Besides, createRoutes, type Handler, type RouteEntry } from "./routes.ts";

/** Answers with its name and the text matched by the wildcard. */
const named =
  (name: string): Handler =>
  (_exchange, reply, tail) =>
    reply.send(200, "text/plain", Buffer.from(`${name} ${tail}`));

/** A table whose handlers answer with their name and the text matched by their wildcard. */
function setUp(besides: Besides = {}, more: readonly RouteEntry[] = []) {
  const mistakes: unknown[] = [];
  const route = createRoutes(
    [
      { method: "POST", path: "/v1/things", handler: named("make") },
      { method: "GET", path: "/v1/things", handler: named("list") },
      { method: "GET", path: "/v1/things/*", handler: named("one") },
      { method: "DELETE", path: "/v1/things/*", handler: named("delete") },
      { method: "POST", path: "/v1/things/of/*", handler: named("part") },
      { method: "GET", path: "/v1/things/special", handler: named("special") },
      { method: "GET", path: "/", handler: named("welcome") },
      ...more,
    ],
    (_reply, thrown) => void mistakes.push(thrown),
    besides,
  );
  /** Answers a call whose body has arrived. */
  const ask = async (method: string, path: string, headers = {}): Promise<FakeExchange> => {
    const exchange = new FakeExchange({ method, path, headers });
    exchange.finishBody();
    route(exchange, new Reply(exchange, "req_1"));
    // Headers may be added to the error asynchronously.
    for (let turns = 0; exchange.did.at(-1) !== "end"; turns += 1) {
      assert.ok(turns < 100, `${method} ${path} is not answered`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return exchange;
  };
  return { ask, mistakes };
}

const codeOf = ({ text }: FakeExchange): string => JSON.parse(text).error.code;
const messageOf = ({ text }: FakeExchange): string => JSON.parse(text).error.message;

test("a call goes to the handler of its method and path, exact paths first", async () => {
  const { ask } = setUp();
  const rows: readonly [string, string, string][] = [
    ["POST", "/v1/things", "make "],
    ["GET", "/v1/things", "list "],
    ["HEAD", "/v1/things", "list "],
    ["GET", "/v1/things/", "list "],
    ["GET", "/v1/things/special", "special "],
    ["GET", "/v1/things/special/", "special "],
    ["GET", "/v1/things/a%2Fb%20c", "one a/b c"],
    ["GET", "/v1/things/a/b", "one a/b"],
    ["DELETE", "/v1/things/a", "delete a"],
    ["GET", "/v1/things/*", "one *"],
    ["POST", "/v1/things/of/a:b", "part a:b"],
    ["GET", "/", "welcome "],
  ];
  for (const [method, path, answer] of rows) {
    assert.equal((await ask(method, path)).text, answer, `${method} ${path}`);
  }
});

test("a wildcard may have an ending, which wins over one without where its method is taken", async () => {
  const { ask } = setUp({}, [
    { method: "POST", path: "/v1/things/*:run", handler: named("run") },
    { method: "POST", path: "/v1/things/*/parts", handler: named("parts") },
    { method: "POST", path: "/v1/other/*/parts", handler: named("other") },
  ]);
  const rows: readonly [string, string, string][] = [
    ["POST", "/v1/things/a:run", "run a"],
    ["POST", "/v1/things/a/b:free:run", "run a/b:free"],
    ["POST", "/v1/things/a%2Fb%3Afree%3Arun", "run a/b:free"],
    ["POST", "/v1/things/a%3arun/", "run a"],
    ["POST", "/v1/things/:run:run", "run :run"],
    ["POST", "/v1/things/a/parts", "parts a"],
    ["POST", "/v1/things/of/a:run", "part a:run"],
    ["GET", "/v1/things/a:run", "one a:run"],
    ["POST", "/openai/v1/things/a:run", "run a"],
  ];
  for (const [method, path, answer] of rows)
    assert.equal((await ask(method, path)).text, answer, `${method} ${path}`);
  for (const [method, path, status] of [
    ["POST", "/v1/things/:run", 405],
    ["POST", "/v1/things/a:running", 405],
    ["POST", "/v1/other/parts", 404],
    ["POST", "/v1/other//parts", 404],
    ["GET", "/v1/other/a/parts", 405],
    ["POST", "/v1/things/%zz:run", 400],
  ] as const)
    assert.equal((await ask(method, path)).did[0], `head ${status}`, path);
});

test("a path that is not percent-encoded is refused", async () => {
  const exchange = await setUp().ask("GET", "/v1/things/%zz");
  assert.deepEqual([exchange.did[0], codeOf(exchange)], ["head 400", "invalid_request"]);
});

test("another method is refused with those there are", async () => {
  const { ask } = setUp();
  const things = await ask("DELETE", "/v1/things");
  assert.deepEqual([things.did[0], codeOf(things)], ["head 405", "method_not_allowed"]);
  assert.equal(things.header("allow"), "POST, GET, HEAD, OPTIONS");
  assert.equal((await ask("POST", "/v1/things/special")).header("allow"), "GET, HEAD, OPTIONS");
  assert.equal((await ask("POST", "/v1/things/one")).header("allow"), "GET, HEAD, DELETE, OPTIONS");
});

test("what is not there is told with its method and path, cut where it is long, and what helps", async () => {
  const { ask } = setUp();
  const nothing = await ask("GET", `/v1/${"x".repeat(200)}`);
  assert.deepEqual([nothing.did[0], codeOf(nothing)], ["head 404", "not_found"]);
  assert.match(messageOf(nothing), /^Not found: GET \/v1\/x{96}…\. Plaza serves POST /);
  for (const path of servedPaths) assert.ok(messageOf(nothing).includes(path), path);
  assert.match(messageOf(await ask("POST", "/chat/completions")), /base URL so that it ends in \/v1/);
});

test("another spelling of a path is helped as the path that it means", async () => {
  const { ask } = setUp();
  const [alpha, beta] = [await ask("POST", "/v1alpha/files"), await ask("POST", "/v1beta/files")];
  const helpOf = (exchange: FakeExchange): string =>
    messageOf(exchange).replace(/\/v1(?:alpha|beta)\/files/, "");
  assert.match(helpOf(alpha), /inlineData/);
  assert.equal(helpOf(alpha), helpOf(beta));
});

test("a preflight under /v1 is answered whatever the path, and nowhere else", async () => {
  const { ask } = setUp();
  const asked = { "access-control-request-headers": "x-a, x-b" };
  const preflight = await ask("OPTIONS", "/v1/no-such-thing", asked);
  assert.deepEqual(preflight.did, ["head 204", "end"]);
  assert.equal(preflight.header("access-control-allow-headers"), "x-a, x-b");
  assert.equal((await ask("OPTIONS", "/elsewhere", asked)).did[0], "head 404");
});

test("what has no route goes to the fallback, unless it is known to be meant for another product", async () => {
  const paths: string[] = [];
  const { ask } = setUp({
    fallback({ path }, reply) {
      paths.push(path);
      if (!path.startsWith("/api/")) return false;
      reply.send(200, "text/plain", Buffer.from("control plane"));
      return true;
    },
  });
  assert.equal((await ask("GET", "/api/session")).text, "control plane");
  assert.equal((await ask("GET", "/somewhere")).did[0], "head 404");
  const ollama = await ask("POST", "/api/generate");
  assert.deepEqual([ollama.did[0], /Ollama/.test(messageOf(ollama))], ["head 404", true]);
  assert.equal((await ask("GET", "/v1/things")).text, "list ");
  assert.deepEqual(paths, ["/api/session", "/somewhere"]);
});

test("what no handler gets under /v1 is given the headers of a valid key's answers", async () => {
  const { ask } = setUp(
    {
      async addHeaders(_exchange, reply) {
        await Promise.resolve();
        reply.addPassingHeaders(["x-ratelimit-limit-requests", "5"]);
      },
    },
    [
      {
        method: "POST",
        path: "/v1/refusing",
        async handler() {
          throw new GatewayError("model_not_found");
        },
      },
    ],
  );
  const limitOf = async (method: string, path: string): Promise<string | undefined> =>
    (await ask(method, path)).header("x-ratelimit-limit-requests");
  assert.equal(await limitOf("GET", "/v1/nothing"), "5");
  assert.equal(await limitOf("PUT", "/v1/things"), "5");
  assert.equal(await limitOf("POST", "/v1/refusing"), undefined, "a handler has added its own");
  assert.equal(await limitOf("GET", "/nothing"), undefined);
});

test("an error of the catalogue is the answer; anything else is a mistake, which is not told", async () => {
  const secret = new Error("secret: host 10.0.0.1");
  const { ask, mistakes } = setUp({}, [
    {
      method: "GET",
      path: "/v1/broken",
      async handler() {
        throw secret;
      },
    },
    {
      method: "GET",
      path: "/v1/full",
      handler() {
        throw new GatewayError("overloaded", { retryAfterMs: 1_500 });
      },
    },
  ]);
  const full = await ask("GET", "/v1/full");
  assert.deepEqual([full.did[0], full.header("retry-after")], ["head 503", "2"]);
  assert.deepEqual(mistakes, []);
  const broken = await ask("GET", "/v1/broken");
  assert.deepEqual([broken.did[0], codeOf(broken)], ["head 500", "internal_error"]);
  assert.ok(!broken.text.includes("secret"));
  assert.deepEqual(mistakes, [secret]);
});
