/** What is written as Parquet is read back exactly, also by other programs, and damage is found. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { createParquetFile } from "./parquet.ts";
import { writeParquet } from "./parquet-writer.ts";
import type { ArchiveColumn, ArchiveRow } from "./table.ts";

const columns: readonly ArchiveColumn[] = [
  { name: "id", type: "text" },
  { name: "created_at", type: "time" },
  { name: "tokens", type: "integer" },
  { name: "charge_nanos", type: "nanos" },
  { name: "is_stream", type: "flag" },
];

const atMs = Date.parse("2026-08-01T12:34:56.789Z");

/** Values at the ends of what a column holds. */
const rows: readonly ArchiveRow[] = [
  ["req_1", atMs, 0, 9_007_199_254_740_993n, 0],
  ["req_2", atMs + 1, Number.MAX_SAFE_INTEGER, 2n ** 63n - 1n, 1],
  ["", 0, null, -(2n ** 63n), null],
  ['\uFEFFbom, "quoted"\r\n\u0000 \'=1+1 价格 \u{1F600}', atMs, -1, 0n, 1],
  [null, null, null, null, null],
];

async function newPath(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "parquet-"));
  context.after(() => rm(folder, { recursive: true }));
  return join(folder, "a.parquet");
}

async function* pagesOf(all: readonly ArchiveRow[], size: number) {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size);
}

test("text, times, numbers and amounts are read back exactly", async (context) => {
  const path = await newPath(context);
  const written = await writeParquet(path, { columns, pages: pagesOf(rows, 2) });
  assert.equal(written.rows, 5);
  assert.equal(
    written.digest,
    createHash("sha256")
      .update(await readFile(path))
      .digest("hex"),
  );
  const file = await asyncBufferFromFile(path);
  const { schema } = await parquetMetadataAsync(file);
  assert.deepEqual(
    schema.slice(1).map(({ type, logical_type: logical }) => [type, logical?.type]),
    [
      ["BYTE_ARRAY", "STRING"],
      ["INT64", "TIMESTAMP"],
      ["INT64", undefined],
      ["INT64", undefined],
      ["BOOLEAN", undefined],
    ],
  );
  const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
  const parsers = { stringFromBytes: (bytes: Uint8Array) => utf8.decode(bytes) };
  const found = await parquetReadObjects({ file, parsers });
  assert.deepEqual(
    found.map((row) => columns.map(({ name }) => row[name] ?? null)),
    rows.map(([id, at, tokens, charge, isStream]) => [
      id,
      at === null ? null : new Date(Number(at)),
      tokens === null ? null : BigInt(tokens as number),
      charge,
      isStream === null ? null : isStream === 1,
    ]),
  );
});

test("a day without rows is a file that can be read", async (context) => {
  const path = await newPath(context);
  assert.equal((await writeParquet(path, { columns, pages: pagesOf([], 1) })).rows, 0);
  assert.deepEqual(await parquetReadObjects({ file: await asyncBufferFromFile(path) }), []);
});

test("a byte that changes on the disk before the file is finished is found", async (context) => {
  const path = await newPath(context);
  const file = await createParquetFile(path, columns);
  context.after(() => file.close());
  const many = Array.from({ length: 20_000 }, (_, index): ArchiveRow => [`req_${index}`, atMs, index, 1n, 0]);
  // A whole row group, which is on the disk afterwards.
  await file.add(many);
  const handle = await open(path, "r+");
  const at = 5_000;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, at);
  await handle.write(Buffer.of((buffer[0] ?? 0) ^ 1), 0, 1, at);
  await handle.close();
  await assert.rejects(file.finish());
});

test("a folder that is not there, and rows that cannot be read, are reported", async (context) => {
  const path = await newPath(context);
  await assert.rejects(writeParquet(join(path, "b"), { columns, pages: pagesOf(rows, 2) }), /ENOENT/);
  async function* failing() {
    yield rows;
    throw new Error("the database is away");
  }
  await assert.rejects(writeParquet(path, { columns, pages: failing() }), /the database is away/);
});

/** Prints what another program reads: rows as text, with times as Unix milliseconds. */
const readers = {
  duckdb: `import duckdb, sys
sql = "select epoch_ms(created_at), tokens, charge_nanos, is_stream, typeof(charge_nanos) from read_parquet(?)"
for row in duckdb.execute(sql, [sys.argv[1]]).fetchall(): print(*row)`,
  pyarrow: `import pyarrow.parquet, sys
table = pyarrow.parquet.read_table(sys.argv[1])
kind = {"int64": "BIGINT"}[str(table.schema.field("charge_nanos").type)]
for row in table.to_pylist():
  at = row["created_at"]
  ms = None if at is None else round(at.timestamp() * 1000)
  print(ms, row["tokens"], row["charge_nanos"], row["is_stream"], kind)`,
};

/** A Python with libraries may be named; without them the tests below say so. */
const python = process.env["PLAZA_TEST_PYTHON"] ?? "python3";

for (const [library, program] of Object.entries(readers)) {
  const isThere = spawnSync(python, ["-c", `import ${library}`]).status === 0;
  const skip = isThere ? false : `${python} has no ${library}: set PLAZA_TEST_PYTHON to one that has`;
  test(`${library} reads the same numbers and times`, { skip }, async (context) => {
    const path = await newPath(context);
    await writeParquet(path, { columns, pages: pagesOf(rows, 2) });
    const { stdout, stderr } = spawnSync(python, ["-c", program, path], { encoding: "utf8" });
    assert.equal(stderr, "");
    assert.deepEqual(stdout.trimEnd().split(/\r?\n/), [
      `${atMs} 0 9007199254740993 False BIGINT`,
      `${atMs + 1} 9007199254740991 9223372036854775807 True BIGINT`,
      "0 None -9223372036854775808 None BIGINT",
      `${atMs} -1 0 True BIGINT`,
      "None None None None BIGINT",
    ]);
  });
}
