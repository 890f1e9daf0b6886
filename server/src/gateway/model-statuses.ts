/**
 * What is known against models, out of what this process finds itself and what the others last wrote in the store. Reads the store
 * regularly, so that nobody who asks for a status waits for it.
 */
import type { ModelReport } from "@plaza/contract/upstream-states.ts";
import { type Measured, mergeReports } from "../domain/model-status.ts";
import type { Store } from "../store/store.ts";

export interface ModelStatusesOptions {
  /** What this process finds now. */
  readonly report: () => ModelReport;
  readonly store: Pick<Store, "listModelReports">;
  /** Under which id this process writes its own. */
  readonly holderId: () => string;
}

export interface ModelStatuses {
  readonly measuredOf: (modelId: string) => Measured;
  /** Looks at this process's own models; true when something else is known against them than before, which the others must hear at once. */
  look(): boolean;
  /** Reads what the others say. Never rejects: what is known stays while the store is away. */
  read(): Promise<void>;
  /** What was found last. */
  own(): ModelReport;
}

export function createModelStatuses({ report, store, holderId }: ModelStatusesOptions): ModelStatuses {
  let own: ModelReport = { down: [], degraded: [], served: [] };
  let ownText = "";
  let others: readonly ModelReport[] = [];
  let measured = mergeReports([]);
  let isReading = false;
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
    async read() {
      if (isReading) return;
      isReading = true;
      try {
        const all = await store.listModelReports();
        others = all.filter(({ process }) => process !== holderId()).map(({ models }) => models);
        measured = mergeReports([own, ...others]);
      } catch {
        // That the store is away is told by those who need it.
      } finally {
        isReading = false;
      }
    },
  };
}
