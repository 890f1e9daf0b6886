/**
 * An upstream that returns a test's answers in order and records its requests. For formats that the rigs'
 * counting upstream does not produce: several choices, log probabilities, reasoning.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { monotonicMs } from "../../rigs/harness/measure/clock.ts";

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A whole body: objects as JSON, text unchanged. */
  readonly body?: unknown;
  /** A stream with one `data:` event each: objects as JSON, text unchanged, promises as pauses. */
  readonly events?: readonly unknown[];
  /** Delays the answer until this resolves. */
  readonly after?: Promise<unknown>;
  /** Pause before each event after the first, in milliseconds. */
  readonly gapMs?: number;
  /** How the answer ends: normally (default), with a connection error, or never. */
  readonly ending?: "end" | "cut" | "hang";
}

export interface ScriptedCall {
  /** Arrival in monotonic milliseconds. */
  readonly at: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body, unparsed and parsed. */
  readonly text: string;
  readonly body: Record<string, unknown>;
  /** Resolves when the caller closes the connection before the end of the answer. */
  readonly cancelled: Promise<void>;
}

export interface ScriptedUpstream {
  readonly baseUrl: string;
  /** Calls since the last `answerWith`, in order. */
  readonly calls: ScriptedCall[];
  /** Sets the next answers; the last one repeats. Clears `calls`. */
  answerWith(...answers: readonly ScriptedAnswer[]): void;
  /** Resolves when the n-th call (from 1) has arrived. */
  called(count: number): Promise<ScriptedCall>;
  stop(): Promise<void>;
}

/** Starts an upstream on a free port of 127.0.0.1. */
export async function startScriptedUpstream(): Promise<ScriptedUpstream> {
  let answers: readonly ScriptedAnswer[] = [];
  let calls: ScriptedCall[] = [];
  const waiting = new Set<() => void>();

  const server = createServer((request, response) => {
    readText(request).then(
      (text) => {
        const answer = answers[Math.min(calls.length, answers.length - 1)];
        const cancelled = new Promise<void>((resolve) => {
          response.once("close", () => {
            if (!response.writableFinished) resolve();
          });
        });
        const { headers, url: path = "" } = request;
        calls.push({ at: monotonicMs(), path, headers, text, body: parsed(text), cancelled });
        for (const wake of waiting) wake();
        if (answer === undefined) response.writeHead(500).end("no answer laid out");
        else void play(answer, response);
      },
      () => {},
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    get calls() {
      return calls;
    },
    answerWith(...next) {
      answers = next;
      calls = [];
    },
    called(count) {
      return new Promise((resolve) => {
        const look = (): void => {
          const call = calls[count - 1];
          if (call === undefined) return;
          waiting.delete(look);
          resolve(call);
        };
        waiting.add(look);
        look();
      });
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

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

async function play(answer: ScriptedAnswer, response: ServerResponse): Promise<void> {
  const isStream = answer.events !== undefined;
  response.on("error", () => {});
  await answer.after;
  if (response.destroyed) return;
  response.writeHead(answer.status ?? 200, {
    "content-type": isStream ? "text/event-stream" : "application/json",
    ...answer.headers,
  });
  if (!isStream) {
    end(answer, response, answer.body === undefined ? "" : asText(answer.body));
    return;
  }
  response.flushHeaders();
  for (const [index, event] of (answer.events ?? []).entries()) {
    if (index > 0 && answer.gapMs !== undefined) await new Promise((done) => setTimeout(done, answer.gapMs));
    if (event instanceof Promise) {
      await event;
      continue;
    }
    if (response.destroyed) return;
    await new Promise((done) => response.write(`data: ${asText(event)}\n\n`, done));
  }
  end(answer, response, "");
}

function end(answer: ScriptedAnswer, response: ServerResponse, rest: string): void {
  if (answer.ending === undefined || answer.ending === "end") response.end(rest);
  else if (answer.ending === "hang") response.write(rest);
  else response.write(rest, () => setTimeout(() => response.socket?.destroy(), 20));
}
