/**
 * Checks a backup as far as it can be: every byte, the database by SQLite, the ledger as `plaza ledger
 * verify` does, and the sums of the manifest.
 */
import { join } from "node:path";
import { formatUsd } from "@plaza/contract/money.ts";
import type { Clock } from "../lib/time/clock.ts";
import { checkDatabase } from "../store/backup/check.ts";
import { type DatabaseFacts, readDatabaseFacts } from "../store/backup/facts.ts";
import { type JournalCopy, readJournals } from "../store/backup/journals.ts";
import { StoreError } from "../store/error.ts";
import type { LedgerReport } from "../store/ledger/shapes.ts";
import { newestSchema } from "../store/migrations/index.ts";
import { databasePart, journalFolder, unpackParts } from "./container/parts.ts";
import type { OnProgress } from "./create.ts";
import { BackupError, damaged } from "./error.ts";
import { idsListedMax, type Manifest } from "./manifest.ts";

export interface UnpackOptions {
  readonly source: AsyncIterable<Buffer>;
  /** The size of the file; 0 when it is not known. */
  readonly sourceBytes: number;
  readonly passphrase: string | undefined;
  /** An empty folder, which has the files of the backup afterwards. */
  readonly folder: string;
  readonly clock: Clock;
  readonly onProgress: OnProgress;
}

export interface Checked {
  readonly manifest: Manifest;
  readonly ledger: LedgerReport;
  /** What is off in the ledger, or is not as the manifest says; empty for a good backup. */
  readonly findings: readonly string[];
}

/** What differs between the manifest and what is there. */
function differences(
  manifest: Manifest,
  facts: DatabaseFacts,
  ledger: LedgerReport,
  journals: JournalCopy | undefined,
): string[] {
  const { database, ledger: sums, journal } = manifest;
  const lastRequestAt = facts.lastRequestAt === null ? null : new Date(facts.lastRequestAt).toISOString();
  const compared: readonly (readonly [what: string, said: unknown, found: unknown])[] = [
    ["schema", database.schema, facts.schema],
    ["number of requests", database.requests, ledger.requests],
    ["time of the newest request", database.lastRequestAt, lastRequestAt],
    ["number of accounts", sums.accounts, ledger.accounts],
    ["number of ledger entries", sums.entries, ledger.entries],
    ["sum of balances", sums.balances, formatUsd(ledger.totals.balance)],
    ["sum of ledger entries", sums.entriesSum, facts.entriesSum],
    ["number of journals", journal.files, journals?.names.length ?? 0],
    ["number of settlements in the journals", journal.settlements, journals?.settlements ?? 0],
    ["settlements in the journals", journal.ids.join(" "), journals?.ids.join(" ") ?? ""],
    ["sealing key", manifest.sealingKey.fingerprint, facts.sealingKey],
  ];
  return compared
    .filter(([, said, found]) => said !== found)
    .map(([what, said, found]) => `${what}: the manifest says ${said}, and it is ${found}`);
}

function requireKnownSchema({ database, plazaVersion }: Manifest): void {
  const newest = newestSchema();
  if (database.schema <= newest) return;
  throw new BackupError(
    "newer_backup",
    `the backup was made from schema ${database.schema} by Plaza ${plazaVersion}, and this Plaza knows schemas up to ${newest}: its bytes are whole, but only that version, or a newer one, can check and restore it`,
  );
}

const reasonsMax = 10;

/** Throws BackupError `unsound` with the first of these reasons, if there are any. */
export function requireSound(findings: readonly string[]): void {
  if (findings.length === 0) return;
  const more = findings.length - reasonsMax;
  throw new BackupError(
    "unsound",
    [
      "the backup is whole, but its ledger does not balance:",
      ...findings.slice(0, reasonsMax),
      ...(more > 0 ? [`… and ${more} more`] : []),
    ].join("\n"),
  );
}

/**
 * Unpacks a backup and checks it. What is off in the ledger, or differs from the manifest, is returned.
 * Throws BackupError `damaged`, `encrypted` or `newer_backup`.
 */
export async function unpackChecked(options: UnpackOptions): Promise<Checked> {
  const { source, sourceBytes, passphrase, folder, clock, onProgress } = options;
  const manifest = await unpackParts({
    source,
    passphrase,
    folder,
    onBytes: (done) =>
      onProgress("reading the backup", sourceBytes === 0 ? 0 : Math.min(1, done / sourceBytes)),
  });
  requireKnownSchema(manifest);
  if (!manifest.parts.some(({ name }) => name === databasePart)) throw damaged("it has no database");
  const hasJournals = manifest.parts.some(({ name }) => name.startsWith(journalFolder));
  const journals = hasJournals ? await readJournals(join(folder, journalFolder), idsListedMax) : undefined;
  const file = join(folder, databasePart);
  onProgress("checking the ledger", 0);
  const facts = readFacts(file);
  const ledger = await checkDatabase(file, clock).catch(asDamage);
  const findings = [
    ...ledger.findings.map(({ subject, text }) => `${subject}: ${text}`),
    ...(ledger.moreFindings === 0 ? [] : [`${ledger.moreFindings} findings that are not listed`]),
    ...differences(manifest, facts, ledger, journals),
  ];
  return { manifest, ledger, findings };
}

/** Whatever SQLite says of a damaged copy names a file that will be gone. */
function asDamage(error: unknown): never {
  if (error instanceof StoreError && error.code === "damaged")
    throw new BackupError("damaged", "the database in the backup is damaged: use another backup", {
      cause: error,
    });
  throw error;
}

function readFacts(file: string): DatabaseFacts {
  try {
    return readDatabaseFacts(file);
  } catch (error) {
    return asDamage(error);
  }
}
