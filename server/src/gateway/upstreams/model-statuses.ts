/**
 * What is known against models, out of what this process finds itself and what the others last wrote in the
 * store. It is told of that (`watch-store.ts`), so that nobody who asks for a status waits for the store.
 */
import type { ModelReport } from "@plaza/contract/upstream-states.ts";
import { type Measured, mergeReports } from "../../domain/catalog/model-status.ts";
import type { ProcessReport } from "../../store/operation/news-shapes.ts";

export interface ModelStatusesOptions {
  /** What this process finds now. */
  readonly report: () => ModelReport;
  /** Under which id this process writes its own. */
  readonly holderId: () => string;
}

export interface ModelStatuses {
  readonly measuredOf: (modelId: string) => Measured;
  /**
   * Looks at this process's own models; true when something else is known against them than before,
   * which the others must hear at once.
   */
  look(): boolean;
  /** What every process that lives says now. */
  hear(reports: readonly ProcessReport[]): void;
  /** What was found last. */
  own(): ModelReport;
}

export function createModelStatuses({ report, holderId }: ModelStatusesOptions): ModelStatuses {
  let own: ModelReport = { down: [], degraded: [], served: [] };
  let ownText = "";
  let others: readonly ModelReport[] = [];
  let measured = mergeReports([]);
  return {
    measuredOf: (modelId) => measured.get(modelId),
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
