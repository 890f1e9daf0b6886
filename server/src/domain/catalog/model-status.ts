/**
 * Pure: whether a model can be called, from its price, its deployments and what every process's own calls of
 * late say of them. The one rule behind every place that shows a model's status. Callers' faults and
 * throttling say nothing against a model.
 */
import type { Model, ModelStatus, Price } from "@plaza/contract/catalog.ts";
import { operationPaths, operationsOf } from "@plaza/contract/operations.ts";
import type { ModelReport } from "@plaza/contract/upstream-states.ts";

/** A deployment as one process finds it. */
export interface DeploymentFound {
  /** It is ejected, or none of its credentials works. */
  readonly isOut: boolean;
  /** It, or every credential of it that works, has to be left alone for a while. */
  readonly isResting: boolean;
  /** Calls of about the last half minute, and those of them that failed by its own fault. */
  readonly calls: number;
  readonly faults: number;
}

/** Fewer calls say nothing of a share. */
const callsMin = 20;

/** What is known against a model; undefined = nothing. */
export type Measured = "degraded" | "down" | undefined;

/**
 * What one process says of a model; `served`: it answers here. `successMin`: share
 * of calls that have to go well, 0 to 1.
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
 * All processes' reports as one. Down is what is down for some and answers for
 * nobody; where they disagree it is degraded.
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
