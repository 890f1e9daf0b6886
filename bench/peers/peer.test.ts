/** Starting a gateway of a peer file: real processes that answer, refuse, fail, or never listen. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { processTree } from "../measure/process-stat.ts";
import { jsonModel } from "../rig.ts";
import { createUpstream } from "../upstream.ts";
import { type PeerPlace, peerStarter, startPeer } from "./peer.ts";
import { type PeerFile, parsePeerFile } from "./peer-file.ts";

const skip = process.platform !== "linux";
const folder = mkdtempSync(join(tmpdir(), "bench-peer-"));
const upstream = createUpstream();
let place: PeerPlace;

before(async () => {
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const address = upstream.address();
  const upstreamPort = address !== null && typeof address === "object" ? address.port : 0;
  place = {
    folder,
    cores: { gateway: [], load: [], all: [] },
    upstreamPort,
    model: jsonModel,
    install: () => Promise.reject(new Error("the registry has no such package (E404)")),
    wrongAnswerMsMax: 200,
  };
});
after(() => {
  upstream.close();
  rmSync(folder, { recursive: true });
});

/** A gateway in a few lines: passes requests on with the model `bench-json`, unless `answer` does it. */
function script(answer: string): string {
  return `const http = require("node:http");
    const [upstreamPort, port, key] = process.argv.slice(1);
    const pass = (body, reply) => {
      const call = http.request({ port: upstreamPort, path: "/v1/chat/completions", method: "POST",
        headers: { "content-length": body.length } }, (answer) => {
          reply.writeHead(answer.statusCode, answer.headers); answer.pipe(reply); });
      call.end(body);
    };
    http.createServer((request, reply) => {
      let body = ""; request.on("data", (part) => { body += part; });
      request.on("end", () => { ${answer} });
    }).listen(Number(port), "127.0.0.1");`;
}

const relays = `pass(body.replace("mine/", ""), reply);`;

function peer(answer: string, more: object = {}) {
  const command = ["{node}", "-e", script(answer), "{upstreamPort}", "{port}", "{key}"];
  const switches = { auth: "off", limits: "off", ledger: "off" };
  return parsePeerFile(
    JSON.stringify({ name: "small", command, switches, startSeconds: 10, ...more }),
    folder,
  );
}

test("a gateway starts with its own model name, headers and files, and nothing of it stays", {
  skip,
}, async () => {
  const answer = `const text = require("node:fs").readFileSync("gateway.conf", "utf8");
    const isRight = request.headers["x-tenant"] === "bench" && body.includes('"mine/bench-json"') &&
      request.headers.authorization === "Bearer sk-mine" && text === "to " + upstreamPort;
    if (isRight) pass(body.replace("mine/", ""), reply); else { reply.writeHead(400); reply.end(text); }`;
  const file = peer(answer, {
    model: "mine/{model}",
    key: "sk-mine",
    headers: { "x-tenant": "bench" },
    files: { "gateway.conf": "to {upstreamPort}" },
  });
  const gateway = await startPeer(file, place, undefined);
  assert.equal(gateway.name, "peer small");
  assert.equal(gateway.endedWith?.(), undefined);
  await gateway.stop();
  assert.deepEqual(processTree(gateway.pid), []);
  assert.deepEqual(readdirSync(folder), []);
});

/** True once the process is gone; one that nobody waits for has no program left. */
async function hasGone(pid: number): Promise<boolean> {
  for (let polls = 0; polls < 100 && existsSync(`/proc/${pid}/exe`); polls++) await sleep(20);
  return !existsSync(`/proc/${pid}/exe`);
}

for (const [when, parentEnds] of [
  ["when it is stopped", false],
  ["after it has died", true],
] as const) {
  test(`workers that outlive their parent are stopped, ${when}`, { skip }, async () => {
    const worker = `"{node}" -e '${script(relays).replaceAll("'", "")}' {upstreamPort} {port} & wait`;
    const gateway = await startPeer({ ...peer(relays), command: ["sh", "-c", worker] }, place, undefined);
    const tree = processTree(gateway.pid);
    try {
      assert.ok(tree.length > 1);
      if (parentEnds) process.kill(gateway.pid, "SIGKILL");
      while (parentEnds && gateway.endedWith?.() === undefined) await sleep(20);
      await gateway.stop();
      for (const pid of tree) assert.ok(await hasGone(pid), `${pid} runs on`);
    } finally {
      for (const pid of tree.filter((one) => existsSync(`/proc/${one}/exe`))) process.kill(pid, "SIGKILL");
    }
  });
}

test("keys in the environment of the benchmark are not passed on", { skip }, async () => {
  process.env["BENCH_TEST_SECRET"] = "sk-of-a-real-provider";
  const answer = `if (process.env.BENCH_TEST_SECRET === undefined && process.env.MINE === upstreamPort &&
    process.env.HOME === process.cwd()) ${relays} else { reply.writeHead(500); reply.end(""); }`;
  const file = peer(answer, { env: { MINE: "{upstreamPort}" } });
  try {
    await (await startPeer(file, place, undefined)).stop();
  } finally {
    delete process.env["BENCH_TEST_SECRET"];
  }
});

/** A gateway that starts all the same is stopped, so that the test ends. */
function failsToStart(file: PeerFile, told: RegExp): Promise<void> {
  const starting = startPeer(file, place, undefined).then(async (gateway) => await gateway.stop());
  return assert.rejects(starting, told);
}

const failures: readonly (readonly [string, string, object, RegExp])[] = [
  ["answers 500", `reply.writeHead(500); reply.end("no upstream");`, {}, /answered 500: no upstream/],
  ["answers 200 with something else", `reply.end("{}");`, {}, /answered 200: \{\}/],
  [
    "dies at the first request",
    `console.error("out of luck"); process.exit(7);`,
    {},
    /ended while starting \(exit code 7\):[\s\S]*out of luck/,
  ],
  [
    "serves any key",
    relays,
    { switches: { auth: "on (keys)", limits: "off", ledger: "off" } },
    /it serves a wrong key/,
  ],
];
for (const [what, answer, more, told] of failures) {
  test(`a gateway that ${what} does not count as started, and is told with the reason`, {
    skip,
  }, async () => {
    await failsToStart(peer(answer, more), told);
  });
}

test("a gateway that refuses wrong keys may say so", { skip }, async () => {
  const answer = `if (request.headers["x-api-key"] === key) ${relays} else { reply.writeHead(401); reply.end("{}"); }`;
  const switches = { auth: "on (keys)", limits: "off", ledger: "off" };
  const file = peer(answer, { switches, key: "sk-right", headers: { "x-api-key": "{key}" } });
  await (await startPeer(file, place, undefined)).stop();
});

test("a program that is not there, one that never listens, and a port in use are told", {
  skip,
}, async () => {
  const absent = { ...peer(relays), command: ["/nowhere/gateway"] as const };
  await failsToStart(absent, /ended while starting[\s\S]*ENOENT/);
  const silent = { ...peer(relays, { startSeconds: 1 }), command: ["sleep", "60"] as const };
  await failsToStart(silent, /did not listen on its port in 1 s/);
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  await failsToStart(peer(relays, { port }), new RegExp(`port ${port} is in use`));
  server.close();
});

test("a gateway that cannot be installed is told with the registry's reason", { skip }, async () => {
  const start = peerStarter(peer(relays, { install: { npm: "no-such-gateway@1.0.0" } }), place);
  await assert.rejects(start(), /the registry has no such package \(E404\)/);
});

test("a process that ended later says with which last words", { skip }, async () => {
  const answer = `${relays} setTimeout(() => { console.error("heap out of memory"); process.exit(1); }, 300);`;
  const gateway = await startPeer(peer(answer), place, undefined);
  while (gateway.endedWith?.() === undefined) await sleep(20);
  assert.match(
    gateway.endedWith?.() ?? "",
    /its process has ended \(exit code 1\):[\s\S]*heap out of memory/,
  );
  await gateway.stop();
});
