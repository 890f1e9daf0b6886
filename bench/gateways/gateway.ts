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
  readonly key: string;
  stop(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Posts one body with one key and reads the whole answer; gives up after 10 s. */
export async function post(gateway: Gateway, body: Buffer, key: string): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${gateway.port}${gateway.jsonPath}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: new Uint8Array(body),
    signal: AbortSignal.timeout(10_000),
  });
  return { status: response.status, text: await response.text() };
}

/** Throws unless the gateway answers a request with a complete chat completion. */
export async function probe(gateway: Gateway, body: Buffer): Promise<void> {
  const answer = await post(gateway, body, gateway.key);
  if (answer.status !== 200 || !/"finish_reason":"stop"[\s\S]*"usage":\{/.test(answer.text)) {
    throw new Error(`${gateway.name} answered ${answer.status}: ${answer.text.slice(0, 500)}`);
  }
}
