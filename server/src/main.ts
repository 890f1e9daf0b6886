/**
 * The process: opens the store, makes sure there is something to serve, starts one app or a cluster of them on one port,
 * says where it is, and turns signals into a graceful stop. The only file that ends the process.
 */
import cluster from "node:cluster";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createApp } from "./app.ts";
import { banner } from "./banner.ts";
import { type Config, processEnvironment, secretKeyFile } from "./config.ts";
import type { LookAround } from "./connect-offers.ts";
import { ensureSetupLink } from "./control/auth/links.ts";
import { type FirstRun, firstRun, watchCatalogFile } from "./first-run.ts";
import { countLog } from "./gateway/observe-log.ts";
import { answerWorkers, gatherThroughPrimary } from "./http/metrics-gather.ts";
import { systemClock } from "./lib/clock.ts";
import { createIdFactory } from "./lib/id.ts";
import { createLog, type Log } from "./lib/log.ts";
import { createRegistry, type Registry } from "./lib/metrics.ts";
import { loadOrCreateKeyFile } from "./lib/secret.ts";
import type { Ports } from "./listeners.ts";
import { openStore } from "./store/open.ts";
import type { Store } from "./store/store.ts";

/** Exit statuses: 0 stopped as asked, 1 could not start or lost a part it cannot do without. */
const exitFailed = 1;

/** A database file up to this size is looked through at every start: about a tenth of a second. */
const checkedBytesMax = 128 * 1024 ** 2;

/** How long after the drain's own bound the process waits before it gives up on a clean end. */
const stopGraceMs = 5_000;

/** Starts what the config says. Resolves when it serves; rejects with a plain-worded Error when it cannot start. */
export async function startServer(config: Config): Promise<void> {
  const registry = createRegistry();
  const plainLog = createLog({
    level: config.logLevel,
    clock: systemClock,
    write: (line) => process.stderr.write(line),
  });
  const log = countLog(plainLog, registry);
  process.on("uncaughtException", (error) => {
    log.error("uncaught_exception", { stack: error.stack });
    process.exit(exitFailed);
  });
  if (cluster.isWorker) {
    await startWorker(config, log, registry);
  } else {
    await startPrimary(config, log, registry);
  }
}

async function openConfigured(config: Config, log: Log): Promise<Store> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const keyFile = secretKeyFile(config);
  const secretKey = config.secretKey ?? loadOrCreateKeyFile(keyFile);
  const journal = { directory: join(config.dataDir, "journal"), log };
  const found = config.secretKey === undefined ? { secretKey, secretKeyFile: keyFile } : { secretKey };
  return openStore({ database: config.database, ...found, journal });
}

async function startPrimary(config: Config, log: Log, registry: Registry): Promise<void> {
  // Before anything is created: a first key made by a start that then fails would never be shown.
  await checkPort(config);
  const store = await openConfigured(config, log);
  // Before the schema's steps: a damaged file is left as it is.
  await store.checkFile(checkedBytesMax);
  await store.migrate();
  await store.claimSealingKey();
  const first = await firstRun({ config, store, clock: systemClock, log });
  const setupToken = await ensureSetupLink({
    store,
    clock: systemClock,
    randomBytes,
    newId: createIdFactory(systemClock),
  });
  const offers = beginOffers(config, first);
  const catalogWatch = watchCatalogFile({ config, store, log });
  if (config.workers === 1) {
    await serveHere(config, store, { log, registry }, { first, offers, setupToken }, () =>
      catalogWatch.stop(),
    );
  } else {
    await serveCluster(config, store, log, { first, offers, setupToken }, () => catalogWatch.stop());
  }
}

/** What the banner tells. */
interface Told {
  readonly first: FirstRun;
  readonly offers: Promise<LookAround | undefined> | undefined;
  /** While there is no operator. */
  readonly setupToken: string | undefined;
}

/** A first start with nothing but the demo looks around for what could be connected; nothing waits for it. */
function beginOffers(config: Config, first: FirstRun): Promise<LookAround | undefined> | undefined {
  if (first.secret === undefined || !first.isDemoOnly || config.catalog !== undefined) return undefined;
  const looking = import("./connect-offers.ts").then(({ lookAround }) =>
    lookAround({ config, env: processEnvironment() }),
  );
  // Whatever goes wrong in looking is no reason not to start.
  return looking.catch(() => undefined);
}

/** Called once connections are taken: no look around can delay that. */
async function showBanner(config: Config, ports: Ports, { first, offers, setupToken }: Told): Promise<void> {
  const found = (await offers)?.found();
  process.stdout.write(banner({ config, ports, first, setupToken, offers: found }));
}

async function serveHere(
  config: Config,
  store: Store,
  { log, registry }: { log: Log; registry: Registry },
  told: Told,
  onStop: () => void,
): Promise<void> {
  const app = await createApp({ config, store, clock: systemClock, log, random: Math.random, registry });
  const ports = await app.listen();
  await showBanner(config, ports, told);
  onSignals(config, log, async () => {
    onStop();
    await app.drain();
    await store.close();
  });
}

/** A process of a cluster: its own store thread and caches over the one database and the one port. */
async function startWorker(config: Config, log: Log, registry: Registry): Promise<void> {
  const store = await openConfigured(config, log);
  const app = await createApp({
    config,
    store,
    clock: systemClock,
    log,
    random: Math.random,
    registry,
    gatherMetrics: gatherThroughPrimary,
  });
  await app.listen();
  onSignals(config, log, async () => {
    await app.drain();
    await store.close();
    cluster.worker?.disconnect();
  });
}

/** Rejects as `listen` would when the port cannot be had. */
async function checkPort({ host, port }: Config): Promise<void> {
  const probe = createServer().listen({ host, port });
  await once(probe, "listening");
  probe.close();
  await once(probe, "close");
}

/** Forks the workers, replaces one that dies, and passes the stop on. */
async function serveCluster(
  config: Config,
  store: Store,
  log: Log,
  told: Told,
  onStop: () => void,
): Promise<void> {
  let isStopping = false;
  answerWorkers(cluster);
  const listening = new Promise<Ports>((resolve) => {
    const addresses = config.consoleListen === undefined ? 1 : 2;
    const portsOf = new Map<number, number[]>();
    cluster.on("listening", ({ id }, { port }) => {
      portsOf.set(id, [...(portsOf.get(id) ?? []), port]);
      const ready = [...portsOf.values()].filter((ports) => ports.length === addresses);
      const [first] = ready;
      if (ready.length < config.workers || first === undefined) return;
      // The console's own address comes first (`app.ts`).
      resolve({ endpoint: first[addresses - 1] as number, console: first[0] as number });
    });
  });
  cluster.on("exit", (worker, code, signal) => {
    if (isStopping) return;
    log.error("worker_died", { pid: worker.process.pid, code, signal });
    setTimeout(() => cluster.fork(), 100);
  });
  for (let index = 0; index < config.workers; index += 1) cluster.fork();
  await showBanner(config, await listening, told);
  onSignals(config, log, async () => {
    isStopping = true;
    onStop();
    const gone = Object.values(cluster.workers ?? {}).map(
      (worker) =>
        new Promise<void>((resolve) => {
          worker?.on("exit", () => resolve());
          worker?.process.kill("SIGTERM");
        }),
    );
    await Promise.all(gone);
    await store.close();
  });
}

/** Signals this close together are one: a terminal's Ctrl-C reaches a process directly and again through its launcher. */
const sameSignalMs = 1_000;

/** First SIGTERM or SIGINT: stop gracefully. Another one later: at once. A stop that takes too long ends too. */
function onSignals(config: Config, log: Log, stop: () => Promise<void>): void {
  let stoppingMs: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    const nowMs = systemClock.elapsedMs();
    if (stoppingMs !== undefined) {
      if (nowMs - stoppingMs < sameSignalMs) return;
      log.warn("stopping_at_once", { signal });
      process.exit(exitFailed);
    }
    stoppingMs = nowMs;
    log.info("stopping", { signal });
    setTimeout(() => process.exit(exitFailed), config.drainMs + stopGraceMs).unref();
    stop().then(
      () => process.exit(0),
      (error: Error) => {
        log.error("stop_failed", { error: error.message });
        process.exit(exitFailed);
      },
    );
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}
