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

/**
 * Sends ordinary calls until the resident size is stable twice in a row, at most `callsMax`. Resolves with
 * that size.
 */
export async function warmUp(plaza: Plaza, callsMax: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const bodies = [false, true].map((stream) =>
    JSON.stringify({
      model: "rig-model",
      messages: [{ role: "user", content: "hello" }],
      stream,
      x_rig: { tokens: 4 },
    }),
  );
  let before = residentBytes(plaza.pid);
  let still = 0;
  for (let round = 0; round * batch < callsMax && still < 2; round++) {
    await inParallel(Array.from({ length: batch }), 8, (_, index) =>
      post({ url: plaza.chatUrl, key: plaza.key, body: bodies[index % 2] ?? "", agent }),
    );
    const now = residentBytes(plaza.pid);
    still = now - before < settledBytes ? still + 1 : 0;
    before = now;
  }
  agent.destroy();
  return before;
}
