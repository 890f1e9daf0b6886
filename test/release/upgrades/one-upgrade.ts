/**
 * One upgrade as docs/operate/upgrades.md tells it, of an installation under load, and both ways back: the
 * older version started again beside the newer one, and a restored backup.
 */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { newestSchema } from "../../../server/src/store/migrations/index.ts";
import type { PostgresServer } from "../../postgres/server.ts";
import { type Callers, startCallers } from "../../rigs/faults/p31-callers.ts";
import { get, post } from "../../rigs/harness/http-client.ts";
import { eventually, pause } from "../../rigs/harness/measure/clock.ts";
import { type Balancer, startL4, startL7 } from "../../rigs/harness/processes/balancer.ts";
import { closedPort } from "../../rigs/harness/processes/ports.ts";
import { seededRandom } from "../../rigs/harness/random.ts";
import { type Ask, askFile, askServer } from "../../upgrades/corpus.ts";
import { catalogFor } from "../../upgrades/usage-of-older.ts";
import { type Backup, copyOfServer, fileBackup } from "./backups.ts";
import { checksumSince, type LedgerMoment, readLedger } from "./ledger-checksum.ts";
import { ask, type Server, type Site, serve, startServer, writeCatalog } from "./servers.ts";
import type { Installed, Way } from "./ways.ts";

export interface Upgrade {
  readonly way: Way;
  readonly older: Installed;
  readonly newer: Installed;
  /** The server for a database on PostgreSQL; undefined: SQLite. */
  readonly postgres: PostgresServer | undefined;
  /** An empty folder. */
  readonly folder: string;
  readonly upstreamUrl: string;
  /** Called with each figure and remark. */
  readonly report: (line: string) => void;
}

/** Callers of each kind. */
const lanes = 2;
/** Time for calls between two steps. */
const betweenMs = 1_500;

/** Everything that must be ended, last first. */
class Cleanup {
  readonly #steps: (() => Promise<unknown>)[] = [];

  add(step: () => Promise<unknown>): void {
    this.#steps.push(step);
  }

  async run(): Promise<void> {
    for (const step of this.#steps.reverse()) await step();
  }
}

interface Stage extends Upgrade {
  readonly site: Site;
  readonly read: Ask;
  readonly cleanup: Cleanup;
  /** Starts a server that is ended with the stage. */
  up(installed: Installed, port: number): Promise<Server>;
}

async function newStage(upgrade: Upgrade, cleanup: Cleanup): Promise<Stage> {
  const { way, folder, postgres, upstreamUrl } = upgrade;
  const place = way.place(folder);
  writeCatalog(place, catalogFor(upstreamUrl));
  const database = await postgres?.newDatabase();
  const site = { place, database };
  const read = database === undefined ? askFile(join(place.data, "plaza.sqlite")) : askServer(database);
  const up = async (installed: Installed, port: number): Promise<Server> => {
    const server = await serve(site, installed, port);
    cleanup.add(() => server.kill());
    return server;
  };
  return { ...upgrade, site, read, cleanup, up };
}

async function newKey({ site, older }: Stage): Promise<string> {
  const account = await ask(site, older, "account", "create", "upgrades", "--balance", "100000.00");
  const key = await ask(
    site,
    older,
    "key",
    "create",
    "--account",
    String(account["id"]),
    "--name",
    "upgrades",
  );
  return String(key["key"]);
}

/** Whole answers and streams on kept and new connections, behind balancers of both kinds. */
async function startLoad({ cleanup }: Stage, ports: readonly number[], key: string): Promise<Callers[]> {
  const random = seededRandom(1);
  const balancers: [string, Balancer][] = [
    ["L4", await startL4(ports)],
    ["L7", await startL7(ports)],
  ];
  for (const [, balancer] of balancers) cleanup.add(() => balancer.close());
  const isReady = async (port: number) =>
    (await get(`http://127.0.0.1:${port}/readyz`).catch(() => ({ status: 0 }))).status === 200;
  for (const [name, { port }] of balancers)
    assert.ok(await eventually(() => isReady(port), 10_000), `${name} finds no server`);
  const callers = balancers.flatMap(([name, { port }]) =>
    [true, false].map((isKept) =>
      startCallers({
        name: `${name}, ${isKept ? "kept" : "new"} connections`,
        port,
        key,
        isKept,
        lanes,
        random,
      }),
    ),
  );
  cleanup.add(() => stopped(callers));
  return callers;
}

async function stopped(callers: readonly Callers[]): Promise<void> {
  await Promise.all(callers.map((group) => group.stop()));
}

/** The ledger adds up for this version, and no entry of the moment changed or went. */
async function checkLedger(stage: Stage, installed: Installed, moment: LedgerMoment, when: string) {
  const checksum = await checksumSince(stage.read, moment);
  assert.equal(checksum, moment.checksum, `${when}: entries changed or lost`);
  const { ok } = await ask(stage.site, installed, "ledger", "verify");
  assert.equal(ok, true, `${when}: the ledger does not verify`);
}

/**
 * The older server is replaced under load: by one at the other port, and that by one at the port of the old
 * one, as where the service has a port of its own. Returns the last.
 */
async function replace(stage: Stage, old: Server, port: number, moment: LedgerMoment): Promise<Server> {
  const { site, older, newer, report } = stage;
  const beside = await stage.up(newer, port);
  await pause(betweenMs);
  await checkLedger(stage, older, moment, "side by side");
  await old.stop();
  const replaced = await stage.up(newer, old.port);
  await pause(betweenMs);
  await beside.stop();
  await ask(site, newer, "migrate");
  // It fails unless a server of this version may serve.
  const { schema } = await ask(site, newer, "migrate", "--status");
  assert.equal(schema, newestSchema(), "a migration waits");
  await pause(betweenMs);
  await checkLedger(stage, newer, moment, "after the upgrade");
  report(`ready after ${Math.round(beside.readyMs)} ms, then at schema ${schema}`);
  return replaced;
}

/** Starts the older version beside the newer one, where the schema lets it; then the newer one stops. */
async function goBackBeside(stage: Stage, current: Server, port: number, moment: LedgerMoment) {
  const { site, older, report } = stage;
  const back = await startServer(site, older, port);
  if ("status" in back) {
    assert.match(back.stderr + back.stdout, /a newer Plaza wrote this database/);
    assert.equal(back.status, 1);
    report("going back without a backup: refused, as a contract has run");
    return;
  }
  stage.cleanup.add(() => back.kill());
  await pause(betweenMs);
  await current.stop();
  await pause(betweenMs);
  await checkLedger(stage, older, moment, "after going back without a backup");
  report("going back without a backup: under load");
  return back;
}

async function callOnce(port: number, key: string): Promise<void> {
  const body = JSON.stringify({ model: "rig-model", messages: [{ role: "user", content: "hello" }] });
  const { status, body: answer } = await post({
    url: `http://127.0.0.1:${port}/v1/chat/completions`,
    key,
    body,
  });
  assert.equal(status, 200, answer.toString());
}

/** No server runs any more: the backup is restored, and the older version serves again. */
async function restoreBackup(stage: Stage, backup: Backup, port: number, key: string, moment: LedgerMoment) {
  await backup.restore();
  const server = await stage.up(stage.older, port);
  await callOnce(port, key);
  await checkLedger(stage, stage.older, moment, "after the restore");
  await server.stop();
}

/** Throws when a call fails, an entry changes, or a step goes otherwise than the page says. */
export async function upgradeAndBack(upgrade: Upgrade): Promise<void> {
  const cleanup = new Cleanup();
  try {
    mkdirSync(upgrade.folder, { recursive: true });
    const stage = await newStage(upgrade, cleanup);
    const ports = [await closedPort(), await closedPort()] as const;
    let old = await stage.up(stage.older, ports[0]);
    const key = await newKey(stage);
    for (let call = 0; call < 20; call += 1) await callOnce(old.port, key);
    const backups = stage.postgres === undefined ? fileBackup(stage) : copyOfServer(stage);
    let moment: LedgerMoment | undefined;
    if (backups.isWithServers === false) {
      await old.stop();
      moment = await readLedger(stage.read);
      await backups.make();
      old = await stage.up(stage.older, ports[0]);
    }
    const callers = await startLoad(stage, ports, key);
    await pause(betweenMs);
    moment ??= await readLedger(stage.read);
    if (backups.isWithServers) await backups.make();
    const upgraded = await replace(stage, old, ports[1], moment);
    const back = await goBackBeside(stage, upgraded, ports[1], moment);
    await stopped(callers);
    await (back ?? upgraded).stop();
    const failures = callers.flatMap((group) => group.failures);
    const calls = callers.reduce((sum, group) => sum + group.calls(), 0);
    stage.report(
      `${failures.length} of ${calls} calls failed; ${moment.ids.size} entries, checksum ${moment.checksum.slice(0, 16)}`,
    );
    assert.deepEqual(failures, [], `failed calls of ${calls}`);
    assert.ok(calls > 100, `only ${calls} calls`);
    await restoreBackup(stage, backups, ports[0], key, moment);
  } finally {
    await cleanup.run();
  }
}
