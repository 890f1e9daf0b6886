/**
 * Bodies sent to `/api`: refused while they arrive, aborted when they stall, and not logged as errors when
 * the client disconnects.
 */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { sendRaw } from "../../rigs/harness/raw-client.ts";
import { modelOn, startApp, type TestApp, upstreamAt } from "../harness/app-in-process.ts";

const catalog = {
  upstreams: [upstreamAt("up", "http://127.0.0.1:9/v1")],
  models: [modelOn("m", ["up"])],
  limits: {},
};
const operatorToken = "operator-token-0123456789";
const env = { PLAZA_BODY_STALL_MS: "1s", PLAZA_OPERATOR_TOKEN: operatorToken };

const portOf = (app: TestApp): number => Number(new URL(app.origin).port);

function headOf(method: string, path: string, lines: readonly string[]): Buffer {
  const all = [`${method} ${path} HTTP/1.1`, "Host: plaza", "Content-Type: application/json", ...lines];
  return Buffer.from(`${all.join("\r\n")}\r\n\r\n`);
}

/** The start of a body, with this framing. */
const begun = (framing: string): Buffer =>
  Buffer.from(framing.includes("chunked") ? "4\r\n{  \n\r\n" : "{  \n");

/** Bytes of bodies held, from the process's metrics. */
async function heldBytes(app: TestApp): Promise<number> {
  const text = await metricsOf(app);
  return Number(/^plaza_bodies_bytes(?:\{[^}]*\})? (\d+)$/m.exec(text)?.[1]);
}

async function metricsOf(app: TestApp): Promise<string> {
  const response = await fetch(`${app.origin}/metrics`, {
    headers: { authorization: `Bearer ${operatorToken}` },
  });
  return await response.text();
}

/** Sends the start of a request; resolves with all received bytes when the connection closes. */
function begin(app: TestApp, bytes: Buffer): { socket: Socket; closed: Promise<string> } {
  const socket = connect(portOf(app), "127.0.0.1");
  let seen = "";
  socket.on("data", (more) => {
    seen += more.toString("latin1");
  });
  socket.on("error", () => {});
  socket.write(bytes);
  return { socket, closed: new Promise((resolve) => socket.on("close", () => resolve(seen))) };
}

const operator = `Authorization: Bearer ${operatorToken}`;

test("bodies under way are refused as soon as they are too deep, too many or too long", async (context) => {
  const app = await startApp({ catalog, env });
  context.after(() => app.stop());
  // None of these bodies ends, so the refusal can only be caused by the part that arrived.
  const cases: [string, string, string, string][] = [
    ["/api/session", "", "[".repeat(100), "nested deeper than 64 levels"],
    ["/api/session", "", `[${"0,".repeat(3_000)}`, "contains more than 2048 values"],
    ["/api/session", "", `{"email":"${"a".repeat(17_000)}`, "must have at most 16384 bytes"],
    ["/api/links/nothing", "", `{"email":"${"a".repeat(17_000)}`, "must have at most 16384 bytes"],
    ["/api/session", "", '{"email":}', "not valid JSON"],
    ["/api/operator/models", operator, `{"id":"${"a".repeat(600_000)}`, "must have at most 524288 bytes"],
  ];
  for (const [path, line, body, told] of cases) {
    const chunk = `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`;
    const head = headOf("POST", path, ["Transfer-Encoding: chunked", ...(line === "" ? [] : [line])]);
    const bytes = Buffer.concat([head, Buffer.from(chunk)]);
    const seen = await sendRaw({ port: portOf(app), pieces: [{ bytes, afterMs: 0 }], answersMax: 1 });
    const [answer] = seen.answers;
    assert.match(answer?.body.toString() ?? "no answer", new RegExp(told), `${path} ${told}`);
    assert.match(String(answer?.status), /^4(?:00|13)$/);
  }
});

test("bodies that stop are answered 408 and cut, and what was held for them is free again", async (context) => {
  const app = await startApp({ catalog, env });
  context.after(() => app.stop());
  const framings = ["Content-Length: 5000", "Transfer-Encoding: chunked"];
  const calls = Array.from({ length: 40 }, (_, index) => {
    const line = framings[index % 2] as string;
    return begin(app, Buffer.concat([headOf("POST", "/api/session", [line]), begun(line)])).closed;
  });
  for (const seen of await Promise.all(calls)) assert.match(seen, /^HTTP\/1\.1 408 .*"request_timeout"/s);
  assert.equal(await heldBytes(app), 0);
});

test("a body nobody asked for does not keep its connection", async (context) => {
  const app = await startApp({ catalog, env });
  context.after(() => app.stop());
  const cases = [
    ["DELETE", "/api/session", 401],
    ["POST", "/api/nothing", 404],
    ["OPTIONS", "/api/session", 405],
    ["POST", "/api/upstreams", 405],
    ["GET", "/api/session", 400],
    ["PATCH", "/api/profile", 401],
  ] as const;
  const closed = async ([method, path, status]: (typeof cases)[number]): Promise<void> => {
    const head = headOf(method, path, ["Content-Length: 5000"]);
    const seen = await begin(app, Buffer.concat([head, Buffer.from("{")])).closed;
    assert.match(seen, new RegExp(`^HTTP/1\\.1 ${status} `), `${method} ${path}`);
  };
  await Promise.all(cases.map(closed));
});

test("a body that drips is cut as well, however regularly it does", async (context) => {
  const app = await startApp({ catalog, env });
  context.after(() => app.stop());
  const { socket, closed } = begin(app, headOf("POST", "/api/session", ["Content-Length: 5000"]));
  socket.write("{");
  const drip = setInterval(() => socket.write(" "), 200);
  context.after(() => clearInterval(drip));
  assert.match(await closed, /^HTTP\/1\.1 408 .*"request_timeout"/s);
});

test("a caller that leaves in the middle of a body is no fault of ours, at /api and at /v1", async (context) => {
  const app = await startApp({ catalog, env });
  context.after(() => app.stop());
  const { key, accountId } = await app.newAccount("5");
  for (const [path, line] of [
    ["/api/session", "X-Nothing: x"],
    ["/api/operator/models", operator],
    ["/v1/chat/completions", `Authorization: Bearer ${key}`],
  ] as const) {
    for (const framing of ["Content-Length: 5000", "Transfer-Encoding: chunked"]) {
      for (const end of ["destroy", "resetAndDestroy"] as const) {
        const bytes = Buffer.concat([headOf("POST", path, [framing, line]), begun(framing)]);
        const { socket, closed } = begin(app, bytes);
        assert.ok(await eventually(async () => (await heldBytes(app)) > 0, 5_000, 2), "it has begun");
        socket[end]();
        await closed;
      }
    }
  }
  assert.ok(await eventually(async () => (await heldBytes(app)) === 0, 5_000), "it is over");
  await eventually(async () => (await app.store.listRequests({ accountId, limit: 100 })).length === 4, 5_000);
  const rows = await app.store.listRequests({ accountId, limit: 100 });
  assert.deepEqual(
    rows.map(({ state, status }) => [state, status]),
    Array.from({ length: 4 }, () => ["aborted", 499]),
  );
  assert.doesNotMatch(await metricsOf(app), /internal_error/);
  assert.deepEqual(
    app.log.filter((line) => line.includes("internal_error")),
    [],
  );
});
