import type { Server } from "node:http";
import { setTimeout as setTimeoutPromise } from "node:timers/promises";
import pkg from "../package.json" with { type: "json" };
import { createListeners } from "./app/listeners.ts";
import type { ListenSockets, Ports } from "./app/listening.ts";
import type { AppOptions } from "./app/options.ts";
import { createRetryBudgets } from "./domain/routing/retry-budget.ts";
import { RefusedParams } from "./gateway/dispatch/without-param.ts";
import { createGate } from "./gateway/gate/admit.ts";
import { createHeapGauge } from "./gateway/gate/heap-gauge.ts";
import { createOverload, type Overload } from "./gateway/gate/overload.ts";
import { createConcurrencyLimiters } from "./gateway/limits/concurrency-limiter.ts";
import { createLimits } from "./gateway/limits/limits.ts";
import { createLeases, type Leases } from "./gateway/money/leases.ts";
import { createThinkingSpeeds } from "./gateway/money/thinking.ts";
import { countHealthEvents } from "./gateway/observe/process.ts";
import { createReadings } from "./gateway/observe/readings.ts";
import { observeStorage } from "./gateway/observe/storage.ts";
import { type StorageWatch, watchStorage } from "./gateway/observe/watch-storage.ts";
import { createWatchers, type WatchersOptions } from "./gateway/observe/watchers.ts";
import { createAuthenticator } from "./gateway/request/authenticate.ts";
import { createDisconnectPolicy } from "./gateway/request/client-disconnect.ts";
import type { PipelineContext } from "./gateway/request/pipeline.ts";
import { createRefusals, createStrangers } from "./gateway/request/refusals/refusals.ts";
import { createReplayMemories } from "./gateway/request/replay-memory.ts";
import { createSnapshot, createUpstreams, type Snapshot } from "./gateway/snapshot.ts";
import { createMedia } from "./gateway/upstreams/media.ts";
import { createTokens } from "./gateway/upstreams/tokens.ts";
import { startHealthTracking } from "./gateway/upstreams/track-health.ts";
import { watchStore } from "./gateway/watch-store.ts";
import { type ReadContext, whyNotReady } from "./http/routes/read-routes.ts";
import { createIdFactory } from "./lib/id.ts";
import { type Sent, senderOf } from "./lib/net/forwarded.ts";
import { createRegistry, type Registry } from "./lib/telemetry/metrics.ts";
import { createSchedule, type Schedule } from "./lib/time/schedule.ts";
import { createTicker } from "./lib/time/ticker.ts";
import { drain } from "./process/drain.ts";
import { loadProviders } from "./providers/index.ts";
import { holderLifeMs } from "./store/ledger/lease-shapes.ts";

/** One serving process. */
export interface App {
  readonly server: Server;
  /** Listens, on the console's own address first where it has one; resolves with the ports. */
  listen(sockets?: ListenSockets): Promise<Ports>;
  /** Why this process should get no traffic; undefined = it should. Never rejects. */
  whyNotReady(): Promise<string | undefined>;
  /** When the process wakes up anyway. */
  readonly schedule: Schedule;
  /**
   * Stops without failing a call. For `lameDuckMs` it serves as ever, not ready for traffic any more and with
   * answers that say so; then it takes no new connections, closes idle ones, and lets what is in flight
   * finish within the bound. Closes everything but the store. `isRetiring`: others go on serving on this
   * port, which stays ready and takes newcomers at once.
   */
  drain(lameDuckMs?: number, isRetiring?: boolean): Promise<void>;
}

/**
 * How often the store is told that this process lives (`store/ledger/lease-shapes.ts`: it
 * is believed for nine times as long).
 */
const beatMs = 5_000;

/** How often leases are looked through for what lies idle. */
const tickMs = 1_000;

/** Runs something later; what is returned keeps it from running. */
function later(ms: number, then: () => void): () => void {
  const timer = setTimeout(then, ms);
  return () => clearTimeout(timer);
}

/** What watches this process itself, and its one timer, which goes more slowly while nobody calls. */
function watchProcess({ config, clock, log, random }: AppOptions) {
  const bounds = {
    lagMaxMs: config.loopLagMaxMs,
    heapShareMax: config.heapPercentMax / 100,
    inFlightMax: config.inFlightMax,
    bodyBytesMax: config.bodyBytesMax,
    bodiesBytesMax: config.bodiesBytesMax,
  };
  const heap = createHeapGauge();
  const schedule: Schedule = createSchedule({ clock, isQuiet: () => overload.isResting });
  const overload = createOverload({ bounds, clock, log, random, heap, schedule });
  return { heap, schedule, overload };
}

/**
 * What this process borrows from the store: money, and parts of limits.
 * Registers it as a holder, and keeps it one.
 */
async function startBorrowing(
  { store, clock, log }: AppOptions,
  schedule: Schedule,
  newHolderId: () => string,
) {
  const leases = createLeases({ store, clock, log, newHolderId, holderLifeMs, sleep: setTimeoutPromise });
  await leases.open();
  const limits = createLimits({ store, clock, log, holder: leases, later });
  const stops = [
    schedule.every(beatMs, () => void leases.beat()),
    schedule.every(tickMs, () => {
      limits.tick();
      // What would be given back now could not be had again: it is what calls are served from.
      if (!store.isBehind()) leases.tick();
    }),
  ];
  return {
    leases,
    limits,
    stop(): void {
      for (const stop of stops) stop();
    },
    async giveBack(): Promise<void> {
      await limits.close();
      await leases.close().catch((error: Error) => log.warn("leases_not_returned", { error: error.message }));
    },
  };
}

function startOwnHealthTracking(
  { config, clock, log, random, store }: AppOptions,
  schedule: Schedule,
  leases: Leases,
  registry: Registry,
  overload: Overload,
) {
  const onEvent = countHealthEvents(registry);
  const readings = createReadings({
    version: pkg.version,
    clock,
    overload: () => overload.readings(),
    isBehind: () => store.isBehind(),
  });
  const successMin = config.successPercentMin / 100;
  const holderId = () => leases.holderId;
  return startHealthTracking({
    clock,
    schedule,
    log,
    random,
    store,
    holderId,
    readings,
    successMin,
    onEvent,
  });
}

function watchersOf(
  { config, clock, log }: AppOptions,
  registry: Registry,
  sources: WatchersOptions["sources"],
) {
  return createWatchers({ registry, log, clock, version: pkg.version, settings: config, sources });
}

/** Who is let in, and what becomes of those that are not. */
function guardOf({ config, store, clock, log }: AppOptions) {
  const perMinute = config.refusedCallsPerMinute;
  const sender = (sent: Sent) => senderOf(sent, config.trustedProxies);
  const strangers = createStrangers({ clock, perMinute, senderOf: sender });
  return {
    sender,
    authenticator: createAuthenticator({ store, clock, senderOf: sender, strangers }),
    refusals: createRefusals({ store, clock, log, perMinute }),
  };
}

function startStorageWatch(
  { config, store, clock, log }: AppOptions,
  schedule: Schedule,
  registry: Registry,
): StorageWatch {
  const watch = watchStorage({ store, log, schedule, dataDir: config.dataDir });
  observeStorage(registry, { store, watch, clock });
  return watch;
}

/** Makes a process's app; the store must be migrated and hold a catalog. */
export async function createApp(options: AppOptions): Promise<App> {
  const { config, store, clock, log, registry = createRegistry() } = options;
  const upstreams = createUpstreams();
  const { authenticator, refusals, sender } = guardOf(options);
  const { heap, schedule, overload } = watchProcess(options);
  const gate = createGate(overload);
  const interruption = { isInterrupted: false };
  const newId = createIdFactory(clock);
  const borrowing = await startBorrowing(options, schedule, () => newId("hld"));
  const { leases, limits } = borrowing;
  const afterId = await store.lastChangeId();
  const life = startOwnHealthTracking(options, schedule, leases, registry, overload);
  const { upstreamHealth } = life;
  let snapshot: Snapshot = await loadSnapshot();
  const watchers = watchersOf(options, registry, {
    inFlight: () => gate.inFlight,
    leases: () => leases.counts,
    isBehind: () => store.isBehind(),
    overload: () => overload.readings(),
    pauses: heap.pauses,
    upstreams: () => upstreamHealth.states(),
    limitHits: () => limits.counts.hits,
  });
  const context: PipelineContext & ReadContext = {
    store,
    clock,
    log,
    observe: watchers.observe,
    tracer: watchers.tracer,
    requestLog: watchers.requestLog,
    random: options.random,
    settings: config,
    ticker: createTicker(clock),
    authenticator,
    gate,
    senderOf: sender,
    leases,
    limits,
    refusals,
    measuredOf: life.statuses.measuredOf,
    interruption,
    disconnects: createDisconnectPolicy(),
    retryBudgets: createRetryBudgets(),
    refusedParams: new RefusedParams(),
    limiters: createConcurrencyLimiters(),
    upstreamHealth,
    memories: createReplayMemories({ clock, log, store, isShared: config.shareReasoning === "on" }),
    thinking: createThinkingSpeeds(),
    tokens: createTokens(clock),
    media: createMedia(config),
    snapshot: () => snapshot,
  };

  async function loadSnapshot(): Promise<Snapshot> {
    const catalog = await store.loadCatalog();
    await loadProviders((catalog?.upstreams ?? []).map(({ provider }) => provider));
    const next = createSnapshot(catalog ?? { upstreams: [], models: [], limits: {} }, upstreams);
    upstreamHealth.adopt(next);
    return next;
  }

  const watch = watchStore({
    store,
    log,
    afterId,
    onReports: life.statuses.hear,
    async onChange({ kind, subject }) {
      if (kind === "catalog") {
        snapshot = await loadSnapshot();
        log.info("catalog_changed", { models: snapshot.models.size });
      } else if (kind === "recall") {
        leases.recall(subject);
      } else {
        // Not waited for: other changes do not wait for a store that does not answer.
        void authenticator.forget(kind, subject);
        leases.refresh(subject);
      }
    },
  });

  const storageWatch = startStorageWatch(options, schedule, registry);
  const newRequestId = () => newId("req");
  const listeners = createListeners(options, { context, registry, gate, bodies: overload, newRequestId });

  return {
    server: listeners.server,
    listen: listeners.listen,
    whyNotReady: () => whyNotReady(context),
    schedule,
    async drain(lameDuckMs = 0, isRetiring = false) {
      await drain(
        { gate, listeners, clock, log, interruption, drainMs: config.drainMs },
        lameDuckMs,
        isRetiring,
      );
      for (const part of [life, watch, storageWatch, borrowing]) part.stop();
      await listeners.close();
      await refusals.close().catch(() => {});
      await borrowing.giveBack();
      await upstreams.close();
      overload.stop();
      await watchers.collector?.close();
    },
  };
}
