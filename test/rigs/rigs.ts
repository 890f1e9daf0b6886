/**
 * The rigs by promise. A new rig is one file and one line here.
 */
import type { Rig } from "./harness/figure.ts";

/** Loads a rig; kept lazy so that one rig's imports do not slow another. */
export const rigs: Readonly<Record<string, () => Promise<{ run: Rig; skip?: string | false }>>> = {
  P01: () => import("./p01-bank-run.ts"),
  P02: () => import("./p02-overdraft.ts"),
  P03: () => import("./p03-crash.ts"),
  P04: () => import("./p04-books.ts"),
  P05: () => import("./p05-leaks.ts"),
  P06: () => import("./p06-aborts.ts"),
  P07: () => import("./p07-prices.ts"),
  P08: () => import("./p08-idempotency.ts"),
  P09: () => import("./p09-cut.ts"),
  P10: () => import("./p10-bytes.ts"),
  P11: () => import("./p11-latency.ts"),
  P12: () => import("./p12-silence.ts"),
  P13: () => import("./p13-abort.ts"),
  P14: () => import("./p14-readers.ts"),
  P15: () => import("./p15-faults.ts"),
  P16: () => import("./p16-storms.ts"),
  P17: () => import("./p17-ejection.ts"),
  P18: () => import("./p18-slow-storage.ts"),
  P19: () => import("./p19-lost-database.ts"),
  P20: () => import("./p20-overload.ts"),
  P21: () => import("./p21-limits.ts"),
  P22: () => import("./p22-keys.ts"),
  P23: () => import("./p23-secrets.ts"),
  P24: () => import("./p24-rights.ts"),
  P25: () => import("./p25-addresses.ts"),
  P26: () => import("./p26-hostile.ts"),
  P27: () => import("./p27-injection.ts"),
  P29: () => import("./p29-usage.ts"),
  P30: () => import("./p30-soak.ts"),
  P31: () => import("./p31-deploys.ts"),
  P32: () => import("./p32-kills.ts"),
  P33: () => import("./p33-paths.ts"),
  P34: () => import("./p34-held.ts"),
};
