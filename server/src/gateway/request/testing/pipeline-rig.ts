/**
 * For tests: the pipeline with fakes for everything around it, which track what was taken and released. No
 * server, store or socket.
 */
import type { Price } from "@plaza/contract/catalog.ts";
import type { GatewayError } from "@plaza/contract/errors.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import { createRetryBudgets } from "../../../domain/routing/retry-budget.ts";
import type { Ticker } from "../../../lib/time/ticker.ts";
import type { LocalProvider, Script } from "../../../providers/provider.ts";
import type { IdempotencyClaim, Settlement } from "../../../store/requests/settlement-shapes.ts";
import type { RequestRow } from "../../../store/requests/shapes.ts";
import { RefusedParams } from "../../dispatch/without-param.ts";
import { createConcurrencyLimiters } from "../../limits/concurrency-limiter.ts";
import { createThinkingSpeeds } from "../../money/thinking.ts";
import {
  deploymentOn,
  liveModel,
  snapshotOf,
  testUpstreamHealth,
} from "../../upstreams/testing/test-upstream-health.ts";
import { createDisconnectPolicy } from "../client-disconnect.ts";
import { type PipelineContext, serveCall } from "../pipeline.ts";
import { Reply } from "../reply.ts";
import { readyEcho } from "./fake-endpoint.ts";
import { ScriptedCaller } from "./scripted-caller.ts";

/** What a request takes and must release exactly once. */
const resources = ["place", "call", "limits", "hold", "claim"] as const;
type Resource = (typeof resources)[number];

/** NanoUsd per million tokens: an input token costs 1,000, an output token 2,000. */
const price: Price = { input: nanoUsd(1_000_000_000n), output: nanoUsd(2_000_000_000n) };

export const scriptOf = (body: string): Script => ({
  status: 200,
  headers: { "content-type": "application/json" },
  steps: [{ afterMs: 0, bytes: Buffer.from(body) }],
  ending: "end",
});

export const streamOf = (...events: readonly string[]): Script => ({
  status: 200,
  headers: { "content-type": "text/event-stream" },
  steps: events.map((event) => ({ afterMs: 0, bytes: Buffer.from(`data: ${event}\n\n`) })),
  ending: "end",
});

/** How the fakes behave; a test changes the ones it is about. */
export interface Steps {
  admit: () => void;
  authenticate: () => void;
  refuseEarly: () => GatewayError | undefined;
  claim: () => IdempotencyClaim | Promise<IdempotencyClaim>;
  limit: () => void;
  /** The account's balance in NanoUsd. */
  available: bigint;
  onHold: () => void;
  record: () => void;
  script: () => Script;
  isRow: () => boolean;
}

/** Counts what was taken for the request and how often it was released. */
class Account {
  readonly counts: Record<Resource, [taken: number, ended: number]> = {
    place: [0, 0],
    call: [0, 0],
    limits: [0, 0],
    hold: [0, 0],
    claim: [0, 0],
  };

  take(what: Resource): void {
    this.counts[what][0] += 1;
  }

  end(what: Resource): void {
    this.counts[what][1] += 1;
  }

  /** Takes the resource. The returned function releases it once, however often it is called. */
  once(what: Resource): () => void {
    this.take(what);
    let isEnded = false;
    return () => {
      if (!isEnded) this.end(what);
      isEnded = true;
    };
  }

  taken = (): Resource[] => resources.filter((what) => this.counts[what][0] > 0);
  left = (): Resource[] => resources.filter((what) => this.counts[what][0] !== this.counts[what][1]);
}

/** Ten requests are left; every call takes one and returns it if it used no tokens. */
function fakeLimits(account: Account, steps: Steps) {
  const state = { left: 10, started: 0 };
  const admit = () => {
    steps.limit();
    state.left -= 1;
    const endOnce = account.once("limits");
    let isOver = false;
    return {
      start() {
        state.started += 1;
      },
      end(tokens: number) {
        if (!isOver && tokens === 0) state.left += 1;
        isOver = true;
        endOnce();
      },
    };
  };
  const headers = () => ["x-ratelimit-remaining-requests", String(state.left)];
  return { state, limits: { admit, admitRepeat: admit, admitSubstitute: admit, headers } };
}

function fakeLeases(account: Account, steps: Steps) {
  const pooled = (amount: bigint) => {
    account.take("hold");
    steps.onHold();
    const leasePool = {
      subject: { kind: "account", id: "acc_1", ownerId: "acc_1" },
      end: (_hold: object, charge: bigint) => {
        account.end("hold");
        return { fromLease: charge, release: 0n };
      },
      drop: () => account.end("hold"),
      doubt: () => {},
    };
    return { leasePool, holderId: "hld_1", amount, isEnded: false };
  };
  return {
    holderId: "hld_1",
    beat: async () => {},
    holdAtOnce: (_account: string, amount: bigint) =>
      amount <= steps.available ? pooled(amount) : undefined,
    hold: (_subject: object, { atLeast }: { atLeast: bigint }) =>
      atLeast <= steps.available ? pooled(steps.available) : { kind: "short", available: steps.available },
  };
}

/** What reached the store and the observers. */
interface Written {
  readonly rows: RequestRow[];
  readonly settlements: (Settlement | undefined)[];
  readonly refused: [code: string, status: number][];
  readonly recorded: boolean[];
  readonly logged: string[];
}

function fakeStore(account: Account, steps: Steps, written: Written) {
  return {
    async claimIdempotencyKey() {
      const outcome = await steps.claim();
      if (outcome.kind === "claimed") account.take("claim");
      return outcome;
    },
    async dropIdempotencyClaim() {
      account.end("claim");
    },
    async recordRequest(row: RequestRow, settlement: Settlement | undefined) {
      steps.record();
      if (settlement?.idempotency !== undefined) account.end("claim");
      written.rows.push(row);
      written.settlements.push(settlement);
    },
  };
}

/** A model `m` with a price, at one upstream that answers as the test says. */
function fakeSnapshot(steps: Steps) {
  const provider: LocalProvider = {
    id: "fake",
    transport: "local",
    scripts: { chat: () => steps.script() },
    fault: (status) => ({ kind: "server", status }),
  };
  const timeouts = { connectMs: 1_000, firstTokenMs: 1_000, idleMs: 1_000, totalMs: 1_000 };
  const upstream = { id: "u", provider: "fake", baseUrl: "", credentials: [], timeouts };
  const plain = liveModel("m", [deploymentOn({ upstream, provider, client: undefined })]);
  return snapshotOf({ ...plain, model: { ...plain.model, priceRows: [{ id: 1, validFrom: 0, price }] } });
}

const settings = {
  bodyBytesMax: 10_000,
  requestCompression: "off",
  bodyStallMs: 1_000,
  bodyRateMin: 1,
  keepAliveCommentMs: 1_000,
  answerBytesMax: 10_000,
  stalledReaderMs: 1_000,
  idempotencyBytesMax: 1_000,
  idempotencyKeptMs: 1_000,
};

function fakeContext(account: Account, steps: Steps, written: Written, caller: object) {
  const snapshot = fakeSnapshot(steps);
  return {
    settings,
    clock: { wallMs: () => 1_000, elapsedMs: () => 0 },
    gate: {
      admit() {
        steps.admit();
        return { makeRoom() {}, noteStream() {}, end: account.once("place") };
      },
    },
    authenticator: {
      check() {
        steps.authenticate();
        return caller;
      },
      begin: () => account.take("call"),
      end: () => account.end("call"),
    },
    refusals: { refuseEarly: () => steps.refuseEarly(), isRow: () => steps.isRow() },
    leases: fakeLeases(account, steps),
    store: fakeStore(account, steps, written),
    observe: {
      settled: ({ isRecorded }: { isRecorded: boolean }) => written.recorded.push(isRecorded),
      refused: (code: string, status: number) => written.refused.push([code, status]),
    },
    log: {
      warn: (event: string) => written.logged.push(event),
      error: (event: string) => written.logged.push(event),
    },
    tracer: undefined,
    requestLog: undefined,
    ticker: { add() {}, delete() {}, list: () => [] } as Ticker,
    interruption: { isInterrupted: false },
    disconnects: createDisconnectPolicy(),
    retryBudgets: createRetryBudgets(),
    refusedParams: new RefusedParams(),
    limiters: createConcurrencyLimiters(),
    upstreamHealth: testUpstreamHealth().upstreamHealth,
    thinking: createThinkingSpeeds(),
    random: () => 0,
    snapshot: () => snapshot,
  };
}

/** One call of the fake endpoint. `requestId`: its id. */
export function createPipelineRig(
  body = '{"which":"m"}',
  headers: Record<string, string> = {},
  requestId = "req_1",
) {
  const steps: Steps = {
    admit: () => {},
    authenticate: () => {},
    refuseEarly: () => undefined,
    claim: () => ({ kind: "claimed" }),
    limit: () => {},
    available: 1_000_000_000n,
    onHold: () => {},
    record: () => {},
    script: () => scriptOf('{"said":"hi","used":{"in":10,"out":5}}'),
    isRow: () => true,
  };
  const account = new Account();
  const written: Written = { rows: [], settlements: [], refused: [], recorded: [], logged: [] };
  const caller = {
    key: { id: "key_1", accountId: "acc_1", budget: null },
    models: undefined,
    accountLimits: {},
    ended: undefined as GatewayError | undefined,
  };
  const { state, limits } = fakeLimits(account, steps);
  const context = { ...fakeContext(account, steps, written, caller), limits };
  const exchange = new ScriptedCaller(body, { authorization: "Bearer k", ...headers });
  const reply = new Reply(exchange, requestId, undefined);
  return {
    ...written,
    steps,
    caller,
    context,
    exchange,
    counts: account.counts,
    serve: (endpoint = readyEcho, tail?: string) =>
      serveCall(context as unknown as PipelineContext, endpoint, exchange, reply, tail),
    /** Number of requests that counted against limits: an upstream was called or a stored answer sent. */
    started: () => state.started,
    taken: account.taken,
    /** Resources not released exactly as often as taken. */
    left: account.left,
    code: () => (JSON.parse(exchange.text) as { error?: { code?: string } }).error?.code,
  };
}
