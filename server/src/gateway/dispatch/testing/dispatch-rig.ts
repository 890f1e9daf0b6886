/**
 * For tests: dispatch with upstreams, clock, timers and caller under the test's control. Tracks everything
 * taken for the request.
 */
import type { TestContext } from "node:test";
import type { Deployment, Price, Upstream } from "@plaza/contract/catalog.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import { createRetryBudgets, type RetryBudget } from "../../../domain/routing/retry-budget.ts";
import type { HttpClient } from "../../../lib/net/http-client.ts";
import type { Tickable, Ticker } from "../../../lib/time/ticker.ts";
import { plainSeal } from "../../../protocols/payloads/seal.ts";
import { ConcurrencyLimiter } from "../../limits/concurrency-limiter.ts";
import type { LimitAdmission, SubstituteUse } from "../../limits/limits.ts";
import { createDisconnectPolicy, type DisconnectPolicy } from "../../request/client-disconnect.ts";
import { Reply } from "../../request/reply.ts";
import { readyEcho } from "../../request/testing/fake-endpoint.ts";
import { ScriptedCaller } from "../../request/testing/scripted-caller.ts";
import {
  deploymentOn,
  liveModel,
  liveUpstream,
  testUpstreamHealth,
} from "../../upstreams/testing/test-upstream-health.ts";
import { type Candidate, type DispatchContext, type DispatchRequest, dispatch } from "../dispatch.ts";
import { RefusedParams } from "../without-param.ts";
import { FakeCall } from "./fake-call.ts";

/** Lets pending promises run. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** NanoUsd the upstream bills per million tokens: 1,000,000 for input, ten times that for output. */
const costOfOne: Price = { input: nanoUsd(1_000_000n), output: nanoUsd(10_000_000n) };
const price: Price = { input: nanoUsd(1_000_000_000n), output: nanoUsd(2_000_000_000n) };

/** A ticker that the test advances. */
class TurnedTicker implements Ticker {
  readonly #members = new Set<Tickable>();

  add(member: Tickable): void {
    member.tickerIndex = 0;
    this.#members.add(member);
  }

  delete(member: Tickable): void {
    member.tickerIndex = -1;
    this.#members.delete(member);
  }

  list = (): Tickable[] => [...this.#members];

  turn(nowMs: number): void {
    for (const member of this.list()) if (member.tickerIndex >= 0) member.tick(nowMs);
  }
}

/** A Reply that counts its watchers. */
class WatchedReply extends Reply {
  readonly watching = new Set<object>();

  override watch(watcher: Parameters<Reply["watch"]>[0]): void {
    this.watching.add(watcher);
    super.watch(watcher);
  }

  override unwatch(watcher: Parameters<Reply["watch"]>[0]): void {
    this.watching.delete(watcher);
    super.unwatch(watcher);
  }
}

/** A failed attempt, as logged. */
interface Logged {
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Attempts the budget still waits for, and requests in its line. */
function owedTo(budget: RetryBudget, nowMs: number): [underWay: number, inLine: number] {
  let begun = 0;
  while (budget.begin(nowMs)) begun += 1;
  for (let index = 0; index < begun; index += 1) budget.settle(false);
  let joined = 0;
  while (budget.joinLine()) joined += 1;
  for (let index = 0; index < joined; index += 1) budget.leaveLine();
  return [begun, joined];
}

type Model = ReturnType<typeof liveModel>;

/** What a test may change, and what was observed and taken. */
function createAccount() {
  return {
    calls: [] as FakeCall[],
    logged: [] as Logged[],
    models: [] as Model[],
    replies: [] as WatchedReply[],
    /** Credentials whose access tokens were discarded. */
    forgotten: [] as string[],
    limiters: new Map<object, ConcurrencyLimiter>(),
    budgets: createRetryBudgets(),
    ticker: new TurnedTicker(),
    health: testUpstreamHealth(),
    interruption: { isInterrupted: false },
    /** Abandoned answers that are still read. */
    readingOn: 0,
    /** Called for each log line. */
    onLog: () => {},
    /** True: upstreams accept connections at once. */
    connects: true,
    /** Replaces the check of a substitute's limits. */
    admitSubstitute: (_use: SubstituteUse): void | Promise<void> => {},
    /** Tokens that each substitute admission was ended with. */
    admissions: [] as (number | "open")[],
  };
}

type Account = ReturnType<typeof createAccount>;

/** Counts abandoned answers that are still read. */
function countedDisconnects(account: Account): DisconnectPolicy {
  const policy = createDisconnectPolicy();
  return {
    readOn(wish) {
      const reading = policy.readOn(wish);
      if (reading === undefined) return undefined;
      account.readingOn += 1;
      return {
        ms: reading.ms,
        end() {
          account.readingOn -= 1;
          reading.end();
        },
      };
    },
  };
}

async function admitSubstitute(account: Account, use: SubstituteUse): Promise<LimitAdmission> {
  await account.admitSubstitute(use);
  const at = account.admissions.push("open") - 1;
  return {
    start() {},
    end(tokens: number) {
      if (account.admissions[at] === "open") account.admissions[at] = tokens;
    },
  } as LimitAdmission;
}

function fakeContext(account: Account, random: () => number): DispatchContext {
  const { health, ticker, interruption } = account;
  const log = (event: string, fields: Logged["fields"] = {}) => {
    account.logged.push({ event, fields });
    account.onLog();
  };
  const context = {
    interruption,
    disconnects: countedDisconnects(account),
    clock: { elapsedMs: () => health.nowMs, wallMs: () => 1_763_700_000_000 + health.nowMs },
    ticker,
    settings: { stalledReaderMs: 1_000, keepAliveCommentMs: 15_000, answerBytesMax: 1_000 },
    memories: {
      of: () => ({ recall: () => undefined, remember: () => {}, lookUp: () => undefined }),
      size: { entries: 0, characters: 0 },
    },
    seals: { of: () => plainSeal },
    log: { debug: log, info: log, warn: log, error: log },
    random,
    upstreamHealth: health.upstreamHealth,
    limits: { admitSubstitute: (use: SubstituteUse) => admitSubstitute(account, use) },
    retryBudgets: account.budgets,
    refusedParams: new RefusedParams(),
    limiters: {
      of(owner: object, most: number, queueMost: number) {
        const limiter = account.limiters.get(owner) ?? new ConcurrencyLimiter(most, queueMost);
        account.limiters.set(owner, limiter);
        return limiter;
      },
    },
    tokens: {
      get: (_scheme: unknown, _upstream: unknown, credential: string) => credential,
      forget: (_upstream: unknown, credential: string) => void account.forgotten.push(credential),
    },
    media: { fetch: () => Promise.reject(new Error("nothing is fetched")) },
  };
  return context as unknown as DispatchContext;
}

/** Everything taken for requests and not released. */
function leftOf({ health, limiters, budgets, models, ...account }: Account): string[] {
  const found: [count: number, what: string][] = [];
  for (const { inFlight, live } of health.upstreamHealth.slots.list()) {
    found.push([inFlight, `calls at ${live.upstream.id}`]);
  }
  for (const { taken, waiting } of limiters.values()) found.push([taken, "permits"], [waiting, "in line"]);
  const [wholeBegun, wholeJoined] = owedTo(createRetryBudgets().of("m", health.nowMs), health.nowMs);
  for (const { model } of models) {
    const [begun, joined] = owedTo(budgets.of(model.id, health.nowMs), health.nowMs);
    // An exhausted budget starts no attempts.
    if (begun > 0) found.push([wholeBegun - begun, `of ${model.id}'s retry budget`]);
    found.push([wholeJoined - joined, `in the line of ${model.id}'s retry budget`]);
  }
  found.push([account.ticker.list().length, "in the ticker"], [account.readingOn, "read on"]);
  for (const { watching } of account.replies) found.push([watching.size, "watch a reply"]);
  found.push([account.admissions.filter((one) => one === "open").length, "admissions of substitutes"]);
  return found.filter(([count]) => count !== 0).map(([count, what]) => `${count} ${what}`);
}

/** Another caller, for a request in parallel with the rig's own. */
function newCaller({ replies }: Account) {
  const caller = new ScriptedCaller('{"which":"m"}', {});
  const reply = new WatchedReply(caller, `req_${replies.length + 1}`, undefined);
  replies.push(reply);
  return { caller, reply };
}

/** Builds upstreams and their models. */
function catalogOf(account: Account) {
  const clientOf = (id: string): HttpClient => ({
    post(call, handler) {
      const made = new FakeCall(id, call, handler);
      account.calls.push(made);
      if (account.connects) made.connect();
    },
    get() {},
    async close() {},
  });
  const upstream = (id: string, changes: Partial<Upstream> = {}) => liveUpstream(id, changes, clientOf(id));
  return {
    upstream,
    /** A model at these upstreams, tried in this order. */
    model(
      id: string,
      upstreams: readonly (string | ReturnType<typeof liveUpstream>)[],
      changes: Partial<Model["model"]> = {},
      deployment: Partial<Deployment> = {},
    ): Model {
      const deployments = upstreams.map((one, index) =>
        deploymentOn(typeof one === "string" ? upstream(one) : one, {
          priority: index + 1,
          cost: costOfOne,
          ...deployment,
        }),
      );
      const plain = liveModel(id, deployments);
      const live = { ...plain, model: { ...plain.model, ...changes } };
      account.models.push(live);
      return live;
    },
    candidate: (model: Model, changes: Partial<Candidate> = {}): Candidate => ({
      resolved: { model, price, priceId: 1 },
      outputTokensMax: undefined,
      ...changes,
    }),
  };
}

/** A request for these models with the body `{"which":"m"}`. */
function requestOf(
  candidates: readonly Candidate[],
  reply: Reply,
  changes: Partial<DispatchRequest>,
): DispatchRequest {
  return {
    endpoint: readyEcho,
    body: Buffer.from('{"which":"m"}'),
    fields: { model: "m", otherModels: undefined, isStream: false, showsUsage: true, spans: {}, apart: [] },
    isRewritten: false,
    spans: {},
    isStream: false,
    candidates: candidates as [Candidate, ...Candidate[]],
    reply,
    caller: { key: { id: "key_1", accountId: "acc_1" }, ended: undefined },
    arrivedMs: 0,
    apart: [],
    showsUsage: true,
    most: { inputTokens: 100, outputTokens: 1_000, furtherTokens: 0, answers: 1 },
    isKept: false,
    ...changes,
  };
}

export type DispatchRig = ReturnType<typeof createDispatchRig>;

/** Mocks `setTimeout` during the test. `random`: spread of the pauses. */
export function createDispatchRig(t: TestContext, random: () => number = () => 0.5) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const account = createAccount();
  const { health, ticker, calls } = account;
  const context = fakeContext(account, random);
  const catalog = catalogOf(account);
  const { caller, reply } = newCaller(account);

  function candidatesOf(what: readonly string[] | Model | readonly Candidate[]): readonly Candidate[] {
    if ("model" in what) return [catalog.candidate(what)];
    if (what.every((one) => typeof one === "string")) return [catalog.candidate(catalog.model("m", what))];
    return what as readonly Candidate[];
  }

  return {
    ...account,
    ...catalog,
    state: account,
    context,
    caller,
    reply,
    another: () => newCaller(account),
    /**
     * Dispatches a request of the rig's caller, for a model at these upstreams or for the given candidates.
     */
    start: (what: Parameters<typeof candidatesOf>[0], changes: Partial<DispatchRequest> = {}) =>
      dispatch(context, requestOf(candidatesOf(what), reply, changes)),
    /** The latest call. */
    last(): FakeCall {
      const call = calls.at(-1);
      if (call === undefined) throw new Error("nothing was called");
      return call;
    },
    /** Advances time: a tick every 100 ms, and each timer when it is due. */
    async pass(ms: number): Promise<void> {
      const untilMs = health.nowMs + ms;
      while (health.nowMs < untilMs) {
        const stepMs = Math.min(100, untilMs - health.nowMs);
        health.nowMs += stepMs;
        t.mock.timers.tick(stepMs);
        ticker.turn(health.nowMs);
        await settled();
      }
    },
    /** Everything taken for requests and not released; must be empty at the end of a test. */
    left: () => leftOf(account),
    /** Faults of the attempts that were logged. */
    faults: () =>
      account.logged.filter(({ event }) => event === "attempt_failed").map(({ fields }) => fields["fault"]),
  };
}
