import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { test } from "node:test";
import { createResolve } from "./resolve-name.ts";

const typeA = 1;
const typeAaaa = 28;

/** A DNS answer: the query with its answer bit set, and one record of the requested type, if there is one. */
function answerTo(query: Buffer, records: Readonly<Record<number, Buffer>>): Buffer {
  const questionEnd = query.indexOf(0, 12) + 5;
  const record = records[query.readUInt16BE(questionEnd - 4)];
  const head = Buffer.from(query.subarray(0, 12));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(record === undefined ? 0 : 1, 6);
  head.writeUInt16BE(0, 10);
  const question = query.subarray(12, questionEnd);
  if (record === undefined) return Buffer.concat([head, question]);
  const fields = Buffer.from([
    0xc0,
    12,
    0,
    record.length === 4 ? typeA : typeAaaa,
    0,
    1,
    0,
    0,
    0,
    0,
    0,
    record.length,
  ]);
  return Buffer.concat([head, question, fields, record]);
}

async function withNameServer(
  answer: ((query: Buffer) => Buffer) | undefined,
  work: (server: string, asked: Promise<unknown>) => Promise<void>,
): Promise<void> {
  const socket = createSocket("udp4");
  const asked = once(socket, "message");
  if (answer !== undefined) {
    socket.on("message", (query, from) => socket.send(answer(query), from.port, from.address));
  }
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  try {
    await work(`127.0.0.1:${socket.address().port}`, asked);
  } finally {
    socket.close();
  }
}

const v4 = Buffer.from([10, 1, 2, 3]);
const v6 = Buffer.from([0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5]);
const never = new AbortController().signal;

test("both kinds of address; one is enough; none is a failure", async () => {
  await withNameServer(
    (query) => answerTo(query, { [typeA]: v4, [typeAaaa]: v6 }),
    async (server) => {
      assert.deepEqual(await createResolve([server])("both.test", never), ["fd00::5", "10.1.2.3"]);
    },
  );
  await withNameServer(
    (query) => answerTo(query, { [typeA]: v4 }),
    async (server) => {
      assert.deepEqual(await createResolve([server])("one.test", never), ["10.1.2.3"]);
    },
  );
  await withNameServer(
    (query) => answerTo(query, {}),
    async (server) => {
      await assert.rejects(createResolve([server])("none.test", never), /no address/);
    },
  );
});

test("a name server that says nothing is waited for until the signal", async () => {
  await withNameServer(undefined, async (server, asked) => {
    const controller = new AbortController();
    const resolving = createResolve([server])("silent.test", controller.signal);
    await asked;
    controller.abort();
    await assert.rejects(resolving, /no address/);
  });
});
