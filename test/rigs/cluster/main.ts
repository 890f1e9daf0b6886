/**
 * The rig in a network namespace of its own: makes the hosts, plays the scenes, judges the books, and prints
 * the figures as one line of JSON. Argument: one JSON object, `MainOptions`.
 */
import { type Figure, zeroFigure } from "../harness/figure.ts";
import { completedAnswer } from "../harness/money/calls.ts";
import { conservationFigure, watchConservation } from "../harness/money/conservation.ts";
import { leakFigure } from "../harness/money/leaks.ts";
import { judgeCharges, reconcile, reconcileFigures } from "../harness/money/reconcile.ts";
import { untilSettled } from "../harness/money/settled.ts";
import { startProgress } from "../harness/progress.ts";
import { type Random, seededRandom } from "../harness/random.ts";
import { asynchronousLoss } from "./asynchronous.ts";
import type { Made } from "./judges.ts";
import { revokeBeyond, revokeDuring } from "./keys.ts";
import { makeSwitch } from "./network.ts";
import { play } from "./play.ts";
import {
  cutFromBalancer,
  cutFromDatabase,
  failover,
  farAndLossy,
  hostDies,
  replicaAway,
  type Scene,
} from "./scenes.ts";
import { type Cluster, withCluster } from "./stage.ts";

export interface MainOptions {
  readonly size: "short" | "long";
  readonly seed: number;
  /** The program. */
  readonly nginx: string;
}

const sizes = {
  short: { rounds: 1, lostMs: 2_500, partitionMs: 3_000, keys: 3, estimateMs: 60_000 },
  /** A partition longer than a holder's life: its leases are swept, and it must not spend them. */
  long: { rounds: 1, lostMs: 8_000, partitionMs: 65_000, keys: 40, estimateMs: 340_000 },
} as const;

/** The scenes of one round; each is made when its turn comes, because the primary moves. */
function scenesOf(
  cluster: Cluster,
  {
    size,
    random,
    round,
  }: { readonly size: MainOptions["size"]; readonly random: Random; readonly round: number },
): (() => Scene)[] {
  const { lostMs, partitionMs } = sizes[size];
  const [first, second, third] = random.shuffle(cluster.plazas) as unknown as Cluster["plazas"];
  const sync = { lostMs, replication: "synchronous", random: random.fork("failover") } as const;
  return [
    () => farAndLossy(cluster, lostMs),
    () => cutFromDatabase(cluster, first, round === 0 ? partitionMs : lostMs),
    () => hostDies(third, lostMs),
    () => failover(cluster, { ...sync, behindMs: 0 }),
    ...(size === "long"
      ? [
          () => cutFromBalancer(cluster, second, lostMs),
          () => replicaAway(cluster, lostMs),
          () => failover(cluster, { ...sync, behindMs: 2_000 }),
        ]
      : []),
  ];
}

/** The books of everything that was played, once all of it is settled. */
async function judgeBooks(
  cluster: Cluster,
  made: readonly Made[],
  size: MainOptions["size"],
): Promise<Figure[]> {
  const answers = made.map(({ seen }) => completedAnswer(seen)).filter((answer) => answer !== undefined);
  await untilSettled(cluster, answers);
  // A host died in every round.
  const leaks = await leakFigure(cluster, { size, killed: 1 });
  const rows = await cluster.reader.requests();
  const ids = new Set(made.map(({ call }) => call.id));
  const prompts = new Set(made.map(({ call }) => call.plan.promptTokens));
  const calls = cluster.calls().filter(({ id }) => ids.has(id));
  const own = rows.filter(({ source, input }) => source !== "exact" || prompts.has(input));
  const lost = (await cluster.reader.accounts()).filter((account) => account.lost !== 0n);
  return [
    ...judgeCharges(answers, rows, await cluster.reader.charges()),
    ...reconcileFigures(reconcile(own, calls)),
    zeroFigure("P01", "found by ledger verify", 1, await cluster.verify()),
    zeroFigure(
      "P01",
      "accounts with an operator's loss",
      rows.length,
      lost.map((account) => `${account.id}: ${account.lost}`),
    ),
    leaks,
  ];
}

async function runOn(cluster: Cluster, { size, seed }: MainOptions): Promise<Figure[]> {
  const random = seededRandom(seed);
  const { rounds, keys, lostMs, estimateMs } = sizes[size];
  const progress = startProgress({ rig: "CLUSTER", estimateMs, isShown: size === "long" });
  await cluster.database.setReplication("synchronous");
  const watch = watchConservation(cluster.reader, 250);
  const figures: Figure[] = [];
  const made: Made[] = [];
  for (let round = 0; round < rounds; round++) {
    const own = random.fork(`round ${round}`);
    for (const makeScene of scenesOf(cluster, { size, random: own, round })) {
      const scene = makeScene();
      progress.begin(`round ${round + 1} of ${rounds}, ${scene.name}`);
      const played = await play(cluster, scene, own.fork(scene.name));
      figures.push(...played.figures);
      made.push(...played.made);
    }
  }
  progress.begin("revoked keys");
  figures.push(...(await revokeDuring(cluster, farAndLossy(cluster, 0), keys)));
  const victim = random.pick(cluster.plazas);
  const beyond = cutFromDatabase(cluster, victim, lostMs);
  figures.push(...(await revokeBeyond(cluster, beyond, victim)));
  progress.begin("the books");
  const books = await judgeBooks(cluster, made, size);
  figures.push(...books, conservationFigure("P01", await watch.stop()));
  if (size === "long") {
    progress.begin("asynchronous, for comparison");
    figures.push(...(await asynchronousLoss(cluster, random.fork("asynchronous"))));
  }
  return figures;
}

const options = JSON.parse(process.argv[2] ?? "{}") as MainOptions;
makeSwitch();
const figures = await withCluster(options, (cluster) => runOn(cluster, options));
process.stdout.write(`${JSON.stringify({ figures })}\n`);
process.exit(0);
