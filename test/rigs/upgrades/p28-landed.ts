/**
 * P28's long form: databases and servers of the last landed build of schema 17. This checkout refuses to
 * migrate while they run, so that none of their calls fails; once they are stopped, it migrates, is killed at
 * a random moment, and serves. Needs the git history.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Callers, startCallers } from "../faults/p31-callers.ts";
import { oneUpstream } from "../harness/catalog.ts";
import { boundFigure, type Figure, zeroFigure } from "../harness/figure.ts";
import { monotonicMs, pause } from "../harness/measure/clock.ts";
import { hasCommit, unpackBuild } from "../harness/processes/older-build.ts";
import { type Plaza, startPlaza, temporaryFolder } from "../harness/processes/plaza.ts";
import type { Random } from "../harness/random.ts";
import { entriesOf, killed, lostEntries, patient, type Stage, settle, startCommand } from "./p28-stage.ts";

/** The last landed commit; its newest schema is 17. */
const landed = "81ae384f";
/** A migrating process lives about this long, in milliseconds; kills are spread over it. */
const lifeMs = 2_000;
const lanes = 3;

/** From the stop of the old server to the new one's first answer to a look at its readiness. */
const gapMaxMs = 30_000;

interface Round {
  readonly failures: string[];
  readonly accepted: string[];
  readonly lost: string[];
  readonly wrong: string[];
  readonly gapsMs: number[];
  calls: number;
  entries: number;
}

const refusal = /would fail calls after migration 18 .*: stop all of them/;

/** What of this checkout does not refuse the database of a running old server, or says something else. */
async function acceptedBeside(stage: Stage): Promise<string[]> {
  const accepted: string[] = [];
  for (const words of [["migrate", "--dry-run"], ["migrate"], ["serve", "--port", "0"]]) {
    const running = startCommand(stage, words, {});
    const code = await Promise.race([running.ended, pause(20_000)]);
    if (code !== 1) await killed(running);
    const text = running.stdout() + running.stderr();
    if (code !== 1 || !refusal.test(text)) accepted.push(`${words.join(" ")}: ${code}, ${text.slice(-300)}`);
  }
  return accepted;
}

async function oneUpgrade(stage: Stage, script: string, baseUrl: string, random: Random, round: Round) {
  const { folder, database } = stage;
  const catalog = oneUpstream(baseUrl);
  const plazas: Plaza[] = [];
  const callers: Callers[] = [];
  const call = (name: string, { port }: Plaza, key: string) => {
    for (const isKept of [true, false])
      callers.push(startCallers({ name, port, key, isKept, lanes, random }));
  };
  try {
    const old = await startPlaza({ script, catalog, folder, database, env: patient });
    plazas.push(old);
    call("landed", old, old.key);
    await pause(1_500);
    round.accepted.push(...(await acceptedBeside(stage)));
    // Another account, another key: the old server has neither in memory.
    call("a new key at the old server", old, await old.createKey("5.00"));
    await pause(2_000);
    await Promise.all(callers.map((group) => group.stop()));
    const before = await entriesOf(stage.ask);
    const stoppedAtMs = monotonicMs();
    await old.running.stop("SIGTERM", 60_000);
    const stopMs = monotonicMs() - stoppedAtMs;
    const migrating = startCommand(stage, ["migrate"], {});
    await pause(random.int(0, lifeMs));
    await killed(migrating);
    const startedAtMs = monotonicMs();
    const joined = await startPlaza({ catalog, folder, database, isBare: true, env: patient });
    round.gapsMs.push(stopMs + monotonicMs() - startedAtMs);
    plazas.push(joined);
    call("new", joined, old.key);
    await pause(3_000);
    await Promise.all(callers.map((group) => group.stop()));
    await settle();
    const { ok } = await joined.cli(["ledger", "verify"]);
    if (ok !== true) round.wrong.push(`ledger verify: ${String(ok)}`);
    round.lost.push(...(await lostEntries(stage.ask, before)));
    round.entries += before.length;
  } finally {
    await Promise.all(callers.map((group) => group.stop()));
    for (const group of callers) {
      round.calls += group.calls();
      round.failures.push(...group.failures);
    }
    for (const plaza of plazas) await plaza.running.stop("SIGINT", 60_000);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `times` upgrades from the landed build. */
export async function upgradeFromLanded(
  newStage: () => Promise<Stage>,
  baseUrl: string,
  times: number,
  random: Random,
): Promise<Figure[]> {
  const name = (what: string) => `${what} in ${times} upgrades with a stop from ${landed}, each killed once`;
  if (!hasCommit(landed)) {
    const missing = "not run: this checkout has no git history; fetch it whole";
    return [zeroFigure("P28", name("failed calls"), 0, [missing])];
  }
  const builds = temporaryFolder();
  const round: Round = { failures: [], accepted: [], lost: [], wrong: [], gapsMs: [], calls: 0, entries: 0 };
  try {
    const script = unpackBuild(landed, join(builds, landed));
    for (let done = 0; done < times; done++) {
      await oneUpgrade(await newStage(), script, baseUrl, random, round);
    }
  } finally {
    rmSync(builds, { recursive: true, force: true });
  }
  return [
    zeroFigure("P28", name("failed calls before the stop and after the start"), round.calls, round.failures),
    zeroFigure(
      "P28",
      name("migrations and starts accepted beside the old server"),
      3 * times,
      round.accepted,
    ),
    boundFigure("P28", name("longest time without a server"), Math.max(...round.gapsMs), gapMaxMs),
    zeroFigure("P28", name("ledger entries changed or lost"), round.entries, round.lost),
    zeroFigure("P28", name("ledgers that did not verify"), times, round.wrong),
  ];
}
