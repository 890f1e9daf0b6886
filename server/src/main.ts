/**
 * The process: opens the store, makes sure there is something to serve, starts one app or a cluster of them
 * on one port, says where it is, and stops when a signal asks for it. The only file that ends the process.
 */
import cluster from "node:cluster";
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { LookAround } from "./app/connect-offers.ts";
import type { Ports } from "./app/listening.ts";
import { createApp } from "./app.ts";
import { type Config, processEnvironment, secretKeyFile } from "./config/config.ts";
import { ensureSetupLink } from "./control/auth/links.ts";
import { countLog } from "./gateway/observe/log.ts";
import {
  beatToPrimary,
  type HealthListener,
  hearWorkers,
  startBeats,
  startHealthListener,
} from "./http/health/listener.ts";
import { answerWorkers, gatherAlone, gatherThroughPrimary } from "./http/operator/metrics-gather.ts";
import { createIdFactory } from "./lib/id.ts";
import { loadOrCreateKeyFile } from "./lib/secret.ts";
import { createLog, type Log } from "./lib/telemetry/log.ts";
import { sampleLog } from "./lib/telemetry/log-sample.ts";
import { createRegistry, type Registry } from "./lib/telemetry/metrics.ts";
import { systemClock } from "./lib/time/clock.ts";
import { createSchedule } from "./lib/time/schedule.ts";
import { requireFreePort } from "./process/port-check.ts";
import { bindSharedSockets } from "./process/shared-sockets.ts";
import { catchStopSignals, type StopSignals } from "./process/stop-signals.ts";
import { askForSockets, isRetire, reportListening } from "./process/worker-messages.ts";
import { startWorkers } from "./process/workers.ts";
import { banner } from "./start/banner.ts";
import { type CatalogWatch, type FirstRun, firstRun, watchCatalogFile } from "./start/first-run.ts";
import { openDatabase } from "./start/open-database.ts";
import { openStore } from "./store/open.ts";
import type { Store } from "./store/store.ts";

/** Exit statuses: 0 stopped as asked, 1 could not start or lost a part it cannot do without. */
const exitFailed = 1;

/** A database file up to this size is looked through at every start: about a tenth of a second. */
const checkedBytesMax = 128 * 1024 ** 2;

/** How long after the drain's own bounds the process waits before it gives up on a clean end. */
const stopGraceMs = 7_000;

/** How often the catalog file is looked at. */
const catalogLookMs = 1_000;

/** Lines that every call may write while an upstream or the database is away. */
const sampledEvents = {
  attempt_failed: ["upstream", "model", "fault", "status"],
  request_not_recorded: [],
  balance_not_read: [],
  request_not_read: [],
  key_not_claimed: [],
  claim_not_dropped: [],
  reasoning_not_shared: [],
  reasoning_not_found: [],
};

/** What every kind of process is started with. */
interface Start {
  readonly config: Config;
  readonly log: Log;
  readonly registry: Registry;
  readonly signals: StopSignals;
}

/** What is served with, besides. */
interface Serving extends Start {
  readonly health: HealthListener | undefined;
}

const stopMsOf = ({ lameDuckMs, drainMs }: Config): number => lameDuckMs + drainMs + stopGraceMs;

/**
 * Starts what the config says. Resolves when it serves; rejects with a
 * plain-worded Error when it cannot start.
 */
export async function startServer(config: Config): Promise<void> {
  const registry = createRegistry();
  const plainLog = createLog({
    level: config.logLevel,
    clock: systemClock,
    write: (line) => process.stderr.write(line),
  });
  // All are counted, also those that are not written.
  const log = countLog(sampleLog(plainLog, systemClock, sampledEvents), registry);
  process.on("uncaughtException", (error) => {
    log.error("uncaught_exception", { stack: error.stack });
    process.exit(exitFailed);
  });
  const signals = catchStopSignals({
    clock: systemClock,
    log,
    stopMs: stopMsOf(config),
    exit: (status) => process.exit(status),
    source: process,
    // Where there is nothing to reload, or the terminal is gone that the
    // process belongs to, a hang-up ends it.
    stopsOnHangUp: !cluster.isWorker && (config.workers === 1 || process.stdin.isTTY === true),
  });
  const start: Start = { config, log, registry, signals };
  if (cluster.isWorker) {
    await startWorker(start);
  } else {
    await startPrimary(start);
  }
}

/** undefined: the process was told to stop before the database answered. */
function openConfigured({ config, log, signals }: Start): Promise<Store | undefined> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const keyFile = secretKeyFile(config);
  const secretKey = config.secretKey ?? loadOrCreateKeyFile(keyFile);
  const journal = { directory: join(config.dataDir, "journal"), log };
  const found = config.secretKey === undefined ? { secretKey, secretKeyFile: keyFile } : { secretKey };
  const { database, databaseConnections: connectionsMax } = config;
  return openDatabase({
    open: () => openStore({ database, connectionsMax, ...found, journal }),
    waitMs: config.databaseWaitMs,
    clock: systemClock,
    log,
    sleep,
    isStopping: () => signals.isAsked,
  });
}

async function startPrimary(start: Start): Promise<void> {
  const { config, log, signals } = start;
  // Before anything is created: a first key made by a start that then fails would never be shown.
  await requireFreePort(config);
  const health = await startHealth(config, log);
  const store = (await openConfigured(start)) ?? process.exit(0);
  // Before the schema's steps: a damaged file is left as it is.
  await store.checkFile(checkedBytesMax);
  await store.migrate();
  await store.claimSealingKey();
  if (signals.isAsked) {
    await store.close();
    process.exit(0);
  }
  // Before the file is read for the first time, or what is written meanwhile would never be seen.
  const catalogWatch = watchCatalogFile({ config, store, clock: systemClock, log });
  const first = await firstRun({ config, store, clock: systemClock, log });
  const setupToken = await ensureSetupLink({
    store,
    clock: systemClock,
    randomBytes,
    newId: createIdFactory(systemClock),
  });
  const offers = beginOffers(config, first);
  const serve = config.workers === 1 ? serveHere : serveCluster;
  await serve({ ...start, health }, store, { first, offers, setupToken }, catalogWatch);
}

/** The health listener, where one is asked for. From here on `/readyz` says that the process starts. */
async function startHealth(config: Config, log: Log): Promise<HealthListener | undefined> {
  const { healthListen: listen, healthStallMs: stallMs, operatorToken, metricsToken } = config;
  if (listen === undefined) return undefined;
  return startHealthListener({ listen, stallMs, operatorToken, metricsToken }, log);
}

/** What the banner tells. */
interface StartReport {
  readonly first: FirstRun;
  readonly offers: Promise<LookAround | undefined> | undefined;
  /** While there is no operator. */
  readonly setupToken: string | undefined;
}

/** A first start with nothing but the demo looks around for what could be connected; nothing waits for it. */
function beginOffers(config: Config, first: FirstRun): Promise<LookAround | undefined> | undefined {
  if (first.secret === undefined || !first.isDemoOnly || config.catalog !== undefined) return undefined;
  const looking = import("./app/connect-offers.ts").then(({ lookAround }) =>
    lookAround({ config, env: processEnvironment() }),
  );
  // Whatever goes wrong in looking is no reason not to start.
  return looking.catch(() => undefined);
}

/** Called once connections are taken: no look around can delay that. */
async function showBanner(
  config: Config,
  ports: Ports,
  { first, offers, setupToken }: StartReport,
): Promise<void> {
  const found = (await offers)?.found();
  process.stdout.write(banner({ config, ports, first, setupToken, offers: found }));
}

async function serveHere(
  { config, log, registry, signals, health }: Serving,
  store: Store,
  report: StartReport,
  catalogWatch: CatalogWatch,
): Promise<void> {
  const app = await createApp({ config, store, clock: systemClock, log, random: Math.random, registry });
  const stopLooking = app.schedule.every(catalogLookMs, () => void catalogWatch.look());
  signals.onStop(async (isPatient) => {
    health?.stopping();
    stopLooking();
    catalogWatch.stop();
    await app.drain(isPatient ? config.lameDuckMs : 0);
    await store.close();
  });
  if (signals.isAsked) return;
  const ports = await app.listen();
  if (health !== undefined) {
    health.figuresFrom(gatherAlone(registry.families));
    startBeats(app.whyNotReady, (notReady) => health.beat(process.pid, notReady));
  }
  await showBanner(config, ports, report);
}

/** A process of a cluster: its own store thread and caches over the one database and the one socket. */
async function startWorker(start: Start): Promise<void> {
  const { config, log, registry, signals } = start;
  // The primary's to act on; a terminal sends it to all.
  process.on("SIGHUP", () => {});
  const store = (await openConfigured(start)) ?? process.exit(0);
  const app = await createApp({
    config,
    store,
    clock: systemClock,
    log,
    random: Math.random,
    registry,
    gatherMetrics: gatherThroughPrimary,
  });
  let ending: Promise<void> | undefined;
  let listening: Promise<void> | undefined;
  async function listen(): Promise<void> {
    const sockets = await askForSockets();
    if (sockets === undefined) return;
    reportListening(await app.listen(sockets));
    if (config.healthListen !== undefined) startBeats(app.whyNotReady, beatToPrimary);
  }
  async function end(lameDuckMs: number, isRetiring: boolean): Promise<void> {
    // Copies of the sockets that are on their way may be the last ones: what waits there is accepted first.
    await listening?.catch(() => {});
    await app.drain(lameDuckMs, isRetiring);
    await store.close();
    cluster.worker?.disconnect();
  }
  signals.onStop((isPatient) => {
    ending ??= end(isPatient ? config.lameDuckMs : 0, false);
    return ending;
  });
  if (signals.isAsked) return;
  process.on("message", (message) => {
    if (!isRetire(message) || ending !== undefined) return;
    log.info("retiring");
    ending = end(config.lameDuckMs, true);
    ending.then(
      () => process.exit(0),
      () => process.exit(exitFailed),
    );
  });
  listening = listen();
  await listening;
}

/** Serves with processes of a cluster; the primary itself serves nothing. */
async function serveCluster(
  { config, log, signals, health }: Serving,
  store: Store,
  report: StartReport,
  catalogWatch: CatalogWatch,
): Promise<void> {
  const { consoleListen } = config;
  const sockets = await bindSharedSockets([...(consoleListen === undefined ? [] : [consoleListen]), config]);
  const gather = answerWorkers(cluster);
  if (health !== undefined) {
    health.figuresFrom(gather);
    hearWorkers(cluster, health);
  }
  const workers = startWorkers({
    cluster,
    count: config.workers,
    sockets,
    clock: systemClock,
    log,
    later: (ms, then) => void setTimeout(then, ms),
    retireMs: stopMsOf(config),
  });
  const stopLooking = createSchedule({ clock: systemClock, intervalMs: catalogLookMs }).every(
    catalogLookMs,
    () => void catalogWatch.look(),
  );
  signals.onStop(async (isPatient) => {
    health?.stopping();
    stopLooking();
    catalogWatch.stop();
    await workers.stop(isPatient ? "SIGTERM" : "SIGINT");
    await store.close();
  });
  if (process.stdin.isTTY !== true) process.on("SIGHUP", () => void workers.reload());
  await showBanner(config, await workers.listening, report);
}
