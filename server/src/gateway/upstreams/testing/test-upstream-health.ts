/**
 * For tests: upstream health with a clock the test controls, models in one line of code, and calls that take
 * no time.
 */
import { type Deployment, defaultTimeouts, type Upstream } from "@plaza/contract/catalog.ts";
import type { HttpClient } from "../../../lib/net/http-client.ts";
import type { Fault } from "../../../protocols/protocol.ts";
import { openai } from "../../../providers/openai/openai.ts";
import type { LiveDeployment, LiveModel, LiveUpstream, Snapshot } from "../../snapshot.ts";
import { type Choice, createUpstreamHealth, type UpstreamHealth } from "../health.ts";
import type { HealthEvent } from "../verdict.ts";

export function liveUpstream(id: string, changes: Partial<Upstream> = {}, client?: HttpClient): LiveUpstream {
  const upstream = {
    id,
    provider: "openai",
    baseUrl: "http://127.0.0.1:9/v1",
    credentials: [`secret-of-${id}`],
    timeouts: defaultTimeouts,
    ...changes,
  };
  return { upstream, provider: openai, client };
}

export function deploymentOn(live: LiveUpstream, changes: Partial<Deployment> = {}): LiveDeployment {
  const deployment = { upstream: live.upstream.id, model: "m", priority: 1, weight: 1, ...changes };
  return { deployment, live };
}

export function liveModel(id: string, deployments: readonly LiveDeployment[]): LiveModel {
  return { model: { id, name: id, deployments: deployments.map((one) => one.deployment) }, deployments };
}

export function snapshotOf(...models: LiveModel[]): Snapshot {
  return { models: new Map(models.map((model) => [model.model.id, model])), limits: {} } as Snapshot;
}

export interface TestUpstreamHealth {
  readonly upstreamHealth: UpstreamHealth;
  readonly events: HealthEvent[];
  nowMs: number;
  choose(model: LiveModel, tried?: readonly Choice[], affinity?: number): Choice | undefined;
  /** Makes a call that ends at once; without a fault it succeeds. */
  call(choice: Choice, fault?: Fault, firstTokenMs?: number): void;
  /** Chooses and calls. Returns the upstream's id. */
  next(model: LiveModel, faultOf?: (choice: Choice) => Fault | undefined): string | undefined;
}

export const nameOf = (choice: Choice | undefined): string | undefined => choice?.live.live.upstream.id;

export function testUpstreamHealth(seed = 1): TestUpstreamHealth {
  let state = seed >>> 0;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const events: HealthEvent[] = [];
  const clock = { elapsedMs: () => test.nowMs, wallMs: () => 1_763_700_000_000 + test.nowMs };
  const upstreamHealth = createUpstreamHealth({ clock, random, onEvent: (event) => events.push(event) });
  const test: TestUpstreamHealth = {
    upstreamHealth,
    events,
    nowMs: 0,
    choose: (model, tried = [], affinity = undefined) =>
      upstreamHealth.choose(model, { affinity, isStream: true, tried, nowMs: test.nowMs }),
    call(choice, fault, firstTokenMs) {
      upstreamHealth.begin(choice, test.nowMs - (firstTokenMs ?? 0));
      if (firstTokenMs !== undefined) choice.answered(test.nowMs);
      upstreamHealth.end(choice, { fault, isCallerGone: false }, test.nowMs);
    },
    next(model, faultOf = () => undefined) {
      const choice = test.choose(model);
      if (choice !== undefined) test.call(choice, faultOf(choice));
      return nameOf(choice);
    },
  };
  return test;
}
