/** Metrics of the storage: what is not known is absent, and never a zero that looks well. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRegistry } from "../../lib/telemetry/metrics.ts";
import { joinFamilies } from "../../lib/telemetry/metrics-text.ts";
import type { StorageFaultCode, StorageReadings } from "../../store/operation/storage-shapes.ts";
import { observeStorage } from "./storage.ts";

interface Readings {
  readonly fault?: StorageFaultCode;
  readonly readings?: StorageReadings;
  readonly diskFreeBytes?: number;
  readonly since?: number | null;
}

function linesOf({ fault, readings, diskFreeBytes, since = null }: Readings): string[] {
  const registry = createRegistry();
  observeStorage(registry, {
    store: {
      journalReadings: () => ({ bytes: 12, since }),
      storageFault: () =>
        fault === undefined ? undefined : { code: fault, message: "/data/x", since: 0, isRefusing: false },
    },
    watch: { readings, diskFreeBytes },
    clock: { wallMs: () => 10_000, elapsedMs: () => 0 },
  });
  return joinFamilies([registry.families("")])
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
}

const readings: StorageReadings = { databaseBytes: 9, walBytes: 0, schemaVersion: 4, pool: null };

test("before the first reading there is nothing of the database", () => {
  assert.deepEqual(
    linesOf({}).filter((line) => !line.startsWith("plaza_storage_fault")),
    ["plaza_journal_bytes 12", "plaza_journal_age_seconds 0"],
  );
});

test("a fault is 1 and all others 0; its text, with names of files, is not there", () => {
  const lines = linesOf({ fault: "disk_full" }).filter((line) => line.startsWith("plaza_storage_fault"));
  assert.deepEqual(
    lines.filter((line) => line.endsWith(" 1")),
    ['plaza_storage_fault{fault="disk_full"} 1'],
  );
  assert.ok(lines.length > 3 && !lines.join().includes("/data"));
  assert.ok(linesOf({}).every((line) => !line.startsWith("plaza_storage_fault") || line.endsWith(" 0")));
});

test("SQLite has a log and no connections, PostgreSQL connections and no log", () => {
  const sqlite = linesOf({ readings, diskFreeBytes: 0 });
  for (const line of ["plaza_database_bytes 9", "plaza_database_wal_bytes 0", "plaza_schema_version 4"])
    assert.ok(sqlite.includes(line), line);
  assert.ok(sqlite.includes("plaza_disk_free_bytes 0"), "a full disk is known");
  assert.ok(!sqlite.some((line) => /connections|wait/.test(line)));
  const pool = { open: 5, waiting: 0, waitedMs: 1_500 };
  const postgres = linesOf({ readings: { ...readings, walBytes: null, pool } });
  for (const line of [
    "plaza_database_connections 5",
    "plaza_database_waiting 0",
    "plaza_database_wait_seconds_total 1.5",
  ])
    assert.ok(postgres.includes(line), line);
  assert.ok(!postgres.some((line) => /wal|disk_free/.test(line)));
});

test("what waits in the journal has an age, which no clock set back makes negative", () => {
  assert.ok(linesOf({ since: 7_500 }).includes("plaza_journal_age_seconds 2.5"));
  assert.ok(linesOf({ since: 99_000 }).includes("plaza_journal_age_seconds 0"));
});
