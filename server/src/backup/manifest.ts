/** The manifest of a backup: what is in it, from when, and the sums that it must have after a restore. */
import { z } from "zod";
import { damaged } from "./error.ts";

/** Ids of more settlements than these are only counted. */
export const idsListedMax = 10_000;

const whole = z.number().int().nonnegative();

const manifestShape = z.object({
  format: z.literal(1),
  /** Everything that was acknowledged before this time is in the backup. ISO 8601, UTC. */
  createdAt: z.iso.datetime(),
  plazaVersion: z.string(),
  database: z.object({
    kind: z.literal("sqlite"),
    /** The newest migration it has. */
    schema: whole,
    requests: whole,
    /** When the newest request in it arrived. */
    lastRequestAt: z.iso.datetime().nullable(),
  }),
  ledger: z.object({
    accounts: whole,
    entries: whole,
    /** US dollars, exact: the sum of all balances, and that of all entries. */
    balances: z.string(),
    entriesSum: z.string(),
  }),
  /** Settlements that the database may lack; the next start adds them. */
  journal: z.object({ files: whole, settlements: whole, ids: z.array(z.string()).max(idsListedMax) }),
  sealingKey: z.object({ fingerprint: z.string().nullable(), isIncluded: z.boolean() }),
  parts: z.array(z.object({ name: z.string(), bytes: whole, sha256: z.string().regex(/^[0-9a-f]{64}$/) })),
});

export type Manifest = z.infer<typeof manifestShape>;

/** A part of a backup besides the manifest. */
export type PartSeal = Manifest["parts"][number];

/** Throws BackupError for a text that is not a manifest of this format. */
export function parseManifest(text: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged("its manifest cannot be read");
  }
  const result = manifestShape.safeParse(value);
  if (result.success) return result.data;
  const where = result.error.issues[0]?.path.join(".") ?? "";
  throw damaged(`its manifest has no valid ${where}`);
}
