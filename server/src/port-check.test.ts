import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { test } from "node:test";
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

test("while it looks a caller is refused, never reset", async () => {
  const { server, port } = await taken("127.0.0.1");
  server.close();
  await once(server, "close");
  const ends = new Set<string>();
  let isOver = false;
  const calling = (async () => {
    while (!isOver) {
      const socket = connect(port, "127.0.0.1");
      const [error] = (await once(socket, "error")) as [NodeJS.ErrnoException];
      ends.add(error.code ?? "");
    }
  })();
  for (let look = 0; look < 200; look += 1) await requireFreePort({ host: "127.0.0.1", port });
  isOver = true;
  await calling;
  assert.deepEqual([...ends], ["ECONNREFUSED"]);
});
