/**
 * A deployment that is ten times slower beside a fast one: within five seconds nearly all calls go to the
 * fast one.
 */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { type Deployment, defaultTimeouts } from "@plaza/contract/catalog.ts";
import { post } from "../../rigs/harness/http-client.ts";
import { modelOn, startApp, upstreamAt } from "../harness/app-in-process.ts";
import { chunk, completion } from "../harness/openai-shapes.ts";

const usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 };
const whole = JSON.stringify({ ...completion({ message: { content: "one" } }), usage });
const streamed = [chunk({ content: "one" }), chunk({}, "stop"), "[DONE]"]
  .map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`)
  .join("");

async function upstream(delayMs: number, calls: number[]): Promise<Server> {
  const server = createServer((request, response) => {
    calls.push(performance.now());
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const isStream = Buffer.concat(parts).includes('"stream":true');
      setTimeout(() => {
        response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
        response.end(isStream ? streamed : whole);
      }, delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

const baseUrlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
const on = (id: string): Deployment => ({ upstream: id, model: "x", priority: 1, weight: 1 });

/** Each waits nine seconds, with separate servers. */
describe("ten times slower", { concurrency: true }, () => {
  for (const [stream, sessions] of [
    [true, 1],
    [true, 40],
    [false, 40],
  ] as const) {
    test(`${stream ? "streams" : "whole answers"} of ${sessions} sessions`, async (context) => {
      const slowCalls: number[] = [];
      const quickCalls: number[] = [];
      const slow = await upstream(1_000, slowCalls);
      const quick = await upstream(100, quickCalls);
      const app = await startApp({
        catalog: {
          upstreams: [slow, quick].map((server, index) =>
            upstreamAt(index === 0 ? "slow" : "quick", baseUrlOf(server), { timeouts: defaultTimeouts }),
          ),
          models: [modelOn("m", [], { deployments: [on("slow"), on("quick")] })],
          limits: {},
        },
      });
      context.after(async () => {
        await app.stop();
        for (const server of [slow, quick]) {
          server.closeAllConnections();
          await new Promise((resolve) => server.close(resolve));
        }
      });
      const { key } = await app.newAccount("10");
      const startedMs = performance.now();
      const asking: Promise<number>[] = [];
      for (let call = 0; performance.now() - startedMs < 9_000; call += 1) {
        const body = {
          model: "m",
          stream,
          user: `session-${call % sessions}`,
          messages: [{ role: "user", content: "hi" }],
        };
        asking.push(post({ url: app.chatUrl, key, body: JSON.stringify(body) }).then(({ status }) => status));
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
      assert.deepEqual([...new Set(await Promise.all(asking))], [200]);
      const late = (calls: readonly number[]) => calls.filter((at) => at - startedMs >= 5_000).length;
      const share = late(slowCalls) / (late(slowCalls) + late(quickCalls));
      assert.ok(share <= 0.1, `${share} of ${late(slowCalls) + late(quickCalls)} calls`);
    });
  }
});
