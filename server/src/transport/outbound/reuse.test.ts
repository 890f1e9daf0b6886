/** Which connections serve another call, which are replaced, and what ends them. */
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import { createDeadlines } from "../sockets/deadlines.ts";
import { createDirectWriter } from "../sockets/direct.ts";
import { createOutbound } from "./client.ts";
import { clients, deadlines, Keeper, llhttp, openClient, post } from "./testing/clients.ts";
import { type ScriptedUpstream, settle, startUpstream, type Wire } from "./testing/upstream.ts";

const answer = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
const own = clients["own"] as (typeof clients)[string];

const serve = async (wire: Wire): Promise<void> => {
  for (;;) {
    await wire.request();
    wire.send(answer);
  }
};

test("one connection serves calls in a row, and each call of several at once has its own", async (t) => {
  const upstream = await startUpstream(t, { script: serve });
  const client = openClient(t, own, upstream.origin);
  for (let count = 0; count < 5; count++) assert.equal((await post(client).over).body, "hello");
  assert.equal(upstream.wires.length, 1);
  const seen = await Promise.all(Array.from({ length: 4 }, () => post(client).over));
  assert.deepEqual(
    seen.map(({ body }) => body),
    ["hello", "hello", "hello", "hello"],
  );
  assert.equal(upstream.wires.length, 4);
  await Promise.all(Array.from({ length: 4 }, () => post(client).over));
  assert.equal(upstream.wires.length, 4);
});

test("a connection whose request the system has not taken when its answer is there serves no other", async (t) => {
  for (const [drains, connections] of [
    [false, 2],
    [true, 1],
  ] as const) {
    const upstream = await startUpstream(t, { script: serve });
    const { write } = createDirectWriter();
    const direct = {
      write(socket: Socket, text: string) {
        if (write(socket, text) !== true) return undefined;
        if (drains) setImmediate(() => socket.emit("drain"));
        return false;
      },
    };
    const client = openClient(t, createOutbound({ llhttp, deadlines, direct }), upstream.origin);
    for (let calls = 0; calls < 2; calls++) assert.equal((await post(client).over).body, "hello");
    assert.equal(upstream.wires.length, connections);
  }
});

async function restingWire(upstream: ScriptedUpstream): Promise<Wire> {
  await settle();
  assert.equal(upstream.wires.length, 1);
  return upstream.wires[0] as Wire;
}

for (const [what, end] of [
  ["ends", (wire: Wire) => wire.socket.end()],
  ["resets", (wire: Wire) => wire.socket.resetAndDestroy()],
  ["says something on", (wire: Wire) => wire.send("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nbad")],
] as const) {
  test(`an upstream that ${what} a resting connection gets no further call on it`, async (t) => {
    const upstream = await startUpstream(t, { script: serve });
    const client = openClient(t, own, upstream.origin);
    await post(client).over;
    end(await restingWire(upstream));
    await settle();
    const keeper = post(client);
    assert.equal((await keeper.over).body, "hello");
    assert.equal(keeper.starts, 1);
    assert.equal(upstream.wires.length, 2);
  });
}

test("what arrives on a resting connection until the turn ends is seen before a call is written to it", async (t) => {
  const upstream = await startUpstream(t, { script: serve });
  const client = openClient(t, own, upstream.origin);
  await post(client).over;
  const wire = await restingWire(upstream);
  // Said and asked in one turn that is not the poll's: the loop reads before it writes.
  wire.send("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nbad");
  const seen = await post(client).over;
  assert.equal(seen.body, "hello");
  assert.equal(upstream.wires.length, 2);
});

test("a reused connection that breaks before a byte was written is replaced at once, and the call knows nothing", async (t) => {
  const upstream = await startUpstream(t, { script: serve });
  const client = openClient(t, own, upstream.origin);
  await post(client).over;
  const wire = await restingWire(upstream);
  const other = await startUpstream(t);
  const keeper = new Keeper();
  // Asked within the poll phase, behind the reading of the connection: nothing tells us before we write.
  const asking = new Promise<void>((resolve) => {
    void other.accepted().then(({ socket }) =>
      socket.once("data", () => {
        wire.socket.resetAndDestroy();
        client.post({ path: "/", headers: [], body: Buffer.from("{}") }, keeper);
        resolve();
      }),
    );
  });
  post(openClient(t, own, other.origin));
  await asking;
  const { status, body } = await keeper.over;
  assert.deepEqual([status, body, keeper.starts], [200, "hello", 1]);
  assert.equal(upstream.wires.length, 2);
});

test("a call that is aborted when it may begin leaves its connection to the next one", async (t) => {
  const upstream = await startUpstream(t, { script: serve });
  const client = openClient(t, own, upstream.origin);
  class Unwanted extends Keeper {
    override onRequestStart(controller: Parameters<Keeper["onRequestStart"]>[0]): void {
      super.onRequestStart(controller);
      controller.abort(new Error("no longer wanted"));
    }
  }
  for (let count = 0; count < 2; count++) {
    const unwanted = new Unwanted();
    client.post({ path: "/", headers: [], body: Buffer.from("{}") }, unwanted);
    assert.equal((await unwanted.over).code, "no longer wanted");
    assert.equal((await post(client).over).body, "hello");
  }
  assert.equal(upstream.wires.length, 1);
});

test("a controller that outlives its answer touches nothing of the next one", async (t) => {
  const upstream = await startUpstream(t);
  const client = openClient(t, own, upstream.origin);
  const first = post(client);
  const wire = await upstream.accepted();
  await wire.request();
  wire.send(answer);
  await first.over;
  const second = post(client);
  await wire.request();
  first.controller?.pause();
  first.controller?.abort(new Error("late"));
  wire.send(answer);
  assert.equal((await second.over).body, "hello");
  assert.equal(first.seen.ending, "end");
});

test("an abort ends the connection at once, and is told once", async (t) => {
  const upstream = await startUpstream(t);
  const client = openClient(t, own, upstream.origin);
  const keeper = post(client);
  const wire = await upstream.accepted();
  await wire.request();
  wire.send("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello");
  await settle();
  keeper.controller?.abort(new Error("enough"));
  keeper.controller?.abort(new Error("again"));
  await wire.over();
  assert.deepEqual([keeper.seen.body, keeper.seen.code], ["hello", "enough"]);
});

test("a handler that throws loses its call and nothing else", async (t) => {
  const upstream = await startUpstream(t, { script: serve });
  const client = openClient(t, own, upstream.origin);
  const events = ["onRequestStart", "onResponseStart", "onResponseData", "onResponseEnd"] as const;
  for (const event of events) {
    const keeper = new Keeper();
    keeper[event] = () => {
      throw new Error(`thrown in ${event}`);
    };
    client.post({ path: "/", headers: [], body: Buffer.from("{}") }, keeper);
    assert.equal((await keeper.over).code, `thrown in ${event}`);
    assert.equal((await post(client).over).body, "hello");
  }
});

test("closing a client fails the calls that run, those that connect, and later ones", async (t) => {
  const upstream = await startUpstream(t);
  const client = own(upstream.origin, 10_000, "upstream");
  const running = post(client);
  const wire = await upstream.accepted();
  await wire.request();
  const connecting = post(client);
  await client.close();
  const later = post(client);
  for (const keeper of [running, connecting, later]) {
    assert.equal((await keeper.over).code, "CLIENT_CLOSED");
  }
  await wire.over();
  await client.close();
});

for (const [what, limits, endsMs] of [
  ["a resting connection ends after its time", { idleMs: 1_000 }, 2_000],
  ["an old connection ends after its call", { ageMs: 5_000, idleMs: 1_000_000 }, 9_000],
] as const) {
  test(what, async (t) => {
    let nowMs = 0;
    const fast = createDeadlines(() => nowMs, 1);
    t.after(() => fast.stop());
    const upstream = await startUpstream(t, { script: serve });
    const client = openClient(t, createOutbound({ llhttp, deadlines: fast, limits }), upstream.origin);
    const look = () => new Promise((resolve) => setTimeout(resolve, 2));
    await post(client).over;
    const wire = await restingWire(upstream);
    nowMs = 500;
    await look();
    await post(client).over;
    assert.deepEqual([wire.isOver, upstream.wires.length], [false, 1]);
    nowMs = endsMs;
    while (fast.nowTick < endsMs) await look();
    if ("ageMs" in limits) await post(client).over;
    await wire.over();
    await post(client).over;
    assert.equal(upstream.wires.length, 2);
  });
}

test("more connections than the bound fail, and calls go on where one becomes free", async (t) => {
  const upstream = await startUpstream(t);
  const create = createOutbound({ llhttp, deadlines, limits: { connectionsMax: 1 } });
  const client = openClient(t, create, upstream.origin);
  const first = post(client);
  assert.equal((await post(client).over).code, "CONNECTIONS_MAX");
  const wire = await upstream.accepted();
  await wire.request();
  wire.send(answer);
  await first.over;
  const next = post(client);
  await wire.request();
  wire.send(answer);
  assert.equal((await next.over).ending, "end");
});

for (const [name, create] of Object.entries(clients)) {
  test(`${name}: nobody listens, or there is no such name`, async (t) => {
    const upstream = await startUpstream(t);
    const closed = `http://127.0.0.1:${upstream.port === 9 ? 10 : 9}`;
    assert.equal((await post(openClient(t, create, closed)).over).ending, "network");
    assert.equal((await post(openClient(t, create, "http://no-such-name.invalid")).over).ending, "network");
  });

  test(`${name}: a TLS handshake that never comes is a timeout`, async (t) => {
    const upstream = await startUpstream(t);
    const client = openClient(t, create, `https://127.0.0.1:${upstream.port}`, 50);
    assert.equal((await post(client).over).ending, "timeout");
  });

  test(`${name}: headers that could end a line are refused before anything is sent`, async (t) => {
    const upstream = await startUpstream(t, { script: serve });
    const client = openClient(t, create, upstream.origin);
    for (const headers of [
      ["x-a", "b\r\nx-c: d"],
      ["x-a", "b\0"],
      ["x-a", "\u0100"],
      ["x a", "b"],
      ["x:a", "b"],
      ["transfer-encoding", "chunked"],
      ["upgrade", "h2c"],
    ]) {
      assert.equal((await post(client, "{}", { headers }).over).ending, "network", JSON.stringify(headers));
    }
    for (const path of ["/a b", "/\r\nx: y", "no-slash"]) {
      assert.equal((await post(client, "{}", { path }).over).ending, "network", path);
    }
    assert.equal((await post(client).over).ending, "end");
  });
}
