/** What happens to the cluster: one fault each, with its end. */
import { eventually, pause } from "../harness/measure/clock.ts";
import type { Random } from "../harness/random.ts";
import type { Outcome } from "./judges.ts";
import { databaseAddress, type Host } from "./network.ts";
import type { Cluster, PlazaHost } from "./stage.ts";

export interface Scene {
  readonly name: string;
  /** How long it lasts, before its end. */
  readonly lostMs: number;
  /** What callers may meet beside whole answers. */
  readonly meets: readonly Outcome[];
  /** Callers must get whole answers again so long after this moment. */
  readonly recoversFrom: "begin" | "end";
  /** The host whose purse lies still until the end. */
  readonly victim?: PlazaHost | undefined;
  /** True when a Plaza dies: its calls are neither answered nor charged. */
  readonly kills?: boolean;
  begin(): Promise<void>;
  end(): Promise<void>;
  /** Makes the cluster whole again, after it was judged. */
  mend?(): Promise<void>;
}

const delayMs = 50;
const lossPercent = 2;
/** Between the last heartbeat of a replica's connection and its new one. */
const followedWithinMs = 15_000;

const databaseHosts = ({ database }: Cluster): string[] => [
  databaseAddress,
  database.primary().address,
  database.replica().address,
];

/** Every packet to any host may be lost, and the database is far away. */
export function farAndLossy(cluster: Cluster, lostMs: number): Scene {
  return {
    name: `database ${delayMs} ms away, ${lossPercent} % of all packets lost`,
    lostMs,
    meets: ["refused", "balancer"],
    recoversFrom: "end",
    async begin() {
      for (const plaza of cluster.plazas) await plaza.lengthen(delayMs);
      await cluster.endSessions();
      for (const host of cluster.hosts) host.lose(lossPercent);
    },
    async end() {
      for (const host of cluster.hosts) host.heal();
      await cluster.endSessions();
      for (const plaza of cluster.plazas) await plaza.shorten();
    },
  };
}

export function cutFromDatabase(cluster: Cluster, victim: PlazaHost, lostMs: number): Scene {
  return {
    name: "one Plaza cut off from the database",
    lostMs,
    meets: ["refused"],
    recoversFrom: "end",
    victim,
    async begin() {
      victim.host.cutOffFrom(databaseHosts(cluster));
    },
    async end() {
      victim.host.heal();
    },
  };
}

export function cutFromBalancer(cluster: Cluster, victim: PlazaHost, lostMs: number): Scene {
  return {
    name: "one Plaza cut off from the balancer",
    lostMs,
    // Calls that were under way hang, and their callers give up.
    meets: ["refused", "balancer", "cut"],
    recoversFrom: "begin",
    async begin() {
      victim.host.cutOffFrom([cluster.balancer.address]);
    },
    async end() {
      victim.host.heal();
    },
  };
}

export function hostDies(victim: PlazaHost, lostMs: number): Scene {
  return {
    name: "a Plaza's host without power",
    lostMs,
    meets: ["refused", "balancer", "cut"],
    recoversFrom: "begin",
    kills: true,
    async begin() {
      victim.host.goDark();
      await victim.host.killAll();
    },
    async end() {
      victim.host.comeBack();
      await victim.start();
    },
  };
}

async function untilFollowed({ database }: Cluster): Promise<void> {
  const isThere = async () => (await database.behindBytes()) === 0;
  if (!(await eventually(isThere, followedWithinMs, 100))) throw new Error("the replica stays behind");
}

/** Commits wait for a replica that does not answer. */
export function replicaAway(cluster: Cluster, lostMs: number): Scene {
  const replica = cluster.database.replica();
  return {
    name: "the synchronous replica cut off",
    lostMs,
    meets: ["refused"],
    recoversFrom: "end",
    async begin() {
      replica.cutOffFrom([cluster.database.primary().address]);
    },
    async end() {
      replica.heal();
      await untilFollowed(cluster);
    },
  };
}

export interface FailoverOptions {
  readonly lostMs: number;
  readonly replication: "synchronous" | "asynchronous";
  /** The replica is cut off so long before the primary goes; 0 = not. */
  readonly behindMs: number;
  readonly random: Random;
}

/** The primary's host goes dark, and the replica takes over. */
export function failover(
  cluster: Cluster,
  { lostMs, replication, behindMs, random }: FailoverOptions,
): Scene {
  const { database } = cluster;
  const behind = behindMs === 0 ? "" : `, its replica cut off ${behindMs / 1_000} s before`;
  let old: Host | undefined;
  return {
    name: `failover, ${replication}${behind}`,
    lostMs,
    meets: ["refused"],
    recoversFrom: "end",
    async begin() {
      old = database.primary();
      const replica = database.replica();
      await pause(random.int(0, 300));
      if (behindMs > 0) {
        replica.cutOffFrom([old.address]);
        await pause(behindMs);
      }
      old.goDark();
      await old.killAll();
      replica.heal();
    },
    end: () => database.failOver(),
    async mend() {
      old?.dropDatabaseAddress();
      old?.comeBack();
      await database.rebuildReplica();
      await database.setReplication(replication);
    },
  };
}
