/**
 * Warms Plaza up: a new process grows its heap during its first thousands of calls. Rigs that measure memory
 * wait for that first.
 */
import { Agent } from "node:http";
import { inParallel, post } from "../http-client.ts";
import type { Plaza } from "./plaza.ts";
import { residentBytes } from "./proc.ts";

const batch = 1500;
const settledBytes = 3 * 1024 * 1024;

/** What is sent, and the path it is sent to. */
export interface WarmRequest {
  readonly path: string;
  readonly body: string;
}

const chatRequests = [false, true].map((stream): WarmRequest => {
  const messages = [{ role: "user", content: "hello" }];
  const body = JSON.stringify({ model: "rig-model", messages, stream, x_rig: { tokens: 4 } });
  return { path: "/v1/chat/completions", body };
});

/**
 * Sends ordinary calls, by default of chat, until the resident size is stable twice in a row, at most
 * `callsMax`. Resolves with that size.
 */
export async function warmUp(
  plaza: Plaza,
  callsMax: number,
  requests: readonly WarmRequest[] = chatRequests,
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  let before = residentBytes(plaza.pid);
  let still = 0;
  for (let round = 0; round * batch < callsMax && still < 2; round++) {
    await inParallel(Array.from({ length: batch }), 8, (_, index) => {
      const { path, body } = requests[index % requests.length] as WarmRequest;
      return post({ url: plaza.origin + path, key: plaza.key, body, agent });
    });
    const now = residentBytes(plaza.pid);
    still = now - before < settledBytes ? still + 1 : 0;
    before = now;
  }
  agent.destroy();
  return before;
}
