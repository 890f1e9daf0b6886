import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import type { Config } from "../config/config.ts";
import { lookAround } from "./connect-offers.ts";

const servers: Server[] = [];
after(() => {
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
});

async function localServer(id: string, listener: RequestListener) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { id, name: id, baseUrl: `http://127.0.0.1:${port}/v1`, port };
}

const config: Pick<Config, "dataDir" | "database" | "port"> = {
  dataDir: "./data",
  database: { kind: "sqlite", file: "./data/plaza.sqlite" },
  port: 8080,
};
const list = JSON.stringify({ object: "list", data: [{ id: "a" }, { id: "b" }] });

test("keys in the environment are offered by the names of their variables, never by their values", () => {
  const env = {
    OPENAI_API_KEY: "sk-secret",
    GOOGLE_API_KEY: "g-secret",
    GROQ_API_KEY: " ",
    CO_API_KEY: "c-secret",
  };
  const { found } = lookAround({ config, env, servers: [] });
  const commands = found().map(({ command }) => command);
  assert.deepEqual(commands.sort(), [
    "npx plaza connect cohere --credential-env CO_API_KEY",
    "npx plaza connect google --credential-env GOOGLE_API_KEY",
    "npx plaza connect openai --credential-env OPENAI_API_KEY",
  ]);
  assert.ok(!JSON.stringify(found()).includes("secret"));
});

test("servers on this machine are offered when they list models, and are sent no credential", async () => {
  const asked: (string | undefined)[] = [];
  const good = await localServer("ollama", (request, response) => {
    asked.push(request.url, request.headers.authorization);
    response.end(list);
  });
  const others = await Promise.all([
    localServer("page", (_, response) => response.end("<html>")),
    localServer("locked", (_, response) => response.writeHead(401).end(list)),
    localServer("empty", (_, response) => response.end('{"object":"list","data":null}')),
    localServer("moved", (_, response) => response.writeHead(302, { location: good.baseUrl }).end(list)),
    localServer("large", (_, response) => response.end("x".repeat(2 * 1024 ** 2))),
  ]);
  const ours = await localServer("llamacpp", (_, response) => response.end(list));
  const looking = lookAround({
    config: { ...config, port: ours.port },
    env: {},
    servers: [good, ...others, ours],
    timeoutMs: 10_000,
  });
  await looking.isDone;
  assert.deepEqual(looking.found(), [
    {
      command: "npx plaza connect ollama --price 0/0",
      note: "ollama on this machine, 2 models, free of charge",
    },
  ]);
  assert.deepEqual(asked, ["/v1/models", undefined]);
});

test("where there is nothing, it is said how to connect something", () => {
  const { found } = lookAround({ config, env: {}, servers: [] });
  assert.deepEqual(
    found().map(({ command }) => command),
    ["npx plaza connect openai"],
  );
});

test("nobody waits for servers that do not answer: what is known is told at once, and they are given up", async () => {
  const sockets: string[] = [];
  const silent = await localServer("vllm", (request) => sockets.push(request.url ?? ""));
  const closed = { id: "sglang", name: "sglang", baseUrl: "http://127.0.0.1:1/v1" };
  const looking = lookAround({
    config,
    env: { OPENAI_API_KEY: "x" },
    servers: [silent, closed],
    timeoutMs: 50,
  });
  // Nothing was awaited before this line, as in a real start.
  assert.equal(looking.found().length, 1);
  await looking.isDone;
  assert.equal(looking.found().length, 1);
});

test("the commands work on the data this start works on", () => {
  const commandWith = (change: Partial<typeof config>): string =>
    lookAround({ config: { ...config, ...change }, env: { OPENAI_API_KEY: "x" }, servers: [] }).found()[0]
      ?.command ?? "";
  const tail = (change: Partial<typeof config>) => commandWith(change).replace(/.*OPENAI_API_KEY/, "");
  assert.equal(tail({}), "");
  const fallback = { dataDir: "/var/my data" };
  assert.equal(
    tail({ ...fallback, database: { kind: "sqlite", file: "/var/my data/plaza.sqlite" } }),
    ' --data "/var/my data"',
  );
  assert.equal(tail({ database: { kind: "sqlite", file: "/x.sqlite" } }), " --database sqlite:/x.sqlite");
  const url = "postgres://me:secret@db/plaza";
  assert.ok(!commandWith({ database: { kind: "postgres", url } }).includes("secret"));
});
