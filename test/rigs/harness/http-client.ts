/**
 * A caller over node:http that records every byte with its arrival time. One request per connection unless an
 * agent is given. For bytes that are not HTTP see raw-client.ts.
 */
import { type Agent, type ClientRequest, type IncomingHttpHeaders, request } from "node:http";
import { request as secureRequest } from "node:https";
import { monotonicMs } from "./measure/clock.ts";

/** A part of a body as it arrived. */
export interface Arrival {
  readonly at: number;
  readonly bytes: Buffer;
}

/** One finished call. Times: monotonic milliseconds. */
export interface Seen {
  /** 0 without a response. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly arrivals: readonly Arrival[];
  readonly sentAt: number;
  readonly headAt: number;
  readonly endedAt: number;
  /** True when the response ended as HTTP requires. */
  readonly isWhole: boolean;
  readonly problem: string;
}

export interface Ask {
  readonly url: string;
  readonly key: string;
  readonly body: Buffer | string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly agent?: Agent | undefined;
  /** Gives up after this many milliseconds; default 60,000. */
  readonly withinMs?: number | undefined;
  /** Called once with the request, for rigs that disconnect during the call. */
  readonly onRequest?: ((call: ClientRequest) => void) | undefined;
  readonly onArrival?: ((arrival: Arrival, call: ClientRequest) => void) | undefined;
}

/** node:https needs an agent with the certificate to trust. */
const requestOf = (url: string): typeof request => (url.startsWith("https:") ? secureRequest : request);

/** `POST url` with a JSON body; always resolves with the result. */
export function post(ask: Ask): Promise<Seen> {
  const body = typeof ask.body === "string" ? Buffer.from(ask.body) : ask.body;
  const sentAt = monotonicMs();
  const arrivals: Arrival[] = [];
  let head:
    | { status: number; headers: IncomingHttpHeaders; rawHeaders: readonly string[]; at: number }
    | undefined;
  return new Promise((resolve) => {
    const end = (isWhole: boolean, problem: string): void => {
      clearTimeout(timer);
      resolve({
        status: head?.status ?? 0,
        headers: head?.headers ?? {},
        rawHeaders: head?.rawHeaders ?? [],
        body: Buffer.concat(arrivals.map((arrival) => arrival.bytes)),
        arrivals,
        sentAt,
        headAt: head?.at ?? Number.NaN,
        endedAt: monotonicMs(),
        isWhole,
        problem,
      });
    };
    const call = requestOf(ask.url)(
      ask.url,
      {
        method: "POST",
        agent: ask.agent ?? false,
        headers: {
          authorization: `Bearer ${ask.key}`,
          "content-type": "application/json",
          "content-length": String(body.length),
          ...ask.headers,
        },
      },
      (response) => {
        head = {
          status: response.statusCode ?? 0,
          headers: response.headers,
          rawHeaders: response.rawHeaders,
          at: monotonicMs(),
        };
        response.on("data", (bytes: Buffer) => {
          const arrival = { at: monotonicMs(), bytes };
          arrivals.push(arrival);
          ask.onArrival?.(arrival, call);
        });
        response.once("error", (error) => end(false, error.message));
        response.once("end", () => end(response.complete, response.complete ? "" : "cut"));
      },
    );
    const timer = setTimeout(() => {
      call.destroy();
      end(false, "client gave up waiting");
    }, ask.withinMs ?? 60_000);
    call.once("error", (error) => end(false, error.message));
    ask.onRequest?.(call);
    call.end(body);
  });
}

/** `GET url` as text; rejects without a response. */
export function get(
  url: string,
  headers: Record<string, string> = {},
  agent: Agent | false = false,
): Promise<{ status: number; text: string; rawHeaders: readonly string[] }> {
  return new Promise((resolve, reject) => {
    const call = requestOf(url)(url, { agent, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.once("error", reject);
      response.once("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(parts).toString("utf8"),
          rawHeaders: response.rawHeaders,
        }),
      );
    });
    call.setTimeout(10_000, () => call.destroy(new Error("no answer within 10 s")));
    call.once("error", reject);
    call.end();
  });
}

/** Runs `work` over `items`, at most `width` concurrently; results in order. */
export async function inParallel<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index] as T, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
  return results;
}
