/**
 * Reads from the store what the other processes publish for the live view. What checks it is loaded with the
 * first reading: it brings Zod, which a start would pay for.
 */
import type { ProcessSample } from "../../domain/live/merge.ts";
import type { LiveBin } from "../../domain/live/sample.ts";
import { isWithin } from "../../lib/time/schedule.ts";
import type { LiveStore } from "../../store/operation/live-shapes.ts";

/** How long an event waits for the store, in milliseconds. */
const storeMs = 500;

const loadChecks = () => import("../../domain/live/sample.ts");

export interface OtherProcesses {
  readonly samples: readonly ProcessSample[];
  /** False: the store did not answer in time. */
  readonly isKnown: boolean;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Resolves with undefined when the promise rejects or takes too long. */
async function inTime<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return (await isWithin(promise, storeMs)) ? await promise : undefined;
  } catch {
    return undefined;
  }
}

/** The fresh samples of other processes. Those of a version that is not understood are left out. */
export async function readOthers(
  store: Pick<LiveStore, "listLiveSamples">,
  ownId: string,
): Promise<OtherProcesses> {
  const [rows, { liveSample }] = await Promise.all([inTime(store.listLiveSamples()), loadChecks()]);
  const samples = (rows ?? []).flatMap(({ process, sample }) => {
    if (process === ownId) return [];
    const read = liveSample.safeParse(parsed(sample));
    return read.success ? [{ process, sample: read.data }] : [];
  });
  return { samples, isKnown: rows !== undefined };
}

/** The histories of other processes, those that ended included. */
export async function readHistories(
  store: Pick<LiveStore, "listLiveHistories">,
  ownId: string,
): Promise<readonly (readonly LiveBin[])[]> {
  const [rows, { liveHistory }] = await Promise.all([inTime(store.listLiveHistories()), loadChecks()]);
  return (rows ?? []).flatMap(({ process, history }) => {
    if (process === ownId) return [];
    const read = liveHistory.safeParse(parsed(history));
    return read.success ? [read.data] : [];
  });
}
