/**
 * The rigs by promise. A new rig is one file and one line here.
 */
import type { Rig } from "./harness/figure.ts";

/** Loads a rig; lazy, so that one rig's imports do not slow another. */
export const rigs: Readonly<Record<string, () => Promise<{ run: Rig; skip?: string | false }>>> = {
  P01: () => import("./money/p01-bank-run.ts"),
  P02: () => import("./money/p02-overdraft.ts"),
  P03: () => import("./money/p03-crash.ts"),
  P04: () => import("./money/p04-books.ts"),
  P05: () => import("./money/p05-leaks.ts"),
  P06: () => import("./money/p06-aborts.ts"),
  P07: () => import("./money/p07-prices.ts"),
  P08: () => import("./money/p08-idempotency.ts"),
  P09: () => import("./streams/p09-cut.ts"),
  P10: () => import("./streams/p10-bytes.ts"),
  P11: () => import("./streams/p11-latency.ts"),
  P12: () => import("./streams/p12-silence.ts"),
  P13: () => import("./streams/p13-abort.ts"),
  P14: () => import("./streams/p14-readers.ts"),
  P15: () => import("./faults/p15-faults.ts"),
  P16: () => import("./faults/p16-storms.ts"),
  P17: () => import("./faults/p17-ejection.ts"),
  P18: () => import("./faults/p18-slow-storage.ts"),
  P19: () => import("./faults/p19-lost-database.ts"),
  P20: () => import("./load/p20-overload.ts"),
  P21: () => import("./limits/p21-limits.ts"),
  P22: () => import("./limits/p22-keys.ts"),
  P23: () => import("./security/secrets/p23-secrets.ts"),
  P24: () => import("./security/p24-rights.ts"),
  P25: () => import("./security/p25-addresses.ts"),
  P26: () => import("./security/p26-hostile.ts"),
  P27: () => import("./security/p27-injection.ts"),
  P28: () => import("./upgrades/p28-upgrades.ts"),
  P29: () => import("./money/p29-usage.ts"),
  P30: () => import("./load/p30-soak.ts"),
  P31: () => import("./faults/p31-deploys.ts"),
  P32: () => import("./faults/p32-kills.ts"),
  P33: () => import("./security/p33-paths.ts"),
  P34: () => import("./money/p34-held.ts"),
  P35: () => import("./security/p35-transports.ts"),
  P37: () => import("./streams/p37-meaning.ts"),
};
