/**
 * Pure: whether a model can be called, from its price, its deployments and every process's recent calls.
 * Every place that shows a model's status uses this rule. Callers' faults and rate limits do not count
 * against a model.
 */
import type { Model, ModelStatus, Price } from "@plaza/contract/catalog.ts";
import { operationPaths, operationsOf } from "@plaza/contract/operations.ts";
import type { ModelReport } from "@plaza/contract/upstream-states.ts";

/** A deployment as one process sees it. */
export interface DeploymentFound {
  /** True when it is ejected, or none of its credentials works. */
  readonly isOut: boolean;
  /** True when it must not be called for a while, or none of its working credentials may be. */
  readonly isResting: boolean;
  /** Calls of about the last half minute, and how many of them failed through its own fault. */
  readonly calls: number;
  readonly faults: number;
}

/** With fewer calls, a share has no meaning. */
const callsMin = 20;

/** A measured problem of a model; undefined: none. */
export type Measured = "degraded" | "down" | undefined;

/**
 * One process's judgment of a model. `served`: this process serves it. `successMin`: required share of
 * successful calls, 0 to 1.
 */
export function judgeModel(
  deployments: readonly DeploymentFound[],
  successMin: number,
): "down" | "degraded" | "served" | undefined {
  if (deployments.length === 0) return undefined;
  let calls = 0;
  let faults = 0;
  let out = 0;
  let resting = 0;
  for (const one of deployments) {
    calls += one.calls;
    faults += one.faults;
    if (one.isOut) out += 1;
    else if (one.isResting) resting += 1;
  }
  if (out === deployments.length) return "down";
  const isPoor = calls >= callsMin && calls - faults < calls * successMin;
  if (out > 0 || resting > 0 || isPoor) return "degraded";
  return calls > faults ? "served" : undefined;
}

/**
 * Combines the reports of all processes. A model is down when it is down for some and works for none; if
 * processes disagree it is degraded.
 */
export function mergeReports(reports: readonly ModelReport[]): ReadonlyMap<string, "degraded" | "down"> {
  const merged = new Map<string, "degraded" | "down">();
  for (const { down } of reports) for (const id of down) merged.set(id, "down");
  for (const { degraded } of reports) for (const id of degraded) merged.set(id, "degraded");
  for (const { served } of reports) {
    for (const id of served) if (merged.has(id)) merged.set(id, "degraded");
  }
  return merged;
}

/** The status of a model with this price now. */
export function statusAt(model: Model, price: Price | undefined, measured: Measured): ModelStatus {
  if (!operationsOf(model).some((operation) => operationPaths[operation].isServed)) return "unserved";
  if (price === undefined) return "unpriced";
  if (model.deployments.length === 0) return "down";
  return measured ?? "available";
}
