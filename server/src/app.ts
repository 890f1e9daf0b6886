/**
 * The composition root: makes every part of one serving process from the config and wires them together. It decides
 * nothing about requests; it only passes parts to each other.
 */
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as setTimeoutPromise } from "node:timers/promises";
import pkg from "../package.json" with { type: "json" };
import type { Config } from "./config.ts";
import type { ListenPlace } from "./config-values.ts";
import { startUsageRollup } from "./control/usage-rollup.ts";
import { createControlContext } from "./control-context.ts";
import { createRetryBudgets } from "./domain/retry-budget.ts";
import { createGate, type Gate } from "./gateway/admit.ts";
import { createAuthenticator } from "./gateway/authenticate.ts";
import { type ChatContext, chat } from "./gateway/chat.ts";
import { createAnswerScanners, createChatScanners } from "./gateway/chat-scan.ts";
import { startFleet } from "./gateway/fleet-life.ts";
import { createLeases, type Leases } from "./gateway/leases.ts";
import { createLeaving } from "./gateway/leaving.ts";
import { createLimits } from "./gateway/limits.ts";
import { createMedia } from "./gateway/media.ts";
import { countFleetEvents } from "./gateway/observe-process.ts";
import { createReadings } from "./gateway/observe-readings.ts";
import { createWatchers, type WatchersOptions } from "./gateway/observe-watchers.ts";
import { createOverload, type Overload } from "./gateway/overload.ts";
import { createPlaces } from "./gateway/places.ts";
import { streamMarks } from "./gateway/relay.ts";
import { createReplayMemories } from "./gateway/replay-memory.ts";
import { createSnapshot, createUpstreams, type Snapshot } from "./gateway/snapshot.ts";
import { createTokens } from "./gateway/tokens.ts";
import { watchStore } from "./gateway/watch-store.ts";
import { createControlPlane } from "./http/control-plane.ts";
import { callerRoutes, statusRoutes } from "./http/looks.ts";
import { metricsRoute } from "./http/metrics.ts";
import { type GatherMetrics, gatherAlone, type OwnFamilies } from "./http/metrics-gather.ts";
import { createOperatorGuard } from "./http/operator-guard.ts";
import { createRoutes, type Elsewhere, type RouteEntry } from "./http/routes.ts";
import { createHttpServer } from "./http/server.ts";
import { upstreamsRoute } from "./http/upstreams.ts";
import type { Clock } from "./lib/clock.ts";
import { senderOf } from "./lib/forwarded.ts";
import { createIdFactory } from "./lib/id.ts";
import type { Log } from "./lib/log.ts";
import { createRegistry, type Registry } from "./lib/metrics.ts";
import { createSseReaderFactory } from "./lib/sse.ts";
import { createTicker } from "./lib/ticker.ts";
import { isWithin } from "./lib/within.ts";
import { loadProviders } from "./providers/index.ts";
import { holderLifeMs } from "./store/holder-life.ts";
import type { Store } from "./store/store.ts";

/** Where a process listens; the same port twice unless the console has an address of its own. */
export interface Ports {
  readonly endpoint: number;
  readonly console: number;
}

/** One serving process. */
export interface App {
  readonly server: Server;
  /** Listens, on the console's own address first where it has one; resolves with the ports. */
  listen(): Promise<Ports>;
  /** Refuses newcomers, lets what is in flight finish within the bound, then closes everything but the store. */
  drain(): Promise<void>;
}

export interface AppOptions {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  /** Where the process counts; default one of its own. */
  readonly registry?: Registry;
  /** How the metrics of all processes come together; default: this process is alone. */
  readonly gatherMetrics?: (own: OwnFamilies) => GatherMetrics;
}

/** How long interrupted streams have to send their last event and settle. */
const interruptMs = 2_000;

/** How often the store is told that this process lives (`store/holder-life.ts`: it is believed for nine times as long). */
const beatMs = 5_000;

/** How often leases are looked through for what lies idle. */
const tickMs = 1_000;

/** How long connections have to close by themselves once nothing is in flight. */
const closeMs = 500;

/** Runs something later; what is returned keeps it from running. */
function later(ms: number, then: () => void): () => void {
  const timer = setTimeout(then, ms);
  return () => clearTimeout(timer);
}

/** Listens; resolves with the port. */
async function listen(server: Server, { port, host }: ListenPlace): Promise<number> {
  server.listen({ port, host, backlog: 4096 });
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Stops listening; connections go when their last answer is out, or after a moment whatever they do. */
async function closeServer(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  if (await isWithin(closed, closeMs)) return;
  server.closeAllConnections();
  await closed;
}

function watchOverload({ config, clock, log, random }: AppOptions): Overload {
  const bounds = {
    lagMaxMs: config.loopLagMaxMs,
    heapShareMax: config.heapPercentMax / 100,
    inFlightMax: config.inFlightMax,
    bodyBytesMax: config.bodyBytesMax,
    bodiesBytesMax: config.bodiesBytesMax,
  };
  return createOverload({ bounds, clock, log, random });
}

function createServer(
  { config, log }: AppOptions,
  routes: RouteEntry[],
  newRequestId: () => string,
  gate: Gate,
  elsewhere?: Elsewhere,
): Server {
  return createHttpServer({
    settings: {
      headersTimeoutMs: config.headersTimeoutMs,
      keepAliveTimeoutMs: config.keepAliveTimeoutMs,
      connectionsMax: config.connectionsMax,
      corsOrigins: config.corsOrigins,
    },
    newRequestId,
    refusalOf: gate.refusalOf,
    route: createRoutes(
      routes,
      (reply, thrown) =>
        log.error("internal_error", {
          request: reply.requestId,
          stack: thrown instanceof Error ? thrown.stack : String(thrown),
        }),
      elsewhere,
    ),
  });
}

/** What this process borrows from the store: money, and parts of limits. Registers it as a holder, and keeps it one. */
async function startBorrowing({ store, clock, log }: AppOptions, newHolderId: () => string) {
  const leases = createLeases({ store, clock, log, newHolderId, holderLifeMs, sleep: setTimeoutPromise });
  await leases.open();
  const limits = createLimits({ store, clock, log, holder: leases, later });
  const beatTimer = setInterval(() => void leases.beat(), beatMs).unref();
  const tickTimer = setInterval(() => {
    limits.tick();
    // What would be given back now could not be had again: it is what calls are served from.
    if (!store.isBehind()) leases.tick();
  }, tickMs).unref();
  return {
    leases,
    limits,
    stop(): void {
      clearInterval(beatTimer);
      clearInterval(tickTimer);
    },
    async giveBack(): Promise<void> {
      await limits.close();
      await leases.close().catch((error: Error) => log.warn("leases_not_returned", { error: error.message }));
    },
  };
}

function startOwnFleet(
  { clock, log, random, store }: AppOptions,
  leases: Leases,
  registry: Registry,
  overload: Overload,
) {
  const onEvent = countFleetEvents(registry);
  const readings = createReadings({
    version: pkg.version,
    clock,
    overload: () => overload.readings(),
    isBehind: () => store.isBehind(),
  });
  return startFleet({ clock, log, random, store, holderId: () => leases.holderId, readings, onEvent });
}

function watchersOf(
  { config, clock, log }: AppOptions,
  registry: Registry,
  sources: WatchersOptions["sources"],
) {
  return createWatchers({ registry, log, clock, version: pkg.version, settings: config, sources });
}

/**
 * Where the console's pages call the endpoint, as their content policy names it, when that is not where they come from. Behind an
 * address of every interface the host is whatever the browser says.
 */
function endpointOf({ publicUrl, consoleListen, host }: Config, port: number): string | undefined {
  if (publicUrl !== undefined) return new URL(publicUrl).origin;
  if (consoleListen === undefined) return undefined;
  const name = host === "0.0.0.0" || host === "::" ? "*" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** The console and its API: on the one listener, or on one of their own. */
function consoleOf(
  options: AppOptions,
  context: ChatContext,
  newRequestId: () => string,
  gate: Gate,
  port: () => number,
) {
  const { config } = options;
  const place = config.consoleListen;
  const plane = createControlPlane(createControlContext(options), () => endpointOf(config, port()));
  // What the console's sums are read from.
  const close = startUsageRollup({ ...options, processId: newRequestId() });
  if (place === undefined) return { here: plane, listen: async () => undefined, close };
  const server = createServer(options, statusRoutes(context, plane), newRequestId, gate, plane);
  return {
    here: undefined,
    listen: () => listen(server, place),
    close: () => Promise.all([closeServer(server), close()]),
  };
}

/** Every path that is not the control plane's. */
function routesOf(
  { config, store, gatherMetrics = gatherAlone }: AppOptions,
  context: ChatContext,
  registry: Registry,
  elsewhere: Elsewhere | undefined,
): RouteEntry[] {
  const guard = createOperatorGuard(config.operatorToken);
  return [
    { method: "POST", path: "/v1/chat/completions", handler: (req, reply) => chat(context, req, reply) },
    ...callerRoutes(context),
    ...statusRoutes(context, elsewhere),
    upstreamsRoute(() => store.listUpstreamStates(), guard),
    metricsRoute(gatherMetrics(registry.families), guard),
  ];
}

/** Makes a process's app; the store must be migrated and hold a catalog. */
export async function createApp(options: AppOptions): Promise<App> {
  const { config, store, clock, log } = options;
  const upstreams = createUpstreams();
  const authenticator = createAuthenticator({
    store,
    clock,
    senderOf: (sent) => senderOf(sent, config.trustedProxies),
  });
  const overload = watchOverload(options);
  const gate = createGate(overload);
  const interruption = { isInterrupted: false };
  const newId = createIdFactory(clock);
  const borrowing = await startBorrowing(options, () => newId("hld"));
  const { leases, limits } = borrowing;
  const afterId = await store.lastChangeId();
  const { registry = createRegistry() } = options;
  const life = startOwnFleet(options, leases, registry, overload);
  const { fleet } = life;
  let snapshot: Snapshot = await loadSnapshot();
  const watchers = watchersOf(options, registry, {
    inFlight: () => gate.inFlight,
    leases: () => leases.counts,
    isBehind: () => store.isBehind(),
    overload: () => overload.readings(),
    upstreams: () => fleet.states(),
    limitHits: () => limits.counts.hits,
  });
  const context: ChatContext = {
    store,
    clock,
    log,
    observe: watchers.observe,
    tracer: watchers.tracer,
    requestLog: watchers.requestLog,
    random: options.random,
    settings: config,
    ticker: createTicker(clock),
    scanners: createChatScanners(config),
    answerScanners: createAnswerScanners(),
    readers: createSseReaderFactory({ marks: streamMarks, eventBytesMax: config.eventBytesMax }),
    authenticator,
    gate,
    leases,
    limits,
    interruption,
    leaving: createLeaving(),
    retryBudgets: createRetryBudgets(),
    places: createPlaces(),
    fleet,
    memories: createReplayMemories(clock),
    tokens: createTokens(clock),
    media: createMedia(config),
    snapshot: () => snapshot,
  };

  async function loadSnapshot(): Promise<Snapshot> {
    const catalog = await store.loadCatalog();
    await loadProviders((catalog?.upstreams ?? []).map(({ provider }) => provider));
    const next = createSnapshot(catalog ?? { upstreams: [], models: [], limits: {} }, upstreams);
    fleet.adopt(next);
    return next;
  }

  const watch = watchStore({
    store,
    log,
    afterId,
    async onChange({ kind, subject }) {
      if (kind === "catalog") {
        snapshot = await loadSnapshot();
        log.info("catalog_changed", { models: snapshot.models.size });
      } else if (kind === "recall") {
        leases.recall(subject);
      } else {
        authenticator.forget(kind, subject);
        leases.refresh(subject);
      }
    },
  });

  let port = config.port;
  const besides = consoleOf(
    options,
    context,
    () => newId("req"),
    gate,
    () => port,
  );
  const routes = routesOf(options, context, registry, besides.here);
  const server = createServer(options, routes, () => newId("req"), gate, besides.here);

  return {
    server,
    async listen() {
      const apart = await besides.listen();
      port = await listen(server, config);
      return { endpoint: port, console: apart ?? port };
    },
    async drain() {
      const drained = gate.drain();
      life.stop();
      if (!(await isWithin(drained, config.drainMs))) {
        log.warn("drain_bound_reached", { inFlight: gate.inFlight });
        interruption.isInterrupted = true;
        await isWithin(drained, interruptMs);
      }
      watch.stop();
      borrowing.stop();
      await Promise.all([closeServer(server), besides.close()]);
      await borrowing.giveBack();
      await upstreams.close();
      overload.stop();
      await watchers.collector?.close();
    },
  };
}
