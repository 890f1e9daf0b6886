/** How an upstream is doing, in one word for the list, out of what every process says. Pure; knows no words. */
import type { Answer } from "../../../api/routes.ts";

export type States = Answer<"get /operator/upstream-states">;
export type UpstreamState = States["processes"][number]["upstreams"][number];

/** `unused`: no process has said anything about it. */
export interface Standing {
  readonly kind: "well" | "troubled" | "out" | "down" | "unused";
  /** Deployments in trouble, or credentials out. */
  readonly count: number;
  readonly inFlight: number;
}

/** One upstream as each process sees it. */
export function statesOf(states: States | undefined, id: string): UpstreamState[] {
  return (states?.processes ?? []).flatMap(({ upstreams }) => upstreams.filter((one) => one.id === id));
}

const distinct = (keys: readonly string[]): number => new Set(keys).size;

/** Counts each credential and deployment once, however many processes see it. */
export function standingOf(states: readonly UpstreamState[]): Standing {
  const inFlight = states.reduce((sum, one) => sum + one.inFlight, 0);
  if (states.length === 0) return { kind: "unused", count: 0, inFlight };
  const all = states.flatMap(({ credentials }) => credentials);
  const out = all.filter(({ state }) => state === "out");
  if (out.length > 0 && out.length === all.length) return { kind: "down", count: all.length, inFlight };
  if (out.length > 0)
    return { kind: "out", count: distinct(out.map(({ number }) => String(number))), inFlight };
  const troubled = states.flatMap(({ deployments }) =>
    deployments.filter(({ state }) => state !== "healthy"),
  );
  const count = distinct(troubled.map(({ upstreamModel }) => upstreamModel));
  return { kind: count === 0 ? "well" : "troubled", count, inFlight };
}
