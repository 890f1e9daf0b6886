/**
 * The same relay on node:http and undici's dispatch, as Plaza uses them today, for comparison. The arguments
 * are those of `relay-process.ts`.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { parseArgs } from "node:util";
import type { Dispatcher } from "undici";
import Pool from "undici/lib/dispatcher/pool.js";
import { mediaTestCertificate } from "../../server/src/lib/net/testing/certificate.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { tls: { type: "boolean", default: false }, keys: { type: "boolean", default: false } },
});
const keys = new Set(Array.from({ length: 1_000 }, (_, index) => `Bearer sk-spike-${index}`));
const pool = new Pool(`${values.tls ? "https" : "http"}://127.0.0.1:${positionals[0]}`, {
  connections: null,
  pipelining: 1,
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: 30_000,
  connect: values.tls ? { servername: "media.test", ca: mediaTestCertificate } : {},
});

/** As in Plaza: larger bodies are sent with their head by `writev`, smaller ones as one string. */
const joinedBytesMax = 64 * 1024;
const perConnection = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
  "host",
  "te",
  "upgrade",
  "expect",
]);

function passed(headers: Record<string, string | string[] | undefined> | IncomingHttpHeaders): string[] {
  const lines: string[] = [];
  for (const name in headers) {
    if (!perConnection.has(name)) lines.push(name, String(headers[name]));
  }
  return lines;
}

class Answer implements Dispatcher.DispatchHandler {
  readonly #res: ServerResponse;
  #controller: Dispatcher.DispatchController | undefined;
  #isSized = false;
  #pieces: Buffer[] = [];

  constructor(res: ServerResponse) {
    this.#res = res;
    res.on("close", () => {
      if (!res.writableFinished) this.#controller?.abort(new Error("the caller left"));
    });
    res.on("drain", () => this.#controller?.resume());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.#isSized = headers["content-length"] !== undefined;
    this.#res.writeHead(status, passed(headers));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSized) this.#pieces.push(chunk);
    else if (!this.#res.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    const [first = Buffer.alloc(0)] = this.#pieces;
    const body = this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
    if (this.#isSized && body.length <= joinedBytesMax) this.#res.end(body.toString("latin1"), "latin1");
    else this.#res.end(body);
  }

  onResponseError(): void {
    if (this.#res.headersSent) this.#res.destroy();
    else this.#res.writeHead(502).end();
  }
}

const server = createServer((req: IncomingMessage, res: ServerResponse) => {
  if (values.keys && !keys.has(req.headers.authorization ?? "")) {
    res.writeHead(401, { "content-length": 0 }).end();
    return;
  }
  const pieces: Buffer[] = [];
  req.on("data", (piece: Buffer) => pieces.push(piece));
  req.on("end", () => {
    const [first = Buffer.alloc(0)] = pieces;
    const body = pieces.length === 1 ? first : Buffer.concat(pieces);
    const method = (req.method ?? "GET") as Dispatcher.HttpMethod;
    pool.dispatch({ path: req.url ?? "/", method, headers: passed(req.headers), body }, new Answer(res));
  });
});
server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () => {
  const address = server.address();
  if (address !== null && typeof address === "object") console.log(`port ${address.port}`);
});
process.on("SIGINT", () => process.exit(0));
