/**
 * One request on a connection of its own, for services of the machine that are asked a few times per hour:
 * any method, limited in time and size, no redirects, never through a proxy. Who gives the address vouches
 * for it; for untrusted ones there is `safe-fetch.ts`.
 */
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";

export interface OnceCall {
  readonly method: "GET" | "PUT";
  /** `http:` or `https:`. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

export interface OnceAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface OnceBounds {
  /** Milliseconds until the last byte. */
  readonly answerMs: number;
  readonly bytesMax: number;
}

/** Thrown by `requestOnce`. `code`: `TIMEOUT`, `TOO_LARGE`, or the system's. */
export class RequestOnceError extends Error {
  override readonly name = "RequestOnceError";
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

async function readBody(answer: IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new RequestOnceError("TOO_LARGE");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes).toString("utf8");
}

/** Rejects with a `RequestOnceError` unless a complete answer arrives within the limits. */
export async function requestOnce(
  { method, url, headers }: OnceCall,
  { answerMs, bytesMax }: OnceBounds,
): Promise<OnceAnswer> {
  // An agent per call: the global one may use proxies of the environment.
  const isTls = url.protocol === "https:";
  const agent = isTls ? new HttpsAgent() : new HttpAgent();
  const { promise, resolve, reject } = Promise.withResolvers<OnceAnswer>();
  const sent = (isTls ? requestHttps : requestHttp)(url, { method, agent, headers });
  const timer = setTimeout(() => sent.destroy(new RequestOnceError("TIMEOUT")), answerMs);
  sent.once("response", (answer) => {
    readBody(answer, bytesMax).then(
      (body) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }),
      reject,
    );
  });
  sent.on("error", reject);
  // Also for answers that switch protocols, which are none.
  sent.once("close", () => reject(new RequestOnceError("ECONNRESET")));
  sent.end();
  try {
    return await promise;
  } catch (error) {
    if (error instanceof RequestOnceError) throw error;
    throw new RequestOnceError((error as NodeJS.ErrnoException).code ?? "FAILED");
  } finally {
    clearTimeout(timer);
    sent.destroy();
    agent.destroy();
  }
}
