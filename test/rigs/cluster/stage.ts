/**
 * The cluster: a Plaza on each of three hosts with data folders of their own, a PostgreSQL primary and its
 * replica, nginx as the balancer and the counting upstream, each on a host of its own. The load runs at the
 * switch. The ledger is read as the money rigs read it.
 */
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadOrCreateKeyFile } from "../../../server/src/lib/secret.ts";
import { openStore } from "../../../server/src/store/open.ts";
import { catalogText, inAllFormats } from "../harness/catalog.ts";
import { get } from "../harness/http-client.ts";
import type { Served } from "../harness/limited-calls.ts";
import { eventually, pause } from "../harness/measure/clock.ts";
import { openLedgerReader } from "../harness/money/ledger-reader.ts";
import { type MoneyStage, makers, moneyCatalog, patience, verifyLedger } from "../harness/money/money.ts";
import { nginxL7Text } from "../harness/processes/nginx.ts";
import { plazaScript, temporaryFolder } from "../harness/processes/plaza.ts";
import { nodeBinary, type Running, rootFolder } from "../harness/processes/processes.ts";
import { type DatabasePair, startPair } from "./database.ts";
import { databaseAddress, type Host, makeHost } from "./network.ts";

/** A Plaza on a host of its own. */
export interface PlazaHost extends Served {
  readonly host: Host;
  /** Starts it on its data folder; resolves when it is ready. */
  start(): Promise<void>;
  /** What all its processes wrote. */
  logs(): string;
  isReady(): Promise<boolean>;
  /** Makes its way to the database longer, for new connections; `host.heal` and `shorten` end it. */
  lengthen(ms: number): Promise<void>;
  shorten(): Promise<void>;
}

/** What the money rigs' makers and judges use, and the hosts. */
export interface Cluster
  extends Pick<MoneyStage, "reader" | "store" | "verify" | "createAccount" | "createKey" | "calls"> {
  readonly plazas: readonly [PlazaHost, PlazaHost, PlazaHost];
  readonly database: DatabasePair;
  readonly balancer: Host;
  readonly models: Host;
  /** All hosts but the switch. */
  readonly hosts: readonly Host[];
  /** Calls through the balancer. */
  readonly balanced: Served;
  /** Ends the sessions of all Plazas, so that they connect again. */
  endSessions(): Promise<void>;
}

const port = 8080;
const readyMs = 60_000;
/** A server whose host went dark answers never. */
const readerMs = 5_000;
/** Less than a lame-duck time, as docs/operate/proxies.md has it. */
const keptSeconds = 4;

interface PlazaOptions {
  readonly name: string;
  readonly last: number;
  readonly folder: string;
  readonly database: DatabasePair;
  readonly catalog: string;
  readonly seed: number;
}

async function makePlaza({ name, last, folder, database, catalog, seed }: PlazaOptions): Promise<PlazaHost> {
  const host = await makeHost(name, last);
  const data = join(folder, name);
  mkdirSync(data);
  // Every machine seals with the same key, as docs/operate/cluster.md says.
  copyFileSync(join(folder, "secret.key"), join(data, "secret.key"));
  writeFileSync(join(data, "plaza.yaml"), catalog);
  const origin = `http://${host.address}:${port}`;
  const runs: Running[] = [];
  let longWay: Running | undefined;
  const isReady = async (): Promise<boolean> =>
    (await get(`${origin}/readyz`).catch(() => ({ status: 0 }))).status === 200;
  return {
    host,
    origin,
    seed,
    async start() {
      const words = ["serve", "--host", "0.0.0.0", "--port", String(port), "--data", data];
      const more = ["--database", database.url, "--catalog", join(data, "plaza.yaml")];
      const env = { ...patience, PLAZA_LAME_DUCK_MS: "0" };
      const running = host.start([nodeBinary, plazaScript, ...words, ...more], { env });
      runs.push(running);
      if (!(await eventually(isReady, readyMs, 50)))
        throw new Error(`${name} never became ready: ${running.stderr()}${running.stdout()}`);
    },
    logs: () => runs.map((running) => running.stdout() + running.stderr()).join(""),
    isReady,
    async lengthen(ms) {
      const words = [`${rootFolder}test/rigs/cluster/delay.ts`, database.primary().address, "5432"];
      longWay = host.start([nodeBinary, ...words, String(ms)]);
      const [, at = ""] = await longWay.waitFor(/listens on (\d+)/, readyMs);
      host.redirectDatabase(Number(at));
    },
    async shorten() {
      await longWay?.stop("SIGKILL");
    },
  };
}

async function makeBalancer(folder: string, nginx: string, addresses: readonly string[]): Promise<Host> {
  const host = await makeHost("balancer", 30);
  const own = join(folder, "nginx");
  mkdirSync(own);
  writeFileSync(join(own, "nginx.conf"), nginxL7Text(`0.0.0.0:${port}`, addresses, keptSeconds));
  host.start([nginx, "-p", own, "-c", "nginx.conf", "-e", "stderr"]);
  return host;
}

async function makeModels(journal: string): Promise<{ host: Host; baseUrl: string }> {
  const host = await makeHost("models", 40);
  const options = JSON.stringify({ host: host.address, journal });
  const running = host.start([nodeBinary, `${rootFolder}test/rigs/upstream/main.ts`, options]);
  const [, line = "{}"] = await running.waitFor(/^(\{"port".*\})$/m, readyMs);
  return { host, baseUrl: (JSON.parse(line) as { baseUrl: string }).baseUrl };
}

/** Runs `work` on a new cluster; removes everything afterwards, even on failure. */
export async function withCluster<T>(
  { seed, nginx }: { readonly seed: number; readonly nginx: string },
  work: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  const folder = temporaryFolder();
  const hosts: Host[] = [];
  try {
    const secretKey = loadOrCreateKeyFile(join(folder, "secret.key"));
    const journal = join(folder, "upstream.jsonl");
    const models = await makeModels(journal);
    hosts.push(models.host);
    const pair = [await makeHost("db1", 21), await makeHost("db2", 22)] as const;
    hosts.push(...pair);
    const database = await startPair(pair, folder);
    const place = { kind: "postgres", url: database.url } as const;
    const store = await openStore({ database: place, secretKey });
    await store.migrate();
    const reader = openLedgerReader(place, readerMs);
    const catalog = catalogText(inAllFormats(moneyCatalog(models.baseUrl, undefined)));
    const make = (name: string, last: number) => makePlaza({ name, last, folder, database, catalog, seed });
    const plazas = [await make("plaza1", 11), await make("plaza2", 12), await make("plaza3", 13)] as const;
    hosts.push(...plazas.map(({ host }) => host));
    for (const plaza of plazas) await plaza.start();
    const addresses = plazas.map(({ host }) => `${host.address}:${port}`);
    const balancer = await makeBalancer(folder, nginx, addresses);
    hosts.push(balancer);
    try {
      return await work({
        plazas,
        database,
        balancer,
        models: models.host,
        hosts,
        balanced: { origin: `http://${balancer.address}:${port}`, seed },
        reader,
        store,
        verify: () => verifyLedger(folder, database.url),
        ...makers(store, journal),
        async endSessions() {
          const plazasOnly = `application_name = 'plaza' and client_addr <> '${databaseAddress}'`;
          await database.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${plazasOnly}`);
          await pause(200);
        },
      });
    } finally {
      await reader.close();
      await store.close();
    }
  } finally {
    await Promise.all(hosts.map((host) => host.killAll()));
    rmSync(folder, { recursive: true, force: true });
  }
}
