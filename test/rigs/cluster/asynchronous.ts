/**
 * What a failover loses where commits do not wait for the replica: measured, not judged, because
 * docs/operate/cluster.md says that they must. The ledger no longer agrees with the callers afterwards.
 */
import type { Figure } from "../harness/figure.ts";
import { pause } from "../harness/measure/clock.ts";
import { completedAnswer } from "../harness/money/calls.ts";
import type { Random } from "../harness/random.ts";
import { play } from "./play.ts";
import { failover } from "./scenes.ts";
import type { Cluster } from "./stage.ts";

const lostMs = 3_000;
/** Journals are read again within this time. */
const settledMs = 10_000;

/** Two failovers: of a replica that follows, and of one that was cut off for two seconds. */
export async function asynchronousLoss(cluster: Cluster, random: Random): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const behindMs of [0, 2_000]) {
    await cluster.database.setReplication("asynchronous");
    const own = random.fork(String(behindMs));
    const scene = failover(cluster, { lostMs, replication: "asynchronous", behindMs, random: own });
    const { made } = await play(cluster, scene, own);
    await pause(settledMs);
    const answers = made.map(({ seen }) => completedAnswer(seen)).filter((answer) => answer !== undefined);
    const rows = new Set((await cluster.reader.requests()).map(({ id }) => id));
    const lost = answers.filter(({ requestId }) => !rows.has(requestId)).length;
    const found = await cluster.verify();
    figures.push({
      promise: "P03",
      name: `${scene.name}: answers given and not on the ledger`,
      reached: `${lost} of ${answers.length}; ledger verify finds ${found.length}`,
      wanted: "measured",
      ok: true,
      kind: "timing",
      misses: found.slice(0, 5),
    });
  }
  return figures;
}
