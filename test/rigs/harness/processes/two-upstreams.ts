/**
 * Two counting upstreams in separate processes, and models for rigs about failing upstreams: one on both (the
 * first has priority) and one on the first only, each in every format. Calls are made at all endpoints.
 */
import type { CallRecord } from "../../upstream/journal.ts";
import type { Plan } from "../../upstream/plan.ts";
import { inAllFormats, spokenName } from "../catalog.ts";
import { bodyFor, type EndpointName, pathOf, routeFor } from "../endpoints.ts";
import { post, type Seen } from "../http-client.ts";
import { type Plaza, startPlaza } from "./plaza.ts";
import { startUpstreamProcess, type UpstreamProcess } from "./upstream-process.ts";

export interface TwoUpstreams {
  readonly plaza: Plaza;
  readonly first: UpstreamProcess;
  readonly second: UpstreamProcess;
  /**
   * Sends a request on the next route, for the model on both upstreams or the one on the first only; `user`:
   * the session.
   */
  ask(model: "both" | "single", plan?: Partial<Plan>, user?: string): Promise<Answered>;
  /** Sets the fault of both upstreams; empty = none. */
  setFault(fault: string): Promise<void>;
}

/** An answer, and the format of the upstream that was to give it: each has its own health. */
export interface Answered extends Seen {
  readonly spoken: EndpointName;
}

/** The format of a call that an upstream received. */
export function formatOf({ path }: CallRecord): EndpointName {
  if (path.endsWith("/chat/completions")) return "chat";
  if (path.endsWith("/responses")) return "responses";
  return path.endsWith("/messages") ? "messages" : "gemini";
}

/** How a format says who calls, so that sessions spread over deployments. */
const sessions: Readonly<Record<EndpointName, (user: string) => object>> = {
  chat: (user) => ({ user }),
  responses: (user) => ({ user }),
  messages: (user) => ({ metadata: { user_id: user } }),
  gemini: () => ({}),
};

async function askOn(
  { origin, key }: Plaza,
  name: string,
  [seed, id]: readonly [seed: number, id: string],
  plan: Partial<Plan>,
  user: string | undefined,
): Promise<Answered> {
  const { endpoint, spoken } = routeFor(id, seed);
  const call = { model: spokenName(name, spoken), isStream: false, maxTokens: 100, plan, text: "hello" };
  const session = user === undefined ? {} : sessions[endpoint](user);
  const body = JSON.stringify({ ...JSON.parse(bodyFor(endpoint, call)), ...session });
  const seen = await post({ url: origin + pathOf(endpoint, call), key, body, withinMs: 20_000 });
  return { ...seen, spoken };
}

/** `seed`: of the run; it chooses the routes of calls. */
export async function withTwoUpstreams<T>(
  seed: number,
  work: (stage: TwoUpstreams) => Promise<T>,
): Promise<T> {
  let asked = 0;
  const first = await startUpstreamProcess();
  const second = await startUpstreamProcess();
  try {
    const plaza = await startPlaza({
      catalog: inAllFormats({
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
      }),
    });
    try {
      return await work({
        plaza,
        first,
        second,
        ask: (model, plan = {}, user = undefined) =>
          askOn(plaza, model, [seed, `call-${asked++}`], plan, user),
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
