/**
 * The entry point of the server process: opens the store, makes sure there is something to serve, starts one
 * app or a cluster on one port, prints the banner, and stops on a signal. Only this file ends the process.
 */
import cluster from "node:cluster";
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import type { LookAround } from "./app/connect-offers.ts";
import type { Ports } from "./app/listening.ts";
import { createApp, prepareApp } from "./app.ts";
import { type Config, processEnvironment, secretKeyFile } from "./config/config.ts";
import { ensureSetupLink } from "./control/auth/links.ts";
import { countLog } from "./gateway/observe/log.ts";
import {
  beatToPrimary,
  forwardBeats,
  type HealthListener,
  startBeats,
  startHealthListener,
} from "./http/health/listener.ts";
import { answerWorkers, gatherAlone, gatherThroughPrimary } from "./http/operator/metrics-gather.ts";
import { checkCertificates, isTlsSet } from "./http/tls/certificate.ts";
import { createIdFactory } from "./lib/id.ts";
import { loadOrCreateKeyFile } from "./lib/secret.ts";
import { createLog, type Log } from "./lib/telemetry/log.ts";
import { sampleLog } from "./lib/telemetry/log-sample.ts";
import { createRegistry, type Registry } from "./lib/telemetry/metrics.ts";
import { systemClock } from "./lib/time/clock.ts";
import { createSchedule } from "./lib/time/schedule.ts";
import { commandFile } from "./process/command-file.ts";
import { requireFreePort } from "./process/port-check.ts";
import { bindSharedSockets } from "./process/shared-sockets.ts";
import { catchStopSignals, type StopSignals } from "./process/stop-signals.ts";
import { askForSockets, isRetire, reportListening } from "./process/worker-messages.ts";
import { startWorkers } from "./process/workers.ts";
import { banner } from "./start/banner.ts";
import type { ReadCatalog } from "./start/catalog-process.ts";
import { type CatalogWatch, type FirstRun, firstRun, watchCatalogFile } from "./start/first-run.ts";
import { openDatabase } from "./start/open-database.ts";
import { requireSchema } from "./start/schema.ts";
import { openStore } from "./store/open.ts";
import type { MigrationReport } from "./store/operation/migration-shapes.ts";
import type { Store } from "./store/store.ts";
import type { StorageThreads } from "./store/thread/start.ts";

/** Exit status 0: stopped as asked. 1: could not start, or an essential part failed. */
const exitFailed = 1;

/** Database files up to this size are checked at every start, which takes about a tenth of a second. */
const checkedBytesMax = 128 * 1024 ** 2;

/** How long after the drain's own limits the process waits for a clean end, in milliseconds. */
const stopGraceMs = 7_000;

/** How often the catalog file is checked for changes, in milliseconds. */
const catalogLookMs = 1_000;

/** Events that every call may log while an upstream or the database is down. They are sampled. */
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

/** What the caller has started already, beside the loading of this file. */
export interface StartedAhead {
  /** Where storage threads come from. */
  readonly threads?: StorageThreads;
  /** Reads the catalog file; undefined where there is none, and in workers, which read none. */
  readonly readCatalog?: ReadCatalog | undefined;
}

/** What every kind of process needs to start. */
interface Start {
  readonly config: Config;
  readonly log: Log;
  readonly registry: Registry;
  readonly signals: StopSignals;
  readonly ahead: StartedAhead;
}

/** What a serving primary needs in addition. */
interface Serving extends Start {
  readonly health: HealthListener | undefined;
}

const stopMsOf = ({ lameDuckMs, drainMs }: Config): number => lameDuckMs + drainMs + stopGraceMs;

/** Starts the server. Resolves when it serves; rejects with a readable Error when it cannot start. */
export async function startServer(config: Config, ahead: StartedAhead = {}): Promise<void> {
  // What V8's middle compiler worked with is otherwise freed by helper threads, later: on a core that is busy
  // with a thousand streams that begin, so late that 13 KB a stream are not used again.
  setFlagsFromString("--no-maglev-destroy-on-background");
  const registry = createRegistry();
  // A log that cannot be written (its reader ended, its disk is full) must not end the server.
  process.stderr.on("error", () => {});
  const plainLog = createLog({
    level: config.logLevel,
    clock: systemClock,
    write: (line) => process.stderr.write(line),
  });
  // Counts all lines, also those that sampling drops.
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
    // SIGHUP reloads workers. With nothing to reload, or after the process's terminal closed, it stops the
    // process.
    stopsOnHangUp: !cluster.isWorker && (config.workers === 1 || process.stdin.isTTY === true),
  });
  const start: Start = { config, log, registry, signals, ahead };
  if (cluster.isWorker) {
    await startWorker(start);
  } else {
    await startPrimary(start);
  }
}

/** Resolves with undefined when the process was asked to stop before the database answered. */
function openConfigured({ config, log, signals, ahead }: Start): Promise<Store | undefined> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const keyFile = secretKeyFile(config);
  const secretKey = config.secretKey ?? loadOrCreateKeyFile(keyFile);
  const journal = { directory: join(config.dataDir, "journal"), log };
  const found = config.secretKey === undefined ? { secretKey, secretKeyFile: keyFile } : { secretKey };
  const { database, databaseConnections: connectionsMax } = config;
  return openDatabase({
    open: () => openStore({ database, connectionsMax, threads: ahead.threads, ...found, journal }),
    waitMs: config.databaseWaitMs,
    clock: systemClock,
    log,
    sleep,
    isStopping: () => signals.isAsked,
  });
}

async function startPrimary(start: Start): Promise<void> {
  const { config, log, signals, ahead } = start;
  // Check the port before anything is created: a first key made by a failing start would never be shown.
  await requireFreePort(config);
  if (isTlsSet(config)) await checkCertificates(config);
  const health = await startHealth(config, log);
  const store = (await openConfigured(start)) ?? process.exit(0);
  // Check the file before migrating, so that a damaged one is left unchanged.
  await store.checkFile(checkedBytesMax);
  const report = await requireSchema(store, config.migrate, ({ version, name, rows }) =>
    log.info("migrating", { version, name, rows }),
  );
  noteMigrations(report, log);
  await store.claimSealingKey();
  if (signals.isAsked) {
    await store.close();
    process.exit(0);
  }
  // Start watching before the first read, so that no change in between is missed.
  const catalogWatch = watchCatalogFile({ config, store, clock: systemClock, log });
  const [first] = await Promise.all([
    firstRun({ config, store, clock: systemClock, log, readCatalog: ahead.readCatalog }),
    // Beside the reading of the catalog file, which takes longer.
    config.workers === 1 ? prepareApp({ config, store }) : undefined,
  ]);
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

/** Logs what was migrated, and contracts that wait for older servers to end. */
function noteMigrations(report: MigrationReport | undefined, log: Log): void {
  if (report === undefined) return;
  const { from, to, ran, waiting } = report;
  const ms = ran.reduce((sum, { durationMs }) => sum + durationMs, 0);
  if (ran.length > 0 && from > 0) log.info("migrated", { from, to, ms });
  for (const { version, name, needs } of waiting) log.warn("migration_waits", { version, name, needs });
}

/** Starts the health listener if configured. From here on `/readyz` reports that the process is starting. */
async function startHealth(config: Config, log: Log): Promise<HealthListener | undefined> {
  const { healthListen: listen, healthStallMs: stallMs, operatorToken, metricsToken } = config;
  if (listen === undefined) return undefined;
  return startHealthListener({ listen, stallMs, operatorToken, metricsToken }, log);
}

/** Facts for the startup banner. */
interface StartReport {
  readonly first: FirstRun;
  readonly offers: Promise<LookAround | undefined> | undefined;
  /** Present while there is no operator. */
  readonly setupToken: string | undefined;
}

/** On a first start with only the demo, searches in the background for services to connect. */
function beginOffers(config: Config, first: FirstRun): Promise<LookAround | undefined> | undefined {
  if (first.secret === undefined || !first.isDemoOnly || config.catalog !== undefined) return undefined;
  const looking = import("./app/connect-offers.ts").then(({ lookAround }) =>
    lookAround({ config, env: processEnvironment() }),
  );
  // A failed search must not prevent the start.
  return looking.catch(() => undefined);
}

/** Called when connections are already accepted, so a slow search delays nothing. */
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

/** Starts a worker: its own store thread and caches, on the shared database and sockets. */
async function startWorker(start: Start): Promise<void> {
  const { config, log, registry, signals } = start;
  // Only the primary acts on SIGHUP; a terminal sends it to all processes.
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
    // Socket copies still on their way may be the last ones. Accept what is queued on them first.
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

/** Starts a cluster; the primary itself serves nothing. */
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
    forwardBeats(cluster, health);
  }
  cluster.setupPrimary({ exec: commandFile });
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
