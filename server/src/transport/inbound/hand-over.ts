/**
 * Takes accepted sockets from Node and gives them back to it. Where Node allows it, sockets read into the
 * parsers' area: an accepted socket's handle moves into a socket object with a read buffer of ours, and from
 * there into one that node:http can have. `checkInside` finds out at the start whether Node allows it, and
 * writing past the sockets' streams; where it does not, sockets stay as they are, and what they read is
 * copied.
 */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, Socket } from "node:net";
import { createDirectWriter, type DirectWriter } from "../sockets/direct.ts";

/** What is private of a socket, the same since Node 12: its handle, and the server that counts it. */
interface SocketInside {
  _handle: object | null;
  _server: Server | null;
}

const inside = (socket: Socket): SocketInside => socket as unknown as SocketInside;

/** Called with the number of bytes read into the buffer. */
type ReadCallback = (bytes: number) => boolean;

/** Moves the handle, and with it the place in the server's count. Undefined: the connection has closed. */
function moveHandle(from: Socket, buffer: Buffer, callback: ReadCallback): Socket | undefined {
  const given = inside(from);
  const { _handle: handle, _server: server } = given;
  if (handle === null || from.destroyed) return undefined;
  given._handle = null;
  given._server = null;
  from.destroy();
  const options: object = { handle, allowHalfOpen: true, onread: { buffer, callback } };
  const socket = new Socket(options);
  inside(socket)._server = server;
  return socket;
}

/** How sockets are read, and freed for node:http. */
export interface SocketReading {
  /**
   * Takes an accepted socket that was not read yet (`pauseOnConnect`). `callback` is called with what was
   * read, which is at the start of the area. Undefined: the connection has closed.
   */
  take(accepted: Socket, callback: (bytes: number) => void): Socket | undefined;
  /** The socket for node:http; it has no listeners. Undefined: the connection has closed. */
  release(socket: Socket): Socket | undefined;
}

/** Sockets that read into the area. */
export function adoptingInto(area: Buffer): SocketReading {
  return {
    take: (accepted, callback) =>
      moveHandle(accepted, area, (bytes) => {
        callback(bytes);
        return true;
      }),
    release(socket) {
      // The handle goes on reading into the buffer it was given; node:http gets copies, until it reads the
      // handle itself.
      const free = moveHandle(
        socket,
        area,
        (bytes) => free?.push(Buffer.from(area.subarray(0, bytes))) ?? true,
      );
      return free;
    },
  };
}

/** Sockets as Node gives them, each of whose reads is copied into the area. Public API only. */
export function copyingInto(area: Buffer): SocketReading {
  const listeners = new WeakMap<Socket, (bytes: Buffer) => void>();
  return {
    take(accepted, callback) {
      if (accepted.destroyed) return undefined;
      const listener = (bytes: Buffer): void => {
        for (let from = 0; from < bytes.length; from += area.length) {
          callback(bytes.copy(area, 0, from, from + area.length));
        }
      };
      listeners.set(accepted, listener);
      accepted.on("data", listener);
      accepted.resume();
      return accepted;
    },
    release(socket) {
      const listener = listeners.get(socket);
      if (listener !== undefined) socket.off("data", listener);
      return socket.destroyed ? undefined : socket;
    },
  };
}

/** How long the check may take, in milliseconds; it is one connection on the loopback interface. */
const checkMs = 2_000;

/** What Node allows. */
export interface Inside {
  /** True when a handle may move between socket objects; sockets can then read into the area. */
  readonly adopts: boolean;
  /** Writes past the streams of adopted sockets; undefined: not allowed. */
  readonly direct: DirectWriter | undefined;
}

const publicOnly: Inside = { adopts: false, direct: undefined };

async function tryInside(): Promise<Inside> {
  const area = Buffer.alloc(1024);
  const { take, release } = adoptingInto(area);
  const signal = AbortSignal.timeout(checkMs);
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true });
  const accepting = once(server, "connection", { signal });
  server.listen(0, "127.0.0.1");
  await once(server, "listening", { signal });
  const caller = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const sockets: (Socket | undefined)[] = [caller];
  try {
    caller.on("error", () => {});
    const [accepted] = (await accepting) as [Socket];
    sockets.push(accepted);
    const read = Promise.withResolvers<string>();
    const adopted = take(accepted, (bytes) => read.resolve(area.toString("latin1", 0, bytes)));
    sockets.push(adopted);
    caller.write("one");
    if ((await withSignal(read.promise, signal)) !== "one" || adopted === undefined) return publicOnly;
    const direct = await tryDirect(adopted, caller, signal);
    adopted.pause();
    const free = release(adopted);
    sockets.push(free);
    if (free === undefined) return publicOnly;
    const more = once(free, "data", { signal });
    caller.write("two");
    if (String((await more)[0]) !== "two") return publicOnly;
    const answer = once(caller, "data", { signal });
    free.write("three");
    const adopts = String((await answer)[0]) === "three" && (await countOf(server)) === 1;
    return adopts ? { adopts, direct } : publicOnly;
  } finally {
    for (const socket of sockets) socket?.destroy();
    server.close();
  }
}

/** A text written directly, then one through the stream: both must arrive, in this order. */
async function tryDirect(socket: Socket, caller: Socket, signal: AbortSignal) {
  let direct: DirectWriter;
  try {
    direct = createDirectWriter();
  } catch {
    return undefined;
  }
  let text = "";
  const listener = (bytes: Buffer): void => {
    text += bytes.toString("latin1");
  };
  caller.on("data", listener);
  const isSent = direct.write(socket, "f\u00fcnf, ");
  socket.write("six", "latin1");
  while (text.length < 9) await once(caller, "data", { signal });
  caller.off("data", listener);
  return isSent === true && text === "f\u00fcnf, six" ? direct : undefined;
}

const countOf = (server: Server): Promise<number> =>
  new Promise((resolve) => server.getConnections((_, count) => resolve(count)));

function withSignal<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const late = once(signal, "abort").then(() => Promise.reject(new Error("late")));
  return Promise.race([promise, late as Promise<never>]);
}

let checked: Promise<Inside> | undefined;

/** Finds out what Node allows, once per process, with a connection to itself. Never rejects. */
export function checkInside(): Promise<Inside> {
  checked ??= tryInside().catch(() => publicOnly);
  return checked;
}
