/**
 * `Expect: 100-continue`: a client that sends it gets "continue" only when its body will be read. A call
 * refused by its headers gets the refusal instead, and no body is uploaded.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, type TestContext, test } from "node:test";
import { createApiKey } from "../../../server/src/domain/keys/api-key.ts";
import { modelOn, startApp, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { completion } from "../harness/openai-shapes.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

let upstream: ScriptedUpstream;
let app: TestApp;
let key = "";
const wrongKey = createApiKey((bytes) => Buffer.alloc(bytes, 9)).secret;
const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] });
const bodyBytesMax = 20 * 1024 * 1024;

before(async () => {
  upstream = await startScriptedUpstream();
  upstream.answerWith({ body: completion({ message: { content: "one" } }) });
  const catalog = {
    upstreams: [upstreamAt("a", upstream.baseUrl)],
    models: [modelOn("m", ["a"])],
    limits: {},
  };
  app = await startApp({ catalog });
  key = (await app.newAccount("10")).key;
});
after(async () => {
  await app?.stop();
  await upstream?.stop();
});

interface Line {
  readonly socket: Socket;
  /** All bytes since the last call, once they match: a response head, or `until`. */
  next(until?: RegExp): Promise<string>;
}

async function open(context: TestContext): Promise<Line> {
  const socket = connect({ port: Number(new URL(app.origin).port), host: "127.0.0.1" });
  context.after(() => socket.destroy());
  await once(socket, "connect");
  let seen = "";
  socket.setEncoding("latin1").on("data", (more: string) => {
    seen += more;
  });
  socket.on("error", () => {});
  return {
    socket,
    async next(until = /\r\n\r\n/) {
      while (!until.test(seen)) await once(socket, "data");
      const found = seen;
      seen = "";
      return found;
    },
  };
}

interface Asked {
  readonly path?: string;
  readonly key?: string;
  readonly bytes?: number;
  readonly type?: string;
}

const headOf = ({ path = "/v1/chat/completions", key: given, bytes = body.length, type }: Asked): string =>
  [
    `POST ${path} HTTP/1.1`,
    "host: plaza.test",
    `content-type: ${type ?? "application/json"}`,
    `content-length: ${bytes}`,
    ...(given === undefined ? [] : [`authorization: Bearer ${given}`]),
    "expect: 100-continue",
    "\r\n",
  ].join("\r\n");

const wholeError = /\r\n\r\n\{"error":\{.*\}\}$/;

const refused: readonly [name: string, asked: () => Asked, status: number][] = [
  ["a wrong key", () => ({ key: wrongKey, bytes: bodyBytesMax }), 401],
  ["no key", () => ({ bytes: bodyBytesMax }), 401],
  ["a body that is too large", () => ({ key, bytes: 10 ** 10 }), 413],
  ["a body of another type", () => ({ key, type: "text/html" }), 415],
  ["a path that is not there", () => ({ key, path: "/v1/nothing" }), 404],
  ["a body too large for the console's API", () => ({ path: "/api/session", bytes: 10 ** 8 }), 413],
];

describe("a caller that waits to be told to send its body", { timeout: 30_000 }, () => {
  for (const [name, asked, status] of refused) {
    test(`is refused at once for ${name}: ${status}, and nothing else`, async (context) => {
      const { socket, next } = await open(context);
      socket.write(headOf(asked()));
      const answer = await next(wholeError);
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
      // The client's next bytes could be its body or another request.
      assert.match(answer, /\r\nconnection: close\r\n/i);
    });
  }

  test("is told to, and answered, where its body is wanted; the connection stays", async (context) => {
    const { socket, next } = await open(context);
    for (let turn = 0; turn < 2; turn += 1) {
      socket.write(headOf({ key }));
      assert.equal(await next(), "HTTP/1.1 100 Continue\r\n\r\n");
      socket.write(body);
      const answer = await next();
      assert.match(answer, /^HTTP\/1\.1 200 /);
      assert.doesNotMatch(answer, /\r\nconnection: close\r\n/i);
    }
  });

  test("at the console's API, too", async (context) => {
    const { socket, next } = await open(context);
    const asked = JSON.stringify({ email: "nobody@plaza.test", password: "not a password" });
    socket.write(headOf({ path: "/api/session", bytes: asked.length }));
    assert.equal(await next(), "HTTP/1.1 100 Continue\r\n\r\n");
    socket.write(asked);
    assert.match(await next(), /^HTTP\/1\.1 4\d\d /);
  });

  test("and does not wait gets its refusal whole all the same", async (context) => {
    const { socket, next } = await open(context);
    socket.write(headOf({ key: wrongKey, bytes: 1_000_000 }));
    socket.write(Buffer.alloc(1_000_000, "x"));
    assert.match(await next(wholeError), /^HTTP\/1\.1 401 /);
  });
});

const hasCurl = spawnSync("curl", ["--version"]).status === 0;

describe("curl with a body of megabytes", { skip: hasCurl ? false : "there is no curl here" }, () => {
  let folder = "";
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "plaza-expect-"));
    const content = "x ".repeat(4 * 1024 * 1024);
    writeFileSync(
      join(folder, "body.json"),
      JSON.stringify({ model: "m", messages: [{ role: "user", content }] }),
    );
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Status and uploaded bytes. curl sends `Expect` itself, and waits up to ten seconds for a response. */
  async function curl(given: string): Promise<readonly number[]> {
    const words = ["-sS", "-o", join(folder, "answer"), "-w", "%{http_code} %{size_upload}", "-m", "20"];
    const sent = ["-H", "Content-Type: application/json", "--data-binary", `@${join(folder, "body.json")}`];
    const expecting = ["--expect100-timeout", "10", "-H", `Authorization: Bearer ${given}`];
    const child = spawn("curl", [...words, ...sent, ...expecting, app.chatUrl], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    return (await text(child.stdout)).split(" ").map(Number);
  }

  test("uploads nothing of it with a wrong key", { timeout: 30_000 }, async () => {
    assert.deepEqual(await curl(wrongKey), [401, 0]);
  });

  test("uploads it with a good one", { timeout: 30_000 }, async () => {
    const [status, uploaded = 0] = await curl(key);
    assert.ok(uploaded > 8 * 1024 * 1024, String(uploaded));
    // The body was received and read; other tests check the model's limits.
    assert.ok(status === 200 || status === 400 || status === 402, String(status));
  });
});
