/** Slices of limits, as the store grants them. Types only. */
import type { SliceGrant } from "../../domain/limits/limit.ts";

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
