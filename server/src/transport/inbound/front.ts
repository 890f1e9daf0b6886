/**
 * The server in front: takes every connection first and serves its plain requests. A connection with anything
 * else goes to the application, which hands it to node:http.
 */
import { Server, type Socket } from "node:net";
import { messageKind } from "../llhttp/engine.ts";
import { sharedLlhttp } from "../llhttp/llhttp.ts";
import { createDeadlines } from "../sockets/deadlines.ts";
import { AnswerWriter } from "./answer-writer.ts";
import {
  type InboundApplication,
  InboundConnection,
  type InboundLimits,
  type InboundShared,
} from "./connection.ts";
import { adoptingInto, checkInside, copyingInto, type SocketReading } from "./hand-over.ts";

export interface FrontOptions {
  readonly application: InboundApplication;
  readonly limits: InboundLimits;
  /** What answers say about how long an idle connection is kept. */
  readonly keepAliveSeconds: number;
  readonly elapsedMs: () => number;
  /** Called with every new connection that is read here. */
  readonly opened: (socket: Socket) => void;
}

/** Counts all connections it accepted until they close, also those that were handed over. */
export class FrontServer extends Server {
  readonly #options: FrontOptions;
  readonly #shared: InboundShared;
  #reading: SocketReading;

  constructor(options: FrontOptions) {
    super({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true });
    const llhttp = sharedLlhttp();
    this.#options = options;
    this.#reading = copyingInto(llhttp.area);
    this.#shared = {
      llhttp,
      deadlines: createDeadlines(options.elapsedMs),
      writer: new AnswerWriter(),
      limits: options.limits,
      keepAliveSeconds: options.keepAliveSeconds,
      application: options.application,
      connections: new Set(),
      release: (socket) => this.#reading.release(socket),
    };
    this.on("connection", (socket) => this.#open(socket));
  }

  /**
   * Chooses how sockets are read and written; call it before `listen`. Without it only public API is used.
   */
  async prepare(): Promise<void> {
    const inside = await checkInside();
    if (inside.adopts) this.#reading = adoptingInto(this.#shared.llhttp.area);
    this.#shared.writer.direct = inside.direct;
  }

  #open(accepted: Socket): void {
    const parser = this.#shared.llhttp.open(messageKind.request);
    let connection: InboundConnection | undefined;
    const socket = parser && this.#reading.take(accepted, (bytes) => connection?.read(bytes));
    if (socket === undefined || parser === undefined) {
      parser?.release();
      accepted.destroy();
      return;
    }
    connection = new InboundConnection(this.#shared, socket, parser);
    this.#options.opened(socket);
  }

  /** Closes the connections that wait for a request, of those that were not handed over. */
  closeIdleOwn(): void {
    for (const connection of this.#shared.connections) connection.closeIfIdle();
  }

  /** Closes all that were not handed over. */
  closeAllOwn(): void {
    for (const connection of this.#shared.connections) connection.destroy();
  }
}
