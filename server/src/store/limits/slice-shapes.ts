/** Slices of rate limits as the store grants them. Types, and the list of methods. */
import type { SliceAsk, SliceGrant } from "../../domain/limits/limit.ts";

/** The reply to a process's requests for slices. */
export type SliceReply =
  | {
      readonly status: "granted";
      /** In the order of the requests. */
      readonly grants: readonly SliceGrant[];
      /** Number of live serving processes, including this one. */
      readonly holders: number;
    }
  /** The holder has expired and its slices are gone; nothing was done. */
  | { readonly status: "fenced" };

/** Store methods for slices of rate limits. */
export interface SlicesStore {
  /**
   * Receives what a process used of its slices and lends it more; at most one request per bucket. Not
   * durable: a power cut may lose the last moments.
   */
  takeSlices(holderId: string, asks: readonly SliceAsk[]): Promise<SliceReply>;
}

/** Methods that `create-store.ts` forwards to the storage thread unchanged. */
export const sliceMethods = {
  takeSlices: true,
} as const satisfies Record<keyof SlicesStore, true>;
