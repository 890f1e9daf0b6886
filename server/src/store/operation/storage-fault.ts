/**
 * Remembers the storage fault of this process, from the errors of storage calls: a full or failing disk, a
 * damaged file. Knows no SQL; runs on the caller's side of the storage thread.
 */

import type { StoreCore } from "../core.ts";
import { StoreError, type StoreErrorCode } from "../error.ts";
import { type StorageFault, type StorageFaultCode, storageFaultCodes } from "./storage-shapes.ts";

const lastingCodes: ReadonlySet<StoreErrorCode> = new Set(storageFaultCodes);

/** Methods that write. Only their success shows that a fault is over. */
const writers: ReadonlySet<keyof StoreCore> = new Set(["commitLedger", "heartbeat", "checkStorage"]);

export interface FaultMemory {
  /** Undefined while there is no fault. */
  readonly fault: StorageFault | undefined;
  /** Wraps a core to observe its errors. */
  watch(core: StoreCore): StoreCore;
  /** Sets whether the journal accepts what the database does not. */
  setJournalTakes(takes: boolean): void;
}

/** `wallMs`: returns Unix milliseconds. */
export function createFaultMemory(wallMs: () => number): FaultMemory {
  let found: Omit<StorageFault, "isRefusing"> | undefined;
  let journalTakes = false;

  function remember(error: unknown): void {
    if (!(error instanceof StoreError) || !lastingCodes.has(error.code)) return;
    const code = error.code as StorageFaultCode;
    // Damage lasts until a restore, whatever else fails or works.
    if (found?.code === code || found?.code === "damaged") return;
    found = { code, message: error.message, since: found?.since ?? wallMs() };
  }

  function forget(): void {
    if (found?.code !== "damaged") found = undefined;
  }

  function listened(name: keyof StoreCore, method: (...args: unknown[]) => Promise<unknown>) {
    const isWriter = writers.has(name);
    return (...args: unknown[]): Promise<unknown> => {
      const answer = method(...args);
      answer.then(isWriter ? forget : undefined, remember);
      return answer;
    };
  }

  return {
    get fault() {
      return found && { ...found, isRefusing: found.code === "damaged" || !journalTakes };
    },
    watch(core) {
      const methods = Object.entries(core) as [keyof StoreCore, (...args: unknown[]) => Promise<unknown>][];
      return Object.fromEntries(
        methods.map(([name, method]) => [name, listened(name, method)]),
      ) as unknown as StoreCore;
    },
    setJournalTakes(takes) {
      journalTakes = takes;
    },
  };
}
