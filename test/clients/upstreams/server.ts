/**
 * Serves one wire format as a scripted model on a free port of 127.0.0.1, keeps what it was asked and what
 * it refused. Knows no wire format itself.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Tokens } from "../../wire/tokens.ts";
import { type Habits, newSession, Refusal, type Session } from "./session.ts";
import { type Fields, fieldsOf } from "./values.ts";

export interface WireCall {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Fields;
}

/** A whole answer, or the pieces of a stream as they go out, each written by itself. */
export interface WireAnswer {
  readonly body?: unknown;
  readonly stream?: readonly string[];
  /** Reported tokens, for a call that a caller pays for. */
  readonly tokens?: Tokens;
}

/** One wire format, as a model that follows the script. */
export interface Wire {
  readonly name: "chat" | "messages" | "gemini" | "responses";
  /** What comes after the origin in this wire's base URL, as an upstream's operator writes it. */
  readonly basePath: string;
  /** Answers one call. Throws `Refusal`. */
  answer(call: WireCall, session: Session): WireAnswer;
  /** The error body of this wire. */
  error(status: number, message: string): unknown;
}

/** One call as it came in, and what became of it. */
export interface SeenCall extends WireCall {
  readonly text: string;
  readonly refused?: string;
  readonly tokens?: Tokens;
  /** Steps whose sealed thoughts went out with the answer, and those that came with the call. */
  readonly sealed: readonly number[];
  readonly unsealed: readonly number[];
}

export interface ScriptedModel {
  readonly wire: Wire;
  readonly origin: string;
  /** `origin` with the wire's base path. */
  readonly baseUrl: string;
  /** Begins a run of a client that works in this folder; forgets the one before. */
  begin(folder: string, habits?: Habits): void;
  /** Calls since `begin`, in order. */
  readonly calls: readonly SeenCall[];
  stop(): Promise<void>;
}

/** Starts it; `onCall` sees every call when it has been answered. */
export async function startScriptedModel(
  wire: Wire,
  onCall: (call: SeenCall) => void = () => {},
): Promise<ScriptedModel> {
  let session = newSession("/nowhere");
  let calls: SeenCall[] = [];
  const server = createServer((request, response) => {
    readText(request).then(
      (text) => {
        const call = parsedCall(request, text);
        const { seen, status, answer } = answerTo(wire, { ...call, text }, session);
        calls.push(seen);
        onCall(seen);
        send(response, status, answer);
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    wire,
    origin,
    baseUrl: origin + wire.basePath,
    begin(folder, habits) {
      session = newSession(folder, habits);
      calls = [];
    },
    get calls() {
      return calls;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

function parsedCall(request: IncomingMessage, text: string): WireCall {
  const url = new URL(request.url ?? "/", "http://localhost");
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = {};
  }
  return {
    method: request.method ?? "",
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body: fieldsOf(body),
  };
}

interface Answered {
  readonly seen: SeenCall;
  readonly status: number;
  readonly answer: WireAnswer;
}

function answerTo(wire: Wire, call: WireCall & { text: string }, session: Session): Answered {
  const before = { sealed: session.sealed.length, unsealed: session.unsealed.length };
  const seen = (more: Pick<SeenCall, "refused" | "tokens">): SeenCall => ({
    ...call,
    ...more,
    sealed: session.sealed.slice(before.sealed),
    unsealed: session.unsealed.slice(before.unsealed),
  });
  try {
    if (call.headers["content-encoding"] !== undefined) throw new Refusal("the body is compressed", 415);
    const answer = wire.answer(call, session);
    const { tokens } = answer;
    return { seen: seen(tokens === undefined ? {} : { tokens }), status: 200, answer };
  } catch (error) {
    const refused = (error as Error).message;
    const status = error instanceof Refusal ? error.status : 500;
    return { seen: seen({ refused }), status, answer: { body: wire.error(status, refused) } };
  }
}

function send(response: ServerResponse, status: number, { body, stream }: WireAnswer): void {
  response.on("error", () => {});
  if (stream === undefined) {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body ?? {}));
    return;
  }
  response.writeHead(status, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.flushHeaders();
  for (const piece of stream) response.write(piece);
  response.end();
}

/** A 404 for a path this wire does not have. */
export function unknownPath({ method, path }: WireCall): Refusal {
  return new Refusal(`${method} ${path} is not served here`, 404);
}

/** Refuses fields a strict upstream does not know, naming the first. */
export function onlyKnown(where: string, value: Fields, known: ReadonlySet<string>): void {
  const stray = Object.keys(value).find((name) => !known.has(name));
  if (stray !== undefined) throw new Refusal(`${where}: unknown field "${stray}"`);
}
