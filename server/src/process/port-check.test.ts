import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { requireFreePort } from "./port-check.ts";

async function taken(host: string) {
  const server = createServer().listen(0, host);
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port };
}

test("a port that is listened on is refused, also behind the other name of the same address", async () => {
  const { server, port } = await taken("127.0.0.1");
  for (const host of ["127.0.0.1", "0.0.0.0", "localhost"])
    await assert.rejects(requireFreePort({ host, port }), { code: "EADDRINUSE" });
  server.close();
  await once(server, "close");
  await requireFreePort({ host: "127.0.0.1", port });
  await requireFreePort({ host: "0.0.0.0", port });
  const after = createServer().listen(port, "127.0.0.1");
  await once(after, "listening");
  after.close();
});

test("an address of no interface, and a name of no host", async () => {
  await assert.rejects(requireFreePort({ host: "192.0.2.1", port: 8_080 }), { code: "EADDRNOTAVAIL" });
  await assert.rejects(requireFreePort({ host: "nobody.invalid", port: 8_080 }), /nobody\.invalid/);
  await requireFreePort({ host: "127.0.0.1", port: 0 });
});

/** Connects continuously from a thread of its own. This thread could not connect during the check. */
const caller = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { connect } = require("node:net");
  const ends = new Set();
  let isOver = false;
  parentPort.once("message", () => { isOver = true; });
  const call = () => {
    if (isOver) return parentPort.postMessage([...ends]);
    const socket = connect(workerData, "127.0.0.1");
    const end = (how) => { ends.add(how); socket.destroy(); setImmediate(call); };
    socket.once("error", (error) => end(error.code));
    socket.once("connect", () => end("taken"));
  };
  call();
  parentPort.postMessage("calling");
`;

test("while it looks a caller is refused, never taken and reset", async () => {
  // Outside the range of ephemeral ports, from which the caller's own connection could get the same port.
  const port = 20_000 + (process.pid % 10_000);
  const thread = new Worker(caller, { eval: true, workerData: port });
  await once(thread, "message");
  for (let look = 0; look < 1_000; look += 1) await requireFreePort({ host: "127.0.0.1", port });
  thread.postMessage("over");
  const [ends] = await once(thread, "message");
  await thread.terminate();
  assert.deepEqual(ends, ["ECONNREFUSED"]);
});
