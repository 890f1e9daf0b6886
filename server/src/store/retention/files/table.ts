/** What every format of archive writes: a table's columns, its rows in pages, and what was written. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

/**
 * `integer`: a safe number. `nanos`: an amount in billionths of a dollar, a bigint. `time`: Unix
 * milliseconds. `flag`: 0 or 1.
 */
export type ArchiveColumnType = "text" | "integer" | "nanos" | "time" | "flag";

export interface ArchiveColumn {
  readonly name: string;
  readonly type: ArchiveColumnType;
}

export type ArchiveCell = string | number | bigint | null;

/** Cells in order of the columns. */
export type ArchiveRow = readonly ArchiveCell[];

export interface ArchiveTable {
  readonly columns: readonly ArchiveColumn[];
  /** A few hundred rows at a time. */
  readonly pages: AsyncIterable<readonly ArchiveRow[]>;
}

/** What was written and read back. */
export interface WrittenRows {
  readonly rows: number;
  /** SHA-256 of the file, hex. */
  readonly digest: string;
}

/** Writes a table into a new file that is safe on the disk, reads it back, and throws when they differ. */
export type WriteTable = (path: string, table: ArchiveTable) => Promise<WrittenRows>;

/** The message when what was read back differs. */
export const differs = "what was read back is not what was written";

/** SHA-256 of a file, hex. */
export async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex");
}
