/**
 * Which of the bounds of output in a request count, by what the upstreams of its model read: for every
 * endpoint whose models write text. Pure.
 */
import { outputNamesOf } from "../../../providers/output-names.ts";
import type { LiveModel } from "../../snapshot.ts";
import type { AskedNumber } from "./spending.ts";

/**
 * Where neither the caller nor the catalog names a bound: what models of the
 * day produce at most in ordinary use.
 */
export const outputTokensUsual = 16_384;

/** Paths that an upstream of this model reads; undefined: all. */
const readByModel = new WeakMap<LiveModel, ReadonlySet<string> | "all">();

/** Paths of the numbers that some upstream of the model obeys. */
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

/** The largest of those that are read; `least` where there is none. */
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

/** Names of chat that every upstream reads: only such a name bounds the output everywhere. */
export const chatBounds: ReadonlySet<string> = new Set(["max_tokens", "max_completion_tokens"]);
