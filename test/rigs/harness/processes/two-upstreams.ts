/**
 * Two counting upstreams in separate processes, and models for rigs about failing upstreams: one on both (the
 * first has priority) and one on the first only.
 */
import type { CallRecord } from "../../upstream/journal.ts";
import { post, type Seen } from "../http-client.ts";
import { type Plaza, startPlaza } from "./plaza.ts";
import { startUpstreamProcess, type UpstreamProcess } from "./upstream-process.ts";

export interface TwoUpstreams {
  readonly plaza: Plaza;
  readonly first: UpstreamProcess;
  readonly second: UpstreamProcess;
  /** Sends a request for the model on both upstreams or the one on the first only; `user`: the session. */
  ask(model: "both" | "single", rig?: Readonly<Record<string, unknown>>, user?: string): Promise<Seen>;
  /** Sets the fault of both upstreams; empty = none. */
  setFault(fault: string): Promise<void>;
}

/** Chat calls that an upstream received, without the gateway's probes. */
export async function chatCalls(upstream: UpstreamProcess): Promise<CallRecord[]> {
  return (await upstream.calls()).filter(({ path }) => path.endsWith("/chat/completions"));
}

export async function withTwoUpstreams<T>(work: (stage: TwoUpstreams) => Promise<T>): Promise<T> {
  const first = await startUpstreamProcess();
  const second = await startUpstreamProcess();
  try {
    const plaza = await startPlaza({
      catalog: {
        upstreams: [
          { id: "first", baseUrl: first.baseUrl },
          { id: "second", baseUrl: second.baseUrl },
        ],
        models: [
          {
            id: "both",
            deployments: [
              { upstream: "first", model: "upstream-model" },
              { upstream: "second", model: "upstream-model" },
            ],
          },
          { id: "single", deployments: [{ upstream: "first", model: "single-model" }] },
        ],
      },
    });
    try {
      return await work({
        plaza,
        first,
        second,
        ask: (model, rig = {}, user = undefined) =>
          post({
            url: plaza.chatUrl,
            key: plaza.key,
            body: JSON.stringify({ model, messages: [{ role: "user", content: "hello" }], user, x_rig: rig }),
            withinMs: 20_000,
          }),
        async setFault(fault) {
          await first.setPlan({ fault });
          await second.setPlan({ fault });
        },
      });
    } finally {
      await plaza.stop();
    }
  } finally {
    await first.stop();
    await second.stop();
  }
}
