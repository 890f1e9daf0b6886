/** P22 over hosts: a revoked key acts at each Plaza within a second, far away, and after a partition. */
import { boundFigure, type Figure, percentile, zeroFigure } from "../harness/figure.ts";
import { inParallel } from "../harness/http-client.ts";
import { offerOne } from "../harness/limited-calls.ts";
import { monotonicMs, pause } from "../harness/measure/clock.ts";
import type { MoneyCall } from "../harness/money/calls.ts";
import type { MoneyKey } from "../harness/money/money.ts";
import { errorCode } from "../harness/raw-client.ts";
import { plenty } from "./load.ts";
import type { Scene } from "./scenes.ts";
import type { Cluster, PlazaHost } from "./stage.ts";

const actsWithinMs = 1_000;
const givenUpMs = 15_000;
/** How long a key that was refused once is tried again. */
const watchedMs = 1_500;
const width = 4;
const triesMax = 4;

/**
 * A host that was cut off may keep rows locked for seconds, as long as the server waits for its transaction.
 */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if ((error as { code?: unknown }).code !== "locked" || tries === triesMax) throw error;
    }
  }
}

interface Acted {
  /** From the change to the last call that was served; 0 = none was. */
  readonly lastServedMs: number;
  /** What is wrong: never refused, or served again. */
  readonly wrong: string | undefined;
}

/** Calls one Plaza with a revoked key until it refuses, and a while longer. */
async function probe(plaza: PlazaHost, key: MoneyKey, since: number, name: string): Promise<Acted> {
  let refusedAt: number | undefined;
  let lastServedMs = 0;
  for (let made = 0; ; made++) {
    const sentMs = monotonicMs() - since;
    if (refusedAt === undefined ? sentMs > givenUpMs : sentMs - refusedAt > watchedMs) break;
    const id = `${name}-${plaza.host.name}-${made}`;
    const call: MoneyCall = { id, isStream: false, maxTokens: 4, plan: { tokens: 1 } };
    const { status, seen } = await offerOne(plaza, key, call);
    const isRefused = status === 401 && errorCode(seen.body) === "invalid_api_key";
    if (isRefused) refusedAt ??= sentMs;
    else if (status === 200) lastServedMs = sentMs;
    if (status === 200 && refusedAt !== undefined) return { lastServedMs, wrong: `${id}: served again` };
    await pause(refusedAt === undefined ? 20 : 200);
  }
  const isNever = refusedAt === undefined;
  return { lastServedMs, wrong: isNever ? `${name} at ${plaza.host.name}: never refused` : undefined };
}

async function usedKey(cluster: Cluster, name: string): Promise<MoneyKey> {
  const account = await patiently(() => cluster.createAccount(plenty));
  const key = await patiently(() => cluster.createKey(account));
  const warm: MoneyCall = { id: `${name}-warm`, isStream: false, maxTokens: 4, plan: { tokens: 1 } };
  for (const plaza of cluster.plazas) await offerOne(plaza, key, warm);
  return key;
}

/** Revokes keys in use while the scene lasts. */
export async function revokeDuring(cluster: Cluster, scene: Scene, count: number): Promise<Figure[]> {
  await scene.begin();
  try {
    const acted = await inParallel(Array.from({ length: count }), width, async (_, index) => {
      const name = `p22-${index}`;
      const key = await usedKey(cluster, name);
      await patiently(() => cluster.store.setKeyStatus(key.id, "revoked"));
      const since = monotonicMs();
      return Promise.all(cluster.plazas.map((plaza) => probe(plaza, key, since, name)));
    });
    return keyFigures(scene.name, acted.flat());
  } finally {
    await scene.end();
  }
}

function keyFigures(name: string, acted: readonly Acted[]): Figure[] {
  const times = acted.map(({ lastServedMs }) => lastServedMs);
  const wrong = acted.flatMap((one) => one.wrong ?? []);
  const p50 = percentile(times, 50).toFixed(0);
  return [
    zeroFigure("P22", `${name}: revoked keys served again, or never refused`, acted.length, wrong),
    boundFigure(
      "P22",
      `${name}: last call served after a revocation (p50 ${p50} ms), worst`,
      Math.max(...times),
      actsWithinMs,
    ),
  ];
}

/** Revokes a key that a Plaza cannot hear of: it must refuse it once it hears again. */
export async function revokeBeyond(cluster: Cluster, scene: Scene, victim: PlazaHost): Promise<Figure[]> {
  const key = await usedKey(cluster, "p22-beyond");
  await scene.begin();
  const others = cluster.plazas.filter((plaza) => plaza !== victim);
  await patiently(() => cluster.store.setKeyStatus(key.id, "revoked"));
  const since = monotonicMs();
  const near = await Promise.all(others.map((plaza) => probe(plaza, key, since, "p22-beyond")));
  await pause(Math.max(0, scene.lostMs - (monotonicMs() - since)));
  await scene.end();
  const far = await probe(victim, key, monotonicMs(), "p22-beyond-after");
  return [
    ...keyFigures("another Plaza cut off from the database", near),
    ...keyFigures("a Plaza that was cut off, since it is back", [far]),
  ];
}
