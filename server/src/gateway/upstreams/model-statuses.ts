/**
 * Combines the model states of this process with those other processes published in the store.
 * `watch-store.ts` delivers them, so that reading a status never waits for the store.
 */
import type { ModelReport } from "@plaza/contract/upstream-states.ts";
import { type Measured, mergeReports } from "../../domain/catalog/model-status.ts";
import type { ProcessReport } from "../../store/operation/news-shapes.ts";

export interface ModelStatusesOptions {
  /** Returns this process's current view. */
  readonly report: () => ModelReport;
  /** Returns the id under which this process publishes. */
  readonly holderId: () => string;
}

export interface ModelStatuses {
  readonly measuredOf: (modelId: string) => Measured;
  /** True while any model has a measured problem. */
  readonly hasTroubled: () => boolean;
  /** Checks this process's models. True when a state changed and must be published at once. */
  look(): boolean;
  /** Takes the reports of all live processes. */
  hear(reports: readonly ProcessReport[]): void;
  /** Returns the result of the last `look`. */
  own(): ModelReport;
}

export function createModelStatuses({ report, holderId }: ModelStatusesOptions): ModelStatuses {
  let own: ModelReport = { down: [], degraded: [], served: [] };
  let ownText = "";
  let others: readonly ModelReport[] = [];
  let measured = mergeReports([]);
  return {
    measuredOf: (modelId) => measured.get(modelId),
    hasTroubled: () => measured.size > 0,
    own: () => own,
    look() {
      own = report();
      measured = mergeReports([own, ...others]);
      const text = JSON.stringify([own.down, own.degraded]);
      if (text === ownText) return false;
      ownText = text;
      return true;
    },
    hear(reports) {
      others = reports.filter(({ process }) => process !== holderId()).map(({ models }) => models);
      measured = mergeReports([own, ...others]);
    },
  };
}
