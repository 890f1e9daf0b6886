/** The delaying proxy loses no bytes, keeps their order, and forwards the end after them. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { monotonicMs } from "../measure/clock.ts";
import { seededRandom } from "../random.ts";
import { laterBy, startHoldingProxy } from "./holding-proxy.ts";

/** Connects through a proxy with a delay of `delayMs` to a server with this connection handler. */
async function connectThrough(
  context: TestContext,
  delayMs: () => number,
  serve: (socket: Socket) => void,
): Promise<Socket> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.setNoDelay(true);
    socket.on("error", () => {});
    serve(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxy = await startHoldingProxy((server.address() as AddressInfo).port, laterBy(delayMs));
  const client = connect({ port: proxy.port, host: "127.0.0.1", allowHalfOpen: true });
  context.after(async () => {
    client.destroy();
    await proxy.stop();
    server.close();
  });
  return client;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

for (const seed of [1, 2, 3]) {
  test(`pieces held for different times come in their order, and whole (${seed})`, async (context) => {
    const random = seededRandom(seed);
    const pieces = Array.from({ length: 400 }, (_, index) => `${index},`);
    const client = await connectThrough(
      context,
      () => random.pick([0, 0, 0.2, 0.7, 3]),
      async (socket) => {
        for (const piece of pieces) {
          socket.write(piece);
          await turn();
        }
        socket.end();
      },
    );
    assert.equal((await buffer(client)).toString(), pieces.join(""));
  });
}

test("what is held arrives although its server has closed", { timeout: 10_000 }, async (context) => {
  const client = await connectThrough(
    context,
    () => 50,
    (socket) => {
      socket.resume();
      socket.write("held");
      setTimeout(() => socket.destroy(), 10);
    },
  );
  const askedMs = monotonicMs();
  assert.equal((await buffer(client)).toString(), "held");
  assert.ok(monotonicMs() - askedMs >= 50);
});

test("whoever has nothing more to send is still answered", { timeout: 10_000 }, async (context) => {
  const client = await connectThrough(
    context,
    () => 20,
    async (socket) => {
      const asked = await buffer(socket);
      socket.end(`${asked} heard`);
    },
  );
  client.end("all");
  assert.equal((await buffer(client)).toString(), "all heard");
});

test("a caller that is gone ends the server's connection", { timeout: 10_000 }, async (context) => {
  const gone = Promise.withResolvers<void>();
  const client = await connectThrough(
    context,
    () => 5,
    (socket) => {
      const writing = setInterval(() => socket.write("more"), 5);
      socket.resume().once("close", () => {
        clearInterval(writing);
        gone.resolve();
      });
    },
  );
  await once(client, "data");
  client.resetAndDestroy();
  await gone.promise;
});
