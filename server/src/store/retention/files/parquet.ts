/**
 * Archives as Parquet: amounts and numbers as 64-bit integers, times as timestamps in milliseconds of UTC,
 * compressed with Snappy. Encoding keeps a core busy, so `parquet-thread.ts` runs it in a thread of its own,
 * and nothing else loads this file and its libraries.
 */
import { createHash, type Hash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { asyncBufferFromFile, parquetMetadataAsync, parquetRead, type SchemaElement } from "hyparquet";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import {
  type ArchiveCell,
  type ArchiveColumn,
  type ArchiveColumnType,
  type ArchiveRow,
  differs,
  digestOf,
  type WrittenRows,
} from "./table.ts";

/** A row group ends at so many rows, or so many characters of text: some ten megabytes of memory. */
const groupRowsMax = 20_000;
const groupTextMax = 8_000_000;

const integer = { type: "INT64" } as const;

const elements: Readonly<Record<ArchiveColumnType, Omit<SchemaElement, "name">>> = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  integer,
  nanos: integer,
  time: {
    type: "INT64",
    converted_type: "TIMESTAMP_MILLIS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
  },
  flag: { type: "BOOLEAN" },
};

function encode(cell: ArchiveCell, type: ArchiveColumnType): string | bigint | boolean | null {
  if (cell === null) return null;
  if (type === "text") return String(cell);
  return type === "flag" ? Number(cell) !== 0 : BigInt(cell);
}

/** The inverse of `encode`, for what `parquetRead` returns with `parsers`. */
function decode(value: unknown, type: ArchiveColumnType): ArchiveCell {
  if (value === null || value === undefined) return null;
  if (type === "flag") return value === true ? 1 : 0;
  return type === "integer" ? Number(value) : (value as ArchiveCell);
}

const exactText = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Times as numbers, and text with a byte order mark at its beginning as it is. */
const parsers = {
  timestampFromMilliseconds: Number,
  stringFromBytes: (bytes: Uint8Array) => exactText.decode(bytes),
};

/** Adds rows to a digest, so that no two different rows look alike. */
function addRow(hash: Hash, row: ArchiveRow): void {
  const plain = row.map((cell) => (typeof cell === "bigint" ? { nanos: String(cell) } : cell));
  hash.update(`${JSON.stringify(plain)}\n`);
}

/** Appends to a file after each row group. */
class FileWriter extends ByteWriter {
  readonly #handle: FileHandle;

  constructor(handle: FileHandle) {
    super(1 << 20);
    this.#handle = handle;
  }

  async flush(): Promise<void> {
    const bytes = this.getBytes();
    for (let from = 0; from < bytes.length; ) {
      from += (await this.#handle.write(bytes, from)).bytesWritten;
    }
    this.index = 0;
  }

  override async finish(): Promise<void> {
    await this.flush();
    await this.#handle.sync();
  }
}

/** Digest of all rows of a file, one row group at a time. */
async function rowsDigest(path: string, columns: readonly ArchiveColumn[]): Promise<string> {
  const hash = createHash("sha256");
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows);
    const onComplete = (rows: readonly (readonly unknown[])[]) => {
      for (const row of rows) {
        addRow(
          hash,
          columns.map(({ type }, index) => decode(row[index], type)),
        );
      }
    };
    await parquetRead({ file, metadata, rowStart, rowEnd, parsers, onComplete });
    rowStart = rowEnd;
  }
  return hash.digest("hex");
}

/** A Parquet file that is being written. `close` must be called in any case. */
export interface ParquetFile {
  add(rows: readonly ArchiveRow[]): Promise<void>;
  /** Ends the file, reads it back, and throws when it does not hold what was added. */
  finish(): Promise<WrittenRows>;
  close(): Promise<void>;
}

/** Begins a file; an existing one is replaced. */
export async function createParquetFile(
  path: string,
  columns: readonly ArchiveColumn[],
): Promise<ParquetFile> {
  const handle = await open(path, "w", 0o600);
  const children = columns.map(({ name, type }) => ({ name, ...elements[type] }));
  const schema: SchemaElement[] = [
    { name: "root", num_children: columns.length },
    ...children.map((child) => ({ ...child, repetition_type: "OPTIONAL" as const })),
  ];
  const writer = new ParquetWriter({ writer: new FileWriter(handle), schema, createdBy: "Plaza" });
  const added = createHash("sha256");
  let [count, textLength] = [0, 0];
  let group: ArchiveRow[] = [];

  async function writeGroup(): Promise<void> {
    if (group.length === 0) return;
    const columnData = columns.map(({ name, type }, index) => ({
      name,
      data: group.map((row) => encode(row[index] ?? null, type)),
    }));
    const rowGroupSize = group.length;
    [group, textLength] = [[], 0];
    await writer.write({ columnData, rowGroupSize });
  }

  return {
    async add(rows) {
      for (const row of rows) {
        addRow(added, row);
        group.push(row);
        count += 1;
        for (const cell of row) textLength += typeof cell === "string" ? cell.length : 0;
        if (group.length >= groupRowsMax || textLength >= groupTextMax) await writeGroup();
      }
    },
    async finish() {
      await writeGroup();
      await writer.finish();
      if ((await rowsDigest(path, columns)) !== added.digest("hex")) throw new Error(differs);
      return { rows: count, digest: await digestOf(path) };
    },
    close: () => handle.close(),
  };
}
