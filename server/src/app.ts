/** Makes the parts of one serving process, connects them, and stops them again. */
import type { Server } from "node:net";
import { setTimeout as setTimeoutPromise } from "node:timers/promises";
import type { Catalog } from "@plaza/contract/catalog.ts";
import pkg from "../package.json" with { type: "json" };
import { installationKeys } from "./app/installation-keys.ts";
import { createListeners } from "./app/listeners.ts";
import type { ListenSockets, Ports } from "./app/listening.ts";
import { type LiveParts, startLive } from "./app/live.ts";
import type { AppOptions } from "./app/options.ts";
import { machineIdentity, type Outbound, openOutbound, prepareOutbound } from "./app/outbound.ts";
import { createRetryBudgets } from "./domain/routing/retry-budget.ts";
import { TranslationThreads } from "./gateway/dispatch/threads/translation-threads.ts";
import { RefusedParams } from "./gateway/dispatch/without-param.ts";
import { createGate, type Gate } from "./gateway/gate/admit.ts";
import { createHeapGauge } from "./gateway/gate/heap-gauge.ts";
import { createOverload, type Overload } from "./gateway/gate/overload.ts";
import { createConcurrencyLimiters } from "./gateway/limits/concurrency-limiter.ts";
import { createLimits, type Limits } from "./gateway/limits/limits.ts";
import { createLeases, type Leases } from "./gateway/money/leases.ts";
import { createThinkingSpeeds } from "./gateway/money/thinking.ts";
import { countHealthEvents } from "./gateway/observe/process.ts";
import { createReadings } from "./gateway/observe/readings.ts";
import { observeStorage } from "./gateway/observe/storage.ts";
import { type StorageWatch, watchStorage } from "./gateway/observe/watch-storage.ts";
import { createWatchers, type WatchersOptions } from "./gateway/observe/watchers.ts";
import { type Authenticator, createAuthenticator } from "./gateway/request/authenticate.ts";
import { createDisconnectPolicy } from "./gateway/request/client-disconnect.ts";
import { createPayloadSeals } from "./gateway/request/memory/payload-seals.ts";
import { createReplayMemories } from "./gateway/request/memory/replay-memory.ts";
import type { PipelineContext } from "./gateway/request/pipeline.ts";
import { createRefusals, createStrangers } from "./gateway/request/refusals/refusals.ts";
import { createSnapshot, createUpstreams, type Snapshot } from "./gateway/snapshot.ts";
import type { UpstreamHealth } from "./gateway/upstreams/health.ts";
import { createMedia } from "./gateway/upstreams/media.ts";
import { createTokens } from "./gateway/upstreams/tokens.ts";
import { startHealthTracking } from "./gateway/upstreams/track-health.ts";
import { watchStore } from "./gateway/watch-store.ts";
import { type ReadContext, whyNotReady } from "./http/routes/read-routes.ts";
import { createIdFactory } from "./lib/id.ts";
import { createSenderOf } from "./lib/net/forwarded.ts";
import { collectAtRest } from "./lib/quiet-collection.ts";
import { createRegistry, type Registry } from "./lib/telemetry/metrics.ts";
import { createSchedule, type Schedule } from "./lib/time/schedule.ts";
import { createTicker } from "./lib/time/ticker.ts";
import { drain } from "./process/drain.ts";
import { loadProviders } from "./providers/index.ts";
import { holderLifeMs } from "./store/ledger/lease-shapes.ts";
import { isOfLiveViewers, probeAskedBy } from "./store/operation/news-shapes.ts";

/** One serving process. */
export interface App {
  readonly server: Server;
  /** Listens, first on the console's own address if it has one. Resolves with the ports. */
  listen(sockets?: ListenSockets): Promise<Ports>;
  /** Returns why this process should get no traffic; undefined = ready. Never rejects. */
  whyNotReady(): Promise<string | undefined>;
  /** Runs periodic work at the process's regular wake-ups. */
  readonly schedule: Schedule;
  /**
   * Stops without failing a call. For `lameDuckMs` it serves as usual, but is not ready and its answers close
   * their connections. Then it accepts no new connections, closes idle ones, and gives running requests a
   * bounded time to finish. Closes everything but the store. `isRetiring`: other processes keep serving this
   * port, so it stays ready and new connections go to them at once.
   */
  drain(lameDuckMs?: number, isRetiring?: boolean): Promise<void>;
}

/**
 * Heartbeat interval in milliseconds. The store believes a heartbeat for nine times as long
 * (`store/ledger/lease-shapes.ts`).
 */
const beatMs = 5_000;

/** How often idle lease money is looked for, in milliseconds. */
const tickMs = 1_000;

/** Runs `then` after `ms` milliseconds. The returned function cancels it. */
function later(ms: number, then: () => void): () => void {
  const timer = setTimeout(then, ms);
  return () => clearTimeout(timer);
}

/** Creates the process's load measurement and its one timer, which slows down while idle. */
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
  const collection = { stop: collectAtRest({ clock, schedule, isResting: () => overload.isResting }) };
  return { heap, schedule, overload, collection };
}

/**
 * Registers this process as a holder and manages what it borrows from the store: lease money and slices of
 * limits.
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
      // While the store is behind, returned money could not be borrowed again, and calls depend on it.
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

/** What metrics are read from on demand. */
interface Watched {
  readonly gate: Gate;
  readonly leases: Leases;
  readonly limits: Limits;
  readonly overload: Overload;
  readonly heap: ReturnType<typeof createHeapGauge>;
  readonly upstreamHealth: UpstreamHealth;
}

function watchersOf(
  { config, clock, log, store }: AppOptions,
  registry: Registry,
  { gate, leases, limits, overload, heap, upstreamHealth }: Watched,
) {
  const sources: WatchersOptions["sources"] = {
    inFlight: () => gate.inFlight,
    leases: () => leases.counts,
    isBehind: () => store.isBehind(),
    overload: () => overload.readings(),
    pauses: heap.pauses,
    upstreams: () => upstreamHealth.states(),
    limitHits: () => limits.counts.hits,
  };
  return createWatchers({ registry, log, clock, version: pkg.version, settings: config, sources });
}

/** Creates authentication and the handling of refused calls. */
function guardOf({ config, store, clock, log }: AppOptions) {
  const perMinute = config.refusedCallsPerMinute;
  const sender = createSenderOf(config.trustedProxies);
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

/** Tokens for credentials that are not sent as they are. */
const tokensOf = ({ clock, log }: AppOptions, { createClient }: Outbound) =>
  createTokens({ clock, log, createClient, identity: machineIdentity(clock) });

/** Applies what other processes write, and takes their reports about models. */
function followStore(
  { store, log }: AppOptions,
  afterId: number,
  parts: {
    readonly life: ReturnType<typeof startOwnHealthTracking>;
    readonly leases: Leases;
    readonly authenticator: Authenticator;
    readonly live: LiveParts;
    /** The catalog changed. */
    readonly reload: () => Promise<void>;
  },
) {
  const { life, leases, authenticator, live, reload } = parts;
  return watchStore({
    store,
    log,
    afterId,
    onReports: life.statuses.hear,
    async onChange(change) {
      const { kind, subject } = change;
      const probed = probeAskedBy(change);
      if (probed !== undefined) {
        life.probeNow(probed);
      } else if (isOfLiveViewers(change)) {
        live.noteViewers();
      } else if (kind === "catalog") {
        await reload();
      } else if (kind === "recall") {
        leases.recall(subject);
      } else {
        // Not awaited: other changes must not wait for a slow store.
        void authenticator.forget(kind, subject);
        leases.refresh(subject);
      }
    },
  });
}

const loadProvidersOf = (catalog: Catalog | undefined): Promise<void> =>
  loadProviders((catalog?.upstreams ?? []).map(({ provider }) => provider));

/**
 * Loads what an app most likely needs, while its process still waits for something else: the outbound side,
 * and the providers of the stored catalog. Never rejects; `createApp` does all of it again, and says why it
 * cannot.
 */
export async function prepareApp({ config, store }: Pick<AppOptions, "config" | "store">): Promise<void> {
  const providers = store.loadCatalog().then(loadProvidersOf);
  await Promise.allSettled([providers, prepareOutbound(config)]);
}

/** Creates the app of a process. The store must be migrated and contain a catalog. */
export async function createApp(options: AppOptions): Promise<App> {
  const { config, store, clock, log, registry = createRegistry() } = options;
  const outbound = await openOutbound(config, clock);
  const upstreams = createUpstreams(outbound.createClient);
  const { authenticator, refusals, sender } = guardOf(options);
  const { heap, schedule, overload, collection } = watchProcess(options);
  const gate = createGate(overload);
  const interruption = { isInterrupted: false };
  const newId = createIdFactory(clock);
  const borrowing = await startBorrowing(options, schedule, () => newId("hld"));
  const { leases, limits } = borrowing;
  const afterId = await store.lastChangeId();
  const life = startOwnHealthTracking(options, schedule, leases, registry, overload);
  const { upstreamHealth } = life;
  let snapshot: Snapshot = await loadSnapshot();
  const watchers = watchersOf(options, registry, { gate, leases, limits, overload, heap, upstreamHealth });
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
    seals: createPayloadSeals(clock, installationKeys(config)),
    thinking: createThinkingSpeeds(),
    tokens: tokensOf(options, outbound),
    media: createMedia(config),
    threads: new TranslationThreads(),
    snapshot: () => snapshot,
  };

  async function loadSnapshot(): Promise<Snapshot> {
    const catalog = await store.loadCatalog();
    await loadProvidersOf(catalog);
    const next = createSnapshot(catalog ?? { upstreams: [], models: [], limits: {} }, upstreams);
    upstreamHealth.adopt(next);
    return next;
  }

  async function reload(): Promise<void> {
    snapshot = await loadSnapshot();
    log.info("catalog_changed", { models: snapshot.models.size });
  }

  const live = startLive(options, { registry, schedule, gate, overload, leases });

  const watch = followStore(options, afterId, { life, leases, authenticator, live, reload });
  const storageWatch = startStorageWatch(options, schedule, registry);
  const serving = {
    context,
    registry,
    gate,
    bodies: overload,
    newRequestId: () => newId("req"),
    schedule,
    hasTroubledModels: life.statuses.hasTroubled,
    live: live.hub,
  };
  const listeners = await createListeners(options, serving);

  return {
    server: listeners.server,
    listen: listeners.listen,
    whyNotReady: () => whyNotReady(context),
    schedule,
    async drain(lameDuckMs = 0, isRetiring = false) {
      // Browsers come back to another process, or to the next one.
      live.hub.close();
      await drain(
        { gate, listeners, clock, log, interruption, drainMs: config.drainMs },
        lameDuckMs,
        isRetiring,
      );
      for (const part of [life, watch, live, storageWatch, borrowing, collection]) part.stop();
      await listeners.close();
      await refusals.close().catch(() => {});
      await borrowing.giveBack();
      await upstreams.close();
      for (const part of [outbound, context.threads, overload]) part?.stop();
      await watchers.collector?.close();
    },
  };
}
