/** Slices of limits, as the store grants them. Types, and lists of names. */
import type { SliceAsk, SliceGrant } from "../../domain/limits/limit.ts";

/** Answer to a process's asks for slices of limits. */
export type SliceReply =
  | {
      readonly status: "granted";
      /** In the order of the asks. */
      readonly grants: readonly SliceGrant[];
      /** Serving processes alive, the asking one included. */
      readonly holders: number;
    }
  /** The holder has expired and its slices are gone; nothing was done. */
  | { readonly status: "fenced" };

/** What a serving process asks of limits. */
export interface SlicesStore {
  /**
   * Takes what a process reports of its slices of limits, and lends it more, at most one ask about a bucket.
   * Not durable: after a power cut the last moments are forgotten.
   */
  takeSlices(holderId: string, asks: readonly SliceAsk[]): Promise<SliceReply>;
}

/** Its methods that are handed to the storage thread as they are (`create-store.ts`). */
export const sliceMethods = {
  takeSlices: true,
} as const satisfies Record<keyof SlicesStore, true>;
