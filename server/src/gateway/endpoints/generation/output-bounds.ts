/**
 * Decides which output limits of a request count, given what the upstreams of its model read. For all
 * endpoints that generate text. Pure functions.
 */
import { isSpoken } from "../../../providers/codec-of.ts";
import { outputNamesOf } from "../../../providers/output-names.ts";
import type { LiveDeployment, LiveModel } from "../../snapshot.ts";
import type { AskedNumber } from "./spending.ts";

/**
 * Assumed output when neither the caller nor the catalog sets a limit: what current models write at most in
 * ordinary use.
 */
export const outputTokensUsual = 16_384;

/** Caches the paths read by a model's upstreams; "all" when one of them is unknown. */
const readByModel = new WeakMap<LiveModel, ReadonlySet<string> | "all">();

/** Paths of the numbers that at least one upstream of the model obeys. */
export function readOf(live: LiveModel): ReadonlySet<string> | "all" {
  let found = readByModel.get(live);
  if (found === undefined) {
    const tables = live.deployments.map(({ live: { upstream } }) =>
      outputNamesOf(upstream.provider, upstream.preset),
    );
    found = tables.includes(undefined)
      ? "all"
      : new Set(
          tables.flatMap((names) => [
            ...(names?.tokens ?? []),
            ...(names?.choices ?? []),
            ...(names?.thinking ?? []),
          ]),
        );
    readByModel.set(live, found);
  }
  return found;
}

/** The largest value that some upstream reads, at least `least`. */
export function largest(
  numbers: readonly AskedNumber[],
  read: ReadonlySet<string> | "all",
  least: number,
): number {
  let most = least;
  for (const { path, value } of numbers) {
    if (value > most && (read === "all" || read.has(path))) most = value;
  }
  return most;
}

const leastByModel = new WeakMap<LiveModel, number>();

function leastAt({ live: { provider }, deployment }: LiveDeployment): number {
  if (provider.transport !== "http") return 0;
  const spoken = provider.formats.filter((format) => isSpoken(format, deployment));
  return Math.max(0, ...spoken.map(({ leastOutput }) => leastOutput?.(deployment.model) ?? 0));
}

/**
 * The largest of the least output limits that the model's upstreams take: a smaller one may be raised so far.
 */
export function leastOutputOf(live: LiveModel): number {
  let least = leastByModel.get(live);
  if (least === undefined) {
    least = Math.max(0, ...live.deployments.map(leastAt));
    leastByModel.set(live, least);
  }
  return least;
}

/** True for the names that every upstream reads, so that they limit the output everywhere. */
export const chatBounds: ReadonlySet<string> = new Set(["max_tokens", "max_completion_tokens"]);
