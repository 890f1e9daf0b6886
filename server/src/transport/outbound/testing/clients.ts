/** For tests: both HTTP clients under one name each, and what a handler saw of an answer. */
import type { TestContext } from "node:test";
import {
  type AnswerController,
  type AnswerHandler,
  type CreateHttpClient,
  createHttpClient,
  type HttpCall,
  type HttpClient,
} from "../../../lib/net/http-client.ts";
import { sharedLlhttp } from "../../llhttp/llhttp.ts";
import { createDeadlines } from "../../sockets/deadlines.ts";
import { createDirectWriter } from "../../sockets/direct.ts";
import { createOutbound } from "../client.ts";

export const llhttp = sharedLlhttp();
export const deadlines = createDeadlines(() => performance.now());

/** The client every case is compared with, and ours. */
export const clients: { readonly [name: string]: CreateHttpClient } = {
  node: (origin, connectMs) => createHttpClient(origin, connectMs),
  own: createOutbound({ llhttp, deadlines, direct: createDirectWriter() }),
  "own by streams": createOutbound({ llhttp, deadlines }),
};

/** A client of this kind that is closed at the end of the test. */
export function openClient(
  test: TestContext,
  create: CreateHttpClient,
  origin: string,
  connectMs = 10_000,
): HttpClient {
  const client = create(origin, connectMs, "upstream");
  test.after(() => client.close());
  return client;
}

/** What came of a call. `ending`: how the gateway would call it. */
export interface Seen {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  ending: "end" | "network" | "timeout" | "none";
  code: string;
}

/** Keeps all of an answer, and makes every chunk unreadable once it has been taken, as the next read may. */
export class Keeper implements AnswerHandler {
  readonly seen: Seen = { status: 0, headers: {}, body: "", ending: "none", code: "" };
  controller: AnswerController | undefined;
  starts = 0;
  readonly over: Promise<Seen>;
  #resolve!: (seen: Seen) => void;

  constructor() {
    this.over = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  onRequestStart(controller: AnswerController): void {
    this.starts++;
    this.controller = controller;
  }

  onResponseStart(_controller: AnswerController, status: number, headers: Seen["headers"]): void {
    // undici shows interim answers; the gateway ignores them.
    if (status < 200) return;
    this.seen.status = status;
    this.seen.headers = headers;
  }

  onResponseData(_controller: AnswerController, chunk: Buffer): void {
    this.seen.body += chunk.toString("latin1");
    chunk.fill(0x2a);
  }

  onResponseEnd(): void {
    this.#end("end", "");
  }

  onResponseError(_controller: AnswerController, error: Error): void {
    const code = (error as NodeJS.ErrnoException).code ?? error.message;
    this.#end(code === "UND_ERR_CONNECT_TIMEOUT" || code === "ETIMEDOUT" ? "timeout" : "network", code);
  }

  #end(ending: Seen["ending"], code: string): void {
    if (this.seen.ending !== "none") throw new Error(`a second end: ${this.seen.ending}, then ${ending}`);
    this.seen.ending = ending;
    this.seen.code = code;
    this.#resolve(this.seen);
  }
}

const headers = ["content-type", "application/json", "authorization", "Bearer sk-up"];

/** Posts and keeps the answer. */
export function post(client: HttpClient, body = "{}", more: Partial<HttpCall> = {}): Keeper {
  const keeper = new Keeper();
  client.post({ path: "/v1/chat", headers, body: Buffer.from(body, "latin1"), ...more }, keeper);
  return keeper;
}
