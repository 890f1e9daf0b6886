/**
 * Loaded into `plaza serve` by `serving.ts` (`--import`): simulates callers and upstream inside the process,
 * without sockets, so that only the work of the gateway and of node:http is measured. Replaces undici's
 * dispatch and uses node's server, no part of the gateway.
 *
 * Prints `inside PORT`; each line `request N KEY` or `chunk N KEY` written to that port makes N of them, and
 * is answered with the main thread's microseconds for each.
 */
import { Server as HttpServer } from "node:http";
import { createRequire } from "node:module";
import { createServer, Server as NetServer, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { isMainThread } from "node:worker_threads";
import { chatBody, streamBody } from "../payloads.ts";
import { completionReply, streamModel, streamReply } from "../replies.ts";
import { heldStreamPlan, jsonModel } from "../rig.ts";

/** The part of undici's handler that is called. */
interface Handler {
  onRequestStart(controller: object): void;
  onResponseStart(controller: object, status: number, headers: Record<string, string>): void;
  onResponseData(controller: object, chunk: Buffer): void;
  onResponseEnd(controller: object): void;
}

const callersOfRequests = 64;
const streamsOpen = 1_000;
/** Chunks, each of one socket read and in separate memory, as the system delivers them. */
const chunkCopies = 64;

const controller = { pause() {}, resume() {}, abort() {} };

/** The body of a prebuilt response, without HTTP framing. */
const bodyOf = (answer: Buffer): Buffer => answer.subarray(answer.indexOf("\r\n\r\n") + 4);
function unframed(framed: Buffer): Buffer[] {
  const events: Buffer[] = [];
  for (let at = 0; at < framed.length; ) {
    const from = framed.indexOf("\r\n", at) + 2;
    const length = Number.parseInt(framed.toString("latin1", at, from), 16);
    if (length > 0) events.push(framed.subarray(from, from + length));
    at = from + length + 2;
  }
  return events;
}

const model = streamModel(heldStreamPlan);
const reply = streamReply(model);
const wholeBody = bodyOf(completionReply(jsonModel));
const firstEvents = Buffer.concat(unframed(bodyOf(reply.first)));
const [event = Buffer.alloc(0)] = unframed(reply.content);
const chunks = Array.from({ length: chunkCopies }, () => Buffer.from(new Uint8Array(event).buffer));

const requestBytes = (body: Buffer, key: string): Buffer =>
  Buffer.concat([
    Buffer.from(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
    ),
    body,
  ]);
let wholeRequest: Buffer = Buffer.alloc(0);
let streamRequest: Buffer = wholeRequest;

/** Bytes received by callers, over all connections. */
let bytesTaken = 0;
/** Streams whose upstream waits to send the next chunk. */
const streams: Handler[] = [];

/** Answers a call as an upstream would, one event loop turn later. */
function answer(options: { body: Buffer }, handler: Handler): boolean {
  const isStream = options.body.includes('"stream":true');
  setImmediate(() => {
    handler.onRequestStart(controller);
    const type = isStream ? "text/event-stream" : "application/json";
    handler.onResponseStart(controller, 200, { "content-type": type });
    if (isStream) {
      handler.onResponseData(controller, Buffer.from(firstEvents));
      streams.push(handler);
    } else {
      handler.onResponseData(controller, Buffer.from(wholeBody));
      handler.onResponseEnd(controller);
    }
  });
  return true;
}

/** A caller's connection: counts and discards what is written to it. */
class Connection extends Duplex {
  readonly remoteAddress = "127.0.0.1";
  readonly #onAnswer: (connection: Connection) => void;

  constructor(onAnswer: (connection: Connection) => void) {
    super({ decodeStrings: false });
    this.#onAnswer = onAnswer;
  }

  override _read(): void {}
  setTimeout(): this {
    return this;
  }
  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }

  override _write(bytes: Buffer | string, _encoding: string, done: () => void): void {
    bytesTaken += bytes.length;
    done();
    this.#onAnswer(this);
  }

  override _writev(parts: { chunk: Buffer | string }[], done: () => void): void {
    for (const { chunk } of parts) bytesTaken += chunk.length;
    done();
    this.#onAnswer(this);
  }
}

let server: HttpServer | undefined;
const listen = NetServer.prototype.listen as (...given: unknown[]) => NetServer;
NetServer.prototype.listen = function (this: NetServer, ...given: unknown[]): NetServer {
  if (this instanceof HttpServer) server ??= this;
  return listen.apply(this, given);
} as typeof NetServer.prototype.listen;

const require = createRequire(process.argv[1] ?? "");
const Pool = require("undici/lib/dispatcher/pool.js") as { prototype: { dispatch: typeof answer } };

const connect = (onAnswer: (connection: Connection) => void): Connection => {
  const connection = new Connection(onAnswer);
  server?.emit("connection", connection);
  return connection;
};

let onWhole: (connection: Connection) => void = () => {};
const callers: Connection[] = [];

/** Makes this many requests, always as many concurrently as there are callers. */
async function makeRequests(count: number): Promise<void> {
  while (callers.length < callersOfRequests) callers.push(connect((connection) => onWhole(connection)));
  let left = count;
  let open = 0;
  await new Promise<void>((resolve) => {
    const next = (connection: Connection): void => {
      if (left === 0) return;
      left -= 1;
      open += 1;
      connection.push(wholeRequest);
    };
    onWhole = (connection) => {
      open -= 1;
      if (left === 0 && open === 0) resolve();
      else if (left > 0) setImmediate(next, connection);
    };
    for (const connection of callers) next(connection);
  });
}

async function openStreams(): Promise<void> {
  let opened = 0;
  while (opened < streamsOpen) {
    connect(() => {}).push(streamRequest);
    opened += 1;
    while (streams.length < opened) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Sends this many chunks, one after the other over all streams, each in a separate event loop turn. */
async function pushChunks(count: number): Promise<void> {
  let left = count;
  await new Promise<void>((resolve) => {
    const push = (): void => {
      // Steps of 619, so that the next stream's objects are not in the CPU cache.
      const handler = streams[(left * 619) % streams.length] as Handler;
      handler.onResponseData(controller, chunks[left % chunkCopies] as Buffer);
      left -= 1;
      if (left % 100 === 0) {
        if (left <= 0) resolve();
        else plan();
      }
    };
    const plan = (): void => {
      for (let planned = 0; planned < 100; planned += 1) setImmediate(push);
    };
    plan();
  });
}

async function work(kind: string, count: number): Promise<number> {
  Pool.prototype.dispatch = answer;
  if (kind === "chunk" && streams.length === 0) await openStreams();
  const bytesBefore = bytesTaken;
  const before = process.threadCpuUsage();
  await (kind === "chunk" ? pushChunks(count) : makeRequests(count));
  const { user, system } = process.threadCpuUsage(before);
  // Every response is complete; a refusal would be shorter.
  const bytesMin = kind === "chunk" ? event.length : wholeBody.length;
  if (bytesTaken - bytesBefore < bytesMin * count) throw new Error("not every answer arrived");
  return (user + system) / count;
}

const control = createServer((socket: Socket) => {
  socket.setEncoding("utf8");
  socket.on("data", (line: string) => {
    const [kind = "", count = "0", key = ""] = line.trim().split(" ");
    wholeRequest = requestBytes(chatBody(jsonModel, 1024, { max_tokens: 256 }), key);
    streamRequest = requestBytes(streamBody(model), key);
    work(kind, Number(count)).then(
      (us) => socket.write(`${us}\n`),
      (error: Error) => socket.write(`failed ${error.message}\n`),
    );
  });
});
// The store's thread loads this file as well.
if (isMainThread) {
  control.listen(0, "127.0.0.1", () => {
    console.error(`inside ${(control.address() as { port: number }).port}`);
  });
}
