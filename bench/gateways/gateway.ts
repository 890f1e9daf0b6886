/** What the load needs to know of a measured gateway, and a first call that checks it. */
import type { GatewayName } from "../report/reading.ts";

/** A running gateway, or the upstream itself. */
export interface Gateway {
  readonly name: GatewayName;
  /** Root of the process tree whose CPU and memory count. */
  readonly pid: number;
  readonly port: number;
  readonly jsonPath: string;
  readonly streamPath: string;
  /** Where it answers 401 itself; the path of JSON unless given. */
  readonly refusedPath?: string;
  readonly key: string;
  /** Further headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What this gateway's callers call a model of the upstream; the same name unless given. */
  readonly modelFor?: (upstreamModel: string) => string;
  /** Why its process is gone, with its last output; undefined while it runs. */
  readonly endedWith?: () => string | undefined;
  stop(): Promise<void>;
}

/** The model that a request through this gateway names to reach a model of the upstream. */
export function modelThrough(gateway: Gateway, upstreamModel: string): string {
  return gateway.modelFor?.(upstreamModel) ?? upstreamModel;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Posts one body with one key and reads the whole answer; gives up after 10 s. */
export async function post(gateway: Gateway, body: Buffer, key: string): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${gateway.port}${gateway.jsonPath}`, {
    method: "POST",
    headers: { ...gateway.headers, authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: new Uint8Array(body),
    signal: AbortSignal.timeout(10_000),
  });
  return { status: response.status, text: await response.text() };
}

/** True for a complete chat completion of the upstream. */
export function isCompletion(answer: Answer): boolean {
  const { status, text } = answer;
  return status === 200 && /"finish_reason":\s*"stop"/.test(text) && /"usage":\s*\{/.test(text);
}

/** Throws unless the gateway answers a request with a complete chat completion. */
export async function probe(gateway: Gateway, body: Buffer): Promise<void> {
  const answer = await post(gateway, body, gateway.key);
  if (!isCompletion(answer)) {
    throw new Error(`${gateway.name} answered ${answer.status}: ${answer.text.slice(0, 500)}`);
  }
}
