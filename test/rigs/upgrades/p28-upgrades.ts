/**
 * P28: upgrades are boring. Servers of the version before serve under load while the version after migrates,
 * is killed half-way again and again, joins, and takes over; both databases. The short form needs no git
 * history: this checkout is the version before, and with two migrations more (`next-version.ts`) the version
 * after. The long form also upgrades from the last landed build, out of the history.
 */
import { rmSync } from "node:fs";
import { type Callers, startCallers } from "../faults/p31-callers.ts";
import { oneUpstream } from "../harness/catalog.ts";
import { type Figure, type Rig, zeroFigure } from "../harness/figure.ts";
import { pause } from "../harness/measure/clock.ts";
import { type Plaza, startPlaza } from "../harness/processes/plaza.ts";
import { startUpstreamProcess } from "../harness/processes/upstream-process.ts";
import { type Random, seededRandom } from "../harness/random.ts";
import { upgradeFromLanded } from "./p28-landed.ts";
import { addRequests, isCopied } from "./p28-rows.ts";
import {
  entriesOf,
  killed,
  lostEntries,
  nextVersion,
  patient,
  rowsDone,
  type Stage,
  settle,
  startCommand,
  waitForRows,
  withStages,
} from "./p28-stage.ts";

interface Size {
  readonly rows: number;
  readonly kills: number;
  readonly lanes: number;
  /** Upgrades from the landed build, each killed once; 0: none. */
  readonly landed: number;
}

/** A start may have to finish the back-fill of the long form first, on a slow machine beside the callers. */
const startMs = 300_000;

const sizes: Readonly<Record<"short" | "long", Size>> = {
  short: { rows: 12_000, kills: 3, lanes: 2, landed: 0 },
  long: { rows: 400_000, kills: 25, lanes: 6, landed: 10 },
};

/** What went wrong, and how many things were looked at. */
interface Seen {
  looks: number;
  readonly wrong: string[];
}

function check(seen: Seen, isRight: boolean, what: string): void {
  seen.looks += 1;
  if (!isRight) seen.wrong.push(what);
}

/** A command that must fail with this text. */
async function mustRefuse(seen: Seen, name: string, running: ReturnType<typeof startCommand>, text: RegExp) {
  const code = await Promise.race([running.ended, pause(20_000).then(() => "still running" as const)]);
  if (code === "still running") await killed(running);
  check(seen, code === 1 && text.test(running.stderr()), `${name}: ${code}, ${running.stderr().slice(-300)}`);
}

/** Kills the migrating process at random points of its back-fill. */
async function killHalfWay(stage: Stage, size: Size, random: Random, seen: Seen): Promise<void> {
  for (let kill = 0; kill < size.kills; kill++) {
    const migrating = startCommand(stage, ["migrate"], nextVersion);
    const from = Math.max(0, await rowsDone(stage.ask));
    // The last kills leave rows for the server that joins, and for a busy machine, which sees progress late.
    const until = Math.floor((size.rows * 0.6 * (kill + random.next())) / size.kills);
    await waitForRows(stage, migrating, Math.max(from + 1, until));
    await pause(random.int(0, 40));
    await killed(migrating);
    const rows = await rowsDone(stage.ask);
    check(seen, rows >= from && rows > 0, `kill ${kill + 1}: ${rows} rows done, ${from} before it`);
  }
  const manual = { ...nextVersion, PLAZA_MIGRATE: "manual" };
  const half = startCommand(stage, ["serve", "--port", "0"], manual);
  await mustRefuse(seen, "the new version on a half-migrated database", half, /run `plaza migrate`/);
}

interface Upgrade {
  readonly stage: Stage;
  readonly size: Size;
  readonly random: Random;
  readonly seen: Seen;
  readonly callers: Callers[];
  serve(env?: Readonly<Record<string, string>>): Promise<Plaza>;
  call(name: string, plaza: Plaza, key: string): void;
}

/**
 * Old servers serve while the new version comes, is killed and comes again. Returns another old server, and
 * the new one.
 */
async function sideBySide(
  { stage, size, random, seen, serve, call }: Upgrade,
  old: Plaza,
): Promise<[Plaza, Plaza]> {
  call("old", old, old.key);
  await killHalfWay(stage, size, random, seen);
  // Rolled back in the middle: the old version starts on the half-migrated database.
  const again = await serve();
  call("started again in the middle", again, old.key);
  const joined = await serve(nextVersion);
  call("new", joined, old.key);
  check(seen, (await rowsDone(stage.ask)) === -1, "the new version serves before the back-fill is finished");
  check(
    seen,
    /"event":"migration_waits"/.test(joined.logs()),
    "the contract did not wait for the old servers",
  );
  await pause(1_000);
  return [again, joined];
}

/** The old servers are gone: the contract is applied, and keeps the old version out. */
async function contract({ stage, seen }: Upgrade): Promise<void> {
  const last = startCommand(stage, ["migrate", "--json"], nextVersion);
  const code = await last.ended;
  check(seen, code === 0 && /next-contract/.test(last.stdout()), `the contract: ${code}, ${last.stderr()}`);
  const old = startCommand(stage, ["serve", "--port", "0"], {});
  await mustRefuse(seen, "the old version after the contract", old, /a newer Plaza wrote this database/);
}

/** Stops these callers and describes what failed. */
async function failuresOf(callers: readonly Callers[]): Promise<string[]> {
  await Promise.all(callers.map((group) => group.stop()));
  return callers.flatMap(({ failures }) => failures);
}

async function upgrade(stage: Stage, baseUrl: string, size: Size, random: Random): Promise<Figure[]> {
  const seen: Seen = { looks: 0, wrong: [] };
  const callers: Callers[] = [];
  const plazas: Plaza[] = [];
  const { folder, database, kind } = stage;
  const serve = async (env: Readonly<Record<string, string>> = {}): Promise<Plaza> => {
    const isBare = plazas.length > 0;
    const catalog = oneUpstream(baseUrl);
    const plaza = await startPlaza({
      catalog,
      folder,
      database,
      isBare,
      env: { ...patient, ...env },
      startMs,
    });
    plazas.push(plaza);
    return plaza;
  };
  const call = (name: string, { port }: Plaza, key: string): void => {
    for (const isKept of [true, false])
      callers.push(startCallers({ name, port, key, isKept, lanes: size.lanes, random }));
  };
  const parts: Upgrade = { stage, size, random, seen, callers, serve, call };
  const failures: string[] = [];
  try {
    const old = await serve();
    call("before", old, old.key);
    await pause(1_000);
    failures.push(...(await failuresOf(callers)));
    await settle();
    await addRequests(stage, size.rows);
    const before = await entriesOf(stage.ask);
    const [again, joined] = await sideBySide(parts, old);
    const [oldOnes, newOnes] = [
      callers.filter(({ name }) => name !== "new"),
      callers.filter(({ name }) => name === "new"),
    ];
    failures.push(...(await failuresOf(oldOnes)));
    await Promise.all([old, again].map(({ running }) => running.stop("SIGTERM", 60_000)));
    check(seen, await isCopied(stage.ask), "rows that the back-fill or the trigger missed");
    await contract(parts);
    await pause(500);
    failures.push(...(await failuresOf(newOnes)));
    await settle();
    const lost = await lostEntries(stage.ask, before);
    const { ok } = await joined.cli(["ledger", "verify"]);
    check(seen, ok === true, `ledger verify: ${String(ok)}`);
    const calls = callers.reduce((sum, group) => sum + group.calls(), 0);
    return [
      zeroFigure(
        "P28",
        `failed calls while the next version migrates, is killed and joins, ${kind}`,
        calls,
        failures,
      ),
      zeroFigure("P28", `ledger entries changed or lost by it, ${kind}`, before.length, lost),
      zeroFigure(
        "P28",
        `steps of ${size.kills} kills and a take-over that went otherwise, ${kind}`,
        seen.looks,
        seen.wrong,
      ),
    ];
  } finally {
    await failuresOf(callers);
    for (const plaza of plazas) await plaza.running.stop("SIGINT", 60_000);
    rmSync(folder, { recursive: true, force: true });
  }
}

export const run: Rig = async ({ size: form, seed, database = "sqlite" }) => {
  const size = sizes[form];
  const random = seededRandom(seed);
  const upstream = await startUpstreamProcess();
  try {
    return await withStages(database, async (newStage) => [
      ...(await upgrade(await newStage(), upstream.baseUrl, size, random)),
      ...(size.landed === 0 ? [] : await upgradeFromLanded(newStage, upstream.baseUrl, size.landed, random)),
    ]);
  } finally {
    await upstream.stop();
  }
};
