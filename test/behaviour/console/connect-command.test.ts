/**
 * `plaza connect` with upstreams that have a model list, a broken one, or none: what it writes,
 * what it must not write or print, and a completion through the connected upstream.
 */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { defaultTimeouts } from "@plaza/contract/catalog.ts";
import { runPlaza } from "../../../server/src/cli/testing/run-plaza.ts";
import { loadOrCreateKeyFile } from "../../../server/src/lib/secret.ts";
import { openStoreInProcess } from "../../../server/src/store/open.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { nodeBinary, rootFolder, startProcess } from "../../rigs/harness/processes/processes.ts";
import { send, sendChat } from "../harness/caller.ts";
import { startProduct, temporaryFolder } from "../harness/product.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

/** No file or output of the product may contain it. */
const secret = "sk-secret-of-the-test-0123456789";

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

let folder = "";
let file = "";
const folders: string[] = [];
let upstream: ScriptedUpstream;

before(async () => {
  upstream = await startScriptedUpstream();
});
after(() => upstream.stop());
beforeEach(() => {
  folder = temporaryFolder();
  folders.push(folder);
  file = join(folder, "plaza.yaml");
});
after(() => {
  for (const one of folders) rmSync(one, { recursive: true, force: true });
});

const inFolder = (words: readonly string[], data: string): string[] => [
  "connect",
  ...words,
  ...["--data", data, "--catalog", file],
];

/** Asserts that the output holds no secret and no stack trace. */
function checked(ended: Ended): Ended {
  assert.ok(!`${ended.out}${ended.err}`.includes(secret), "the credential was shown");
  assert.doesNotMatch(ended.err, /\n\s+at /);
  return ended;
}

/** Runs the command in this process, with `input` as all that comes on standard input. */
async function connect(words: readonly string[], input = "", data = join(folder, "data")): Promise<Ended> {
  const neverAsked = (): never => assert.fail("nobody is there to be asked");
  const { status, out, err } = await runPlaza(inFolder(words, data), {
    env: { THE_KEY: secret },
    terminal: async () => ({
      isInteractive: false,
      showsProgress: false,
      ask: neverAsked,
      askSecret: neverAsked,
      readAll: async () => input,
    }),
  });
  return checked({ code: status, out, err });
}

/** The same as a process of its own. */
async function connectAsProcess(words: readonly string[], input: string, data: string): Promise<Ended> {
  const script = `${rootFolder}server/bin/plaza.mjs`;
  const running = startProcess(nodeBinary, [script, ...inFolder(words, data)], { THE_KEY: secret });
  running.child.stdin?.end(input);
  const code = await running.ended;
  return checked({ code, out: running.stdout(), err: running.stderr() });
}

const key = ["--credential-env", "THE_KEY"];
const asListed = (ids: readonly string[]) => ({
  body: { object: "list", data: ids.map((id) => ({ id, object: "model", created: 1, owned_by: "me" })) },
});
const completion = {
  body: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  },
};

describe("what goes wrong is one sentence, and nothing is written", () => {
  const page = "<!doctype html><title>Welcome</title>";
  const never = new Promise(() => {});
  const cases = [
    {
      name: "a wrong credential",
      answer: {
        status: 401,
        body: { error: { message: `Incorrect API key provided: ${secret}`, code: "invalid_api_key" } },
      },
      code: "credential_refused",
      message: /rejects the credential \(401\)/,
    },
    {
      name: "a web page",
      answer: { body: page, headers: { "content-type": "text/html" } },
      code: "not_a_list",
      message: /web page/,
    },
    {
      name: "something else",
      answer: { body: { hello: secret } },
      code: "not_a_list",
      message: /instead of a list/,
    },
    {
      name: "a redirect",
      answer: {
        status: 302,
        headers: { location: `http://user:${secret}@127.0.0.1:1/elsewhere?k=${secret}` },
      },
      code: "redirected",
      message:
        /redirects to "http:\/\/127\.0\.0\.1:1\/elsewhere" \(302\), and Plaza does not follow redirects/,
    },
    {
      name: "21 MB",
      answer: { body: "x".repeat(21 * 1024 ** 2) },
      code: "too_large",
      message: /more than 20 MB/,
    },
    { name: "no answer in time", answer: { after: never }, code: "timeout", message: /within 300 ms/ },
    {
      name: "an answer that stops half-way",
      answer: { body: "{", ending: "hang" as const },
      code: "timeout",
      message: /within 300 ms/,
    },
    {
      name: "a connection that breaks",
      answer: { body: "{", ending: "cut" as const },
      code: "unreachable",
      message: /cannot reach/,
    },
    { name: "no models", answer: asListed([]), code: "no_models", message: /lists no models: .*--models/ },
    {
      name: "no list",
      answer: { status: 404, body: {} },
      code: "no_listing",
      message: /does not list its models.*--models/,
    },
    {
      name: "a server that fails",
      answer: { status: 500, body: {} },
      code: "upstream_error",
      message: /status 500/,
    },
    {
      name: "no model with a price",
      answer: asListed(["mine"]),
      code: "no_price",
      message: /no known price.*--price/,
    },
  ];
  for (const { name, answer, code, message } of cases) {
    test(name, async () => {
      upstream.answerWith(answer);
      const quick = code === "timeout" ? ["--timeout", "300ms"] : [];
      const ended = await connect([upstream.baseUrl, ...key, ...quick, "--yes", "--json"]);
      assert.equal(ended.code, 1);
      const { error } = JSON.parse(ended.out) as { error: { code: string; message: string } };
      assert.equal(error.code, code);
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /\n/);
      assert.deepEqual(readdirSync(folder), [], "something was written");
    });
  }
});

test("a redirect is not followed", async () => {
  const visited: string[] = [];
  const elsewhere = createServer((request, response) => {
    visited.push(request.url ?? "");
    response.end("{}");
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
  const { port } = elsewhere.address() as AddressInfo;
  upstream.answerWith({ status: 307, headers: { location: `http://127.0.0.1:${port}/v1/models` } });
  assert.equal((await connect([upstream.baseUrl, ...key, "--yes"])).code, 1);
  elsewhere.close();
  assert.deepEqual(visited, []);
});

describe("base URLs that are refused, before anything is asked", () => {
  const cases = [
    {
      name: "with user and password",
      url: () => upstream.baseUrl.replace("//", `//user:${secret}@`),
      message: /not contain a user name or password/,
    },
    { name: "with a fragment", url: () => `${upstream.baseUrl}#top`, message: /a fragment/ },
    { name: "with a query", url: () => `${upstream.baseUrl}?key=${secret}`, message: /a query/ },
    {
      name: "of the endpoint",
      url: () => `${upstream.baseUrl}/chat/completions`,
      message: /must not end in/,
    },
    { name: "of another scheme", url: () => "ftp://127.0.0.1/v1", message: /not an http or https URL/ },
    {
      name: "that is no service either",
      url: () => "opanai",
      message: /unknown service "opanai"; did you mean "openai"/,
    },
    { name: "that is a key by mistake", url: () => secret, message: /unknown service \(/ },
  ];
  for (const { name, url, message } of cases) {
    test(name, async () => {
      upstream.answerWith(asListed(["m"]));
      const ended = await connect([url(), ...key, "--yes"]);
      assert.equal(ended.code, 2);
      assert.match(ended.err, message);
      assert.equal(upstream.calls.length, 0);
      assert.deepEqual(readdirSync(folder), []);
    });
  }
});

test("without --yes and nobody to ask, nothing is asked of the upstream either", async () => {
  upstream.answerWith(asListed(["m"]));
  const ended = await connect([upstream.baseUrl, ...key]);
  assert.equal(ended.code, 2);
  assert.match(ended.err, /add --yes/);
  assert.equal(upstream.calls.length, 0);
});

describe("where the list is found", () => {
  const bare = () => upstream.baseUrl.replace(/\/v1$/, "");
  const cases = [
    {
      name: "given without /v1, it is there",
      url: bare,
      answers: [asListed(["m"])],
      paths: ["/v1/models"],
      tail: "/v1",
    },
    {
      name: "given without /v1, it is not there",
      url: bare,
      answers: [{ status: 404 }, asListed(["m"])],
      paths: ["/v1/models", "/models"],
      tail: "",
    },
    {
      name: "given with /v1",
      url: () => upstream.baseUrl,
      answers: [asListed(["m"])],
      paths: ["/v1/models"],
      tail: "/v1",
    },
    {
      name: "given with /v1, it is not there",
      url: () => upstream.baseUrl,
      answers: [{ status: 404 }, asListed(["m"])],
      paths: ["/v1/models", "/models"],
      tail: "",
    },
    {
      name: "given with a slash at the end",
      url: () => `${upstream.baseUrl}/`,
      answers: [asListed(["m"])],
      paths: ["/v1/models"],
      tail: "/v1",
    },
  ];
  for (const { name, url, answers, paths, tail } of cases) {
    test(name, async () => {
      upstream.answerWith(...answers);
      const ended = await connect([url(), ...key, "--price", "0/0", "--dry-run", "--json"]);
      assert.equal(ended.code, 0, ended.err);
      assert.deepEqual(
        upstream.calls.map(({ path }) => path),
        paths,
      );
      assert.equal(
        (JSON.parse(ended.out) as { upstream: { baseUrl: string } }).upstream.baseUrl,
        bare() + tail,
      );
      assert.equal(upstream.calls[0]?.headers.authorization, `Bearer ${secret}`);
      assert.ok(!existsSync(file), "a dry run wrote the file");
    });
  }
});

interface Shown {
  readonly models: readonly {
    readonly id: string;
    readonly upstreamModel: string;
    readonly action: string;
    readonly chosen: boolean;
    readonly price: Record<string, string> | null;
    readonly priceSource: string | null;
    readonly priceDate: string | null;
  }[];
  readonly added: readonly string[];
}

test("5,000 models are listed, priced and written", async () => {
  const ids = Array.from({ length: 5_000 }, (_, index) => `org-${index % 7}/model-${index}:latest`);
  upstream.answerWith(asListed(ids));
  const ended = await connect([upstream.baseUrl, ...key, "--price", "0.1/0.2", "--yes", "--json"]);
  assert.equal(ended.code, 0, ended.err);
  const shown = JSON.parse(ended.out) as Shown;
  assert.deepEqual(
    shown.models.map(({ id }) => id),
    ids,
  );
  assert.equal(shown.added.filter((line) => line.startsWith("model ")).length, 5_000);
});

test("hostile names become legal ids, and keep their own name at the upstream", async () => {
  const names = [
    "a b",
    "a-b",
    "a/b:c",
    "模型",
    `\${THE_KEY}`,
    "$x$$",
    '"quo\\te"',
    "\u202eevil",
    "a: b # c",
    "- x",
    "true",
    "tab\there",
    "",
    "x".repeat(300),
    "Ünïcode-1",
  ];
  upstream.answerWith(asListed(names));
  const ended = await connect([upstream.baseUrl, ...key, "--price", "0/0", "--yes", "--json"]);
  assert.equal(ended.code, 0, ended.err);
  const { models } = JSON.parse(ended.out) as Shown;
  const ids = new Map(models.map(({ id, upstreamModel }) => [upstreamModel, id]));
  assert.deepEqual(
    models.filter(({ action }) => action === "leave").map(({ upstreamModel }) => upstreamModel.length),
    ["tab\there".length, 300],
  );
  assert.equal(new Set(ids.values()).size, models.length, "an id is used twice");
  for (const { id } of models) assert.match(id, /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$/);
  assert.equal(ids.get("a-b"), "a-b");
  assert.equal(ids.get("a b"), "a-b-2");
  assert.equal(ids.get("Ünïcode-1"), "Unicode-1");
  // The upstream gets the listed name unchanged: no part of it was read as a variable or as YAML.
  const product = await startProduct({ folder, env: { THE_KEY: secret }, serve: ["--catalog", file] });
  try {
    upstream.answerWith(completion);
    const { key: callersKey } = await product.createKey(await product.createAccount());
    for (const [name, id] of ids) {
      if (name.length === 300 || name.includes("\t")) continue;
      upstream.answerWith(completion);
      const answer = await sendChat(product.origin, callersKey, {
        model: id,
        messages: [{ role: "user", content: "Hi" }],
      });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(upstream.calls[0]?.body["model"], name);
    }
  } finally {
    await product.stop();
  }
});

test("what the list says to be for something else is left out, what it says of sizes is taken", async () => {
  const data = [
    { id: "chat", max_model_len: 4_096 },
    { id: "ears", type: "transcribe" },
    { id: "film", type: "video" },
  ];
  upstream.answerWith({ body: { object: "list", data } });
  const ended = await connect([upstream.baseUrl, ...key, "--models", "all", "--yes"]);
  assert.equal(ended.code, 0, ended.err);
  assert.match(ended.out, /1 excluded: this version of Plaza does not support speech to text yet/);
  assert.match(ended.out, /1 excluded: not a chat model/);
  assert.match(readFileSync(file, "utf8"), /- id: chat #.*\n {4}context: 4096\n/);
  assert.doesNotMatch(readFileSync(file, "utf8"), /ears|film/);
});

const written = `# Ours. Keep this.
upstreams:
  - id: first   # odd   spacing
    provider: demo

# The models
models:
  - id: o3 # the one we have
    price: {input: "9",   output: "9"}
    deployments:
      - upstream: first
        model: demo
        priority: 2
      # more to come
limits: { concurrency: 5 } # last
`;

test("the file keeps its comments and everything else; a model it has gets one more deployment", async () => {
  writeFileSync(file, written);
  upstream.answerWith(asListed(["o3", "gpt-5", "my-own"]));
  const words = [upstream.baseUrl, ...key, "--id", "second", "--prices-of", "openai"];
  const dry = await connect([...words, "--dry-run"]);
  assert.equal(dry.code, 0, dry.err);
  assert.equal(readFileSync(file, "utf8"), written);
  assert.match(dry.out, /gpt-5 +\d+ +\d+ +\S+ +[\d.]+ +[\d.]+ +@[\w-]+\/[\w-]+@[\d.]+, 20\d\d-\d\d-\d\d/);
  assert.match(dry.out, /my-own .*none known: not callable/);

  const ended = await connect([...words, "--yes"]);
  assert.equal(ended.code, 0, ended.err);
  const text = readFileSync(file, "utf8");
  const lines = text.split("\n");
  assert.deepEqual(
    written.split("\n").filter((line) => !lines.includes(line)),
    [],
    "a line of the file was lost or changed",
  );
  assert.match(
    text,
    /priority: 2\n {6}- upstream: second\n {8}model: o3\n {8}priority: 3\n {6}# more to come\n/,
  );
  assert.match(text, /credentials: \["\$\{THE_KEY\}"\]/);
  assert.match(text, /price: \{ input: "1.25", .*\} # .*, 20\d\d-\d\d-\d\d\n/);
  assert.doesNotMatch(text, /my-own/);

  const again = await connect([...words, "--yes", "--json"]);
  assert.equal(again.code, 1, "only the model without a price is left");
  assert.equal(readFileSync(file, "utf8"), text);
});

test("a file with a fault is refused before anything is asked", async () => {
  writeFileSync(file, "upstreams: [\n");
  upstream.answerWith(asListed(["m"]));
  const ended = await connect([upstream.baseUrl, ...key, "--price", "0/0", "--yes"]);
  assert.equal(ended.code, 1);
  assert.match(ended.err, /plaza\.yaml:\d+:\d+ /);
  assert.equal(upstream.calls.length, 0);
});

test("a catalog that came from another file is not removed", async () => {
  writeFileSync(file, written);
  upstream.answerWith(asListed(["m"]));
  const words = [upstream.baseUrl, ...key, "--price", "0/0", "--yes"];
  assert.equal((await connect(words)).code, 0);
  file = join(folder, "another.yaml");
  const ended = await connect(words);
  assert.equal(ended.code, 1);
  assert.match(ended.err, /would remove them.*--catalog/);
  assert.ok(!existsSync(file));
});

test("what the console manages is in nobody's way, and stays", async () => {
  const data = join(folder, "data");
  mkdirSync(data);
  const secretKey = loadOrCreateKeyFile(join(data, "secret.key"));
  const database = { kind: "sqlite", file: join(data, "plaza.sqlite") } as const;
  const store = await openStoreInProcess({ database, secretKey });
  await store.migrate();
  const demo = {
    id: "demo",
    provider: "demo",
    baseUrl: "",
    credentials: [],
    timeouts: defaultTimeouts,
    source: "demo",
  } as const;
  await store.applyCatalog({ upstreams: [demo], models: [], limits: {} });
  await store.createUpstream({
    ...demo,
    id: "console",
    provider: "openai",
    baseUrl: "http://127.0.0.1:9/v1",
  });
  await store.close();
  upstream.answerWith(asListed(["m"]));
  const ended = await connect([upstream.baseUrl, ...key, "--price", "0/0", "--yes"]);
  assert.equal(ended.code, 0, ended.err);
  const again = await openStoreInProcess({ database, secretKey });
  const { upstreams } = await again.showCatalog();
  await again.close();
  assert.deepEqual(
    upstreams.map(({ source }) => source),
    ["file", "console"],
  );
});

test("a completion through the connected model, with a credential that only this installation can read", async () => {
  const product = await startProduct({ folder });
  try {
    upstream.answerWith(asListed(["mine"]));
    const ended = await connectAsProcess(
      [upstream.baseUrl, "--credential", "-", "--price", "1/2", "--yes"],
      `${secret}\n`,
      folder,
    );
    assert.equal(ended.code, 0, ended.err);
    assert.match(readFileSync(file, "utf8"), /credentials: \["?sealed:v1\./);
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      const path = join(folder, name);
      const text = /\.(?:yaml|sqlite|sqlite-wal)$/.test(name) ? readFileSync(path, "latin1") : "";
      assert.ok(!text.includes(secret), `${name} holds the credential in clear`);
    }
    const { key: callersKey } = await product.createKey(await product.createAccount());
    upstream.answerWith(completion);
    let status = 0;
    await eventually(async () => {
      const body = { model: "mine", messages: [{ role: "user", content: "Hi" }] };
      ({ status } = await sendChat(product.origin, callersKey, body));
      return status === 200;
    }, 10_000);
    assert.equal(status, 200, product.logs());
    assert.equal(upstream.calls[0]?.headers.authorization, `Bearer ${secret}`);
    assert.equal(upstream.calls[0]?.body["model"], "mine");
    assert.match(
      (
        await send(product.origin, {
          method: "GET",
          path: "/v1/models",
          headers: { authorization: `Bearer ${callersKey}` },
        })
      ).text,
      /"mine"/,
    );
  } finally {
    await product.stop();
  }
});

test("a literal credential is warned about, and written sealed", async () => {
  upstream.answerWith(asListed(["mine"]));
  const ended = await connect([upstream.baseUrl, "--credential", secret, "--price", "0/0", "--yes"]);
  assert.equal(ended.code, 0, ended.err);
  assert.match(ended.err, /warning: a credential on the command line/);
  assert.ok(!readFileSync(file, "utf8").includes(secret));
});

test("the sealed credential serves the file's next reading, and no other installation", async () => {
  upstream.answerWith(asListed(["mine"]));
  await connect([upstream.baseUrl, "--credential", "-", "--price", "0/0", "--yes"], secret);
  const script = `${rootFolder}server/bin/plaza.mjs`;
  const apply = async (data: string): Promise<Ended> => {
    const running = startProcess(nodeBinary, [script, "apply", file, "--data", join(folder, data)]);
    return { code: await running.ended, out: running.stdout(), err: running.stderr() };
  };
  const same = await apply("data");
  assert.equal(same.code, 0, same.err);
  assert.equal(same.out, "no change\n");
  const other = await apply("other");
  assert.equal(other.code, 1);
  assert.match(other.err, /sealed credential cannot be opened here: sealed with another key/);
  // Editing the file must not send the credential to another host.
  writeFileSync(file, readFileSync(file, "utf8").replace(/baseUrl: .*/, "baseUrl: http://127.0.0.2:1/v1"));
  const moved = await apply("data");
  assert.equal(moved.code, 1);
  assert.match(moved.err, /damaged or was moved/);
});

test("an upstream without a list is connected by names", async () => {
  upstream.answerWith({ status: 404, body: {} });
  const ended = await connect([upstream.baseUrl, ...key, "--models", "a,b", "--price", "0/0", "--yes"]);
  assert.equal(ended.code, 0, ended.err);
  assert.match(ended.out, /\+ model a\n\+ model b\n/);
});

test("names the upstream does not list are refused", async () => {
  upstream.answerWith(asListed(["gpt-5"]));
  const ended = await connect([upstream.baseUrl, ...key, "--models", "gtp-5", "--yes"]);
  assert.equal(ended.code, 1);
  assert.match(ended.err, /lists no model "gtp-5"; did you mean "gpt-5"\?/);
});

describe("other protocols list in their own way", () => {
  const page = (ids: readonly string[], more: object) => ({
    body: { data: ids.map((id) => ({ type: "model", id, display_name: id.toUpperCase() })), ...more },
  });

  test("Anthropic, page by page", async () => {
    upstream.answerWith(
      page(["claude-a", "claude-b"], { has_more: true, last_id: "claude-b" }),
      page(["claude-c"], { has_more: false, last_id: "claude-c" }),
    );
    const words = [
      upstream.baseUrl,
      "--provider",
      "anthropic",
      ...key,
      "--price",
      "0/0",
      "--dry-run",
      "--json",
    ];
    const ended = await connect(words);
    assert.equal(ended.code, 0, ended.err);
    assert.deepEqual(
      upstream.calls.map(({ path }) => path),
      ["/v1/models?limit=1000", "/v1/models?limit=1000&after_id=claude-b"],
    );
    assert.equal(upstream.calls[0]?.headers["x-api-key"], secret);
    assert.deepEqual(
      (JSON.parse(ended.out) as Shown).models.map(({ id }) => id),
      ["claude-a", "claude-b", "claude-c"],
    );
  });

  test("an upstream that sends the same page for ever comes to an end", async () => {
    upstream.answerWith(page(["claude-a"], { has_more: true, last_id: "claude-a" }));
    const words = [upstream.baseUrl, "--provider", "anthropic", ...key, "--price", "0/0", "--dry-run"];
    assert.equal((await connect(words)).code, 0);
    assert.equal(upstream.calls.length, 2);
  });

  test("Claude on Vertex: the service account's key is exchanged, and the token asks for the list", async () => {
    const asked: URLSearchParams[] = [];
    const issuer = createServer((request, response) => {
      let form = "";
      request.setEncoding("utf8").on("data", (part: string) => {
        form += part;
      });
      request.on("end", () => {
        asked.push(new URLSearchParams(form));
        response.writeHead(asked.length === 1 ? 400 : 200, { "content-type": "application/json" });
        response.end(JSON.stringify({ access_token: "ya29.token", expires_in: 3_599, token_type: "Bearer" }));
      });
    });
    await new Promise<void>((resolve) => issuer.listen(0, "127.0.0.1", resolve));
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const account = JSON.stringify({
      type: "service_account",
      client_email: "robot@p.iam.gserviceaccount.com",
      private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    });
    const words = [
      "vertex-anthropic",
      "--base-url",
      `${upstream.baseUrl}/projects/p/locations/global/publishers/anthropic`,
      "--option",
      `tokenUri=http://127.0.0.1:${(issuer.address() as AddressInfo).port}/token`,
      "--credential",
      "-",
      "--price",
      "3/15",
      "--yes",
    ];
    try {
      upstream.answerWith({ status: 500, body: {} });
      const refused = await connect(words, account);
      assert.equal(refused.code, 1);
      assert.match(refused.err, /did not issue a token for the credential \(400\); nothing was saved/);
      assert.equal(upstream.calls.length, 0, "a key is shown to nobody but the issuer");
      upstream.answerWith({ status: 403, body: { error: { code: 403, status: "PERMISSION_DENIED" } } });
      const unlisted = await connect(words, account);
      assert.match(unlisted.err, /does not list its models: name them with --models/);
      const name = "publishers/anthropic/models/claude-sonnet-4-5";
      upstream.answerWith({ body: { publisherModels: [{ name, versionId: "20250929" }] } });
      const ended = await connect(words, account);
      assert.equal(ended.code, 0, ended.err);
      assert.match(ended.out, /\+ model claude-sonnet-4-5@20250929\n/);
      assert.match(readFileSync(file, "utf8"), /provider: vertex-anthropic/);
      const call = upstream.calls.at(-1);
      assert.equal(call?.path, "/v1beta1/publishers/anthropic/models?pageSize=1000");
      assert.equal(call?.headers["authorization"], "Bearer ya29.token");
      assert.equal(asked.at(-1)?.get("grant_type"), "urn:ietf:params:oauth:grant-type:jwt-bearer");
    } finally {
      issuer.close();
    }
  });

  test("Gemini, and its way to refuse a key", async () => {
    const models = [
      {
        name: "models/gemini-x",
        displayName: "Gemini X",
        inputTokenLimit: 10,
        supportedGenerationMethods: ["generateContent"],
      },
      { name: "models/embedder", supportedGenerationMethods: ["embedContent"] },
    ];
    const words = [
      upstream.baseUrl.replace("/v1", "/v1beta"),
      "--provider",
      "gemini",
      ...key,
      "--price",
      "0/0",
      "--yes",
    ];
    const reason = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" };
    upstream.answerWith({
      status: 400,
      body: {
        error: { code: 400, message: "API key not valid.", status: "INVALID_ARGUMENT", details: [reason] },
      },
    });
    const refused = await connect(words);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /rejects the credential \(400\)/);
    upstream.answerWith({ body: { models } });
    const ended = await connect(words);
    assert.equal(ended.code, 0, ended.err);
    assert.equal(upstream.calls[0]?.path, "/v1beta/models?pageSize=1000");
    assert.equal(upstream.calls[0]?.headers["x-goog-api-key"], secret);
    assert.match(ended.out, /\+ model gemini-x\n/);
    assert.match(readFileSync(file, "utf8"), /- id: embedder\n {4}operations: \[embeddings\]\n/);
  });

  test("deployments of Azure's are named by hand; a key is checked all the same", async () => {
    const words = [
      upstream.baseUrl,
      "--provider",
      "azure",
      ...key,
      "--models",
      "my-gpt",
      "--price",
      "1/2",
      "--yes",
    ];
    upstream.answerWith({ status: 401, body: { error: { code: "401", message: "Access denied" } } });
    assert.match((await connect(words)).err, /rejects the credential \(401\)/);
    assert.ok(!existsSync(file));
    upstream.answerWith(asListed([]));
    assert.equal((await connect(words)).code, 0);
    assert.match(readFileSync(file, "utf8"), /provider: azure/);
  });
});

test("what a first start finds in the environment is offered, by name, and not connected", async () => {
  const product = await startProduct({ folder, env: { OPENAI_API_KEY: secret, GEMINI_API_KEY: secret } });
  try {
    const shown = product.running.stdout();
    assert.match(shown, /npx plaza connect openai --credential-env OPENAI_API_KEY --data \S+ +# OpenAI\n/);
    assert.match(shown, /npx plaza connect google --credential-env GEMINI_API_KEY /);
    assert.ok(!shown.includes(secret));
    const headers = { authorization: `Bearer ${product.firstKey}` };
    const { text } = await send(product.origin, { method: "GET", path: "/v1/models", headers });
    const ids = (JSON.parse(text) as { data: { id: string }[] }).data.map(({ id }) => id);
    assert.equal(ids[0], "demo");
    assert.deepEqual(
      ids.filter((id) => !/^demo(?:-|$)/.test(id)),
      [],
    );
  } finally {
    await product.stop();
  }
});

test("the sealing key is exchanged under a running server, which goes on with the new one", async () => {
  const product = await startProduct({ folder });
  try {
    upstream.answerWith(asListed(["mine", "other"]));
    const words = [upstream.baseUrl, "--credential", "-", "--price", "1/2", "--yes"];
    assert.equal((await connect([...words, "--models", "mine"], secret, folder)).code, 0);
    const before = readFileSync(file, "utf8");
    const keyBefore = readFileSync(join(folder, "secret.key"));
    const rotated = (await product.json(["secret", "rotate", "--catalog", file])) as { credentials: number };
    assert.equal(rotated.credentials, 1);
    assert.notDeepEqual(readFileSync(join(folder, "secret.key")), keyBefore);
    assert.notEqual(readFileSync(file, "utf8"), before);
    // The server must decrypt a credential that was encrypted with a key it lacked at start.
    assert.equal((await connectAsProcess([...words, "--models", "other"], secret, folder)).code, 0);
    const { key: callersKey } = await product.createKey(await product.createAccount());
    upstream.answerWith(completion);
    let status = 0;
    await eventually(async () => {
      const body = { model: "other", messages: [{ role: "user", content: "Hi" }] };
      ({ status } = await sendChat(product.origin, callersKey, body));
      return status === 200;
    }, 10_000);
    assert.equal(status, 200, product.logs());
    assert.equal(upstream.calls.at(-1)?.headers.authorization, `Bearer ${secret}`);
    assert.doesNotMatch(product.logs(), /change_not_applied|sealed with another key/);
  } finally {
    await product.stop();
  }
});
