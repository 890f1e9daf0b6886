/**
 * The stage of the money rigs: a counting upstream with a journal file, one SQLite or PostgreSQL database,
 * any number of serving processes, accounts and keys with exact balances, and a reader of the ledger.
 */
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { nanoUsd } from "@plaza/contract/money.ts";
import { createApiKey, digestApiKey } from "../../../../server/src/domain/keys/api-key.ts";
import { loadOrCreateKeyFile } from "../../../../server/src/lib/secret.ts";
import { openStore } from "../../../../server/src/store/open.ts";
import type { Store } from "../../../../server/src/store/store.ts";
import { type PostgresServer, startPostgres } from "../../../postgres/server.ts";
import { type CallRecord, readJournal } from "../../upstream/journal.ts";
import { inAllFormats, type RigCatalog, type RigUpstream } from "../catalog.ts";
import type { DatabaseKind } from "../figure.ts";
import { type Plaza, plazaScript, startPlaza, temporaryFolder } from "../processes/plaza.ts";
import { nodeBinary, startProcess } from "../processes/processes.ts";
import { startUpstreamProcess, type UpstreamProcess } from "../processes/upstream-process.ts";
import { type LedgerReader, type LedgerTarget, openLedgerReader } from "./ledger-reader.ts";

export interface MoneyKey {
  readonly id: string;
  /** The key as sent by callers. */
  readonly secret: string;
  readonly accountId: string;
}

export interface MoneyOptions {
  /** Of the run: it chooses the routes of calls. */
  readonly seed: number;
  readonly database?: DatabaseKind | undefined;
  readonly timeouts?: RigUpstream["timeouts"];
  /** A custom catalog, given the counting upstream's address, in the formats that the rig asks for. */
  readonly catalog?: ((baseUrl: string) => RigCatalog) | undefined;
  /** Texts that the upstream repeats in its errors. */
  readonly leaks?: readonly string[] | undefined;
  /** PostgreSQL only: starts a proxy before the server and returns its port for serving processes. */
  readonly through?: ((serverPort: number) => Promise<number>) | undefined;
}

export interface MoneyStage {
  readonly upstream: UpstreamProcess;
  readonly reader: LedgerReader;
  /** The database server, if any. */
  readonly postgres: PostgresServer | undefined;
  readonly place: LedgerTarget;
  /** The product's store, in a thread, as used by operator commands. */
  readonly store: Store;
  /**
   * Starts another serving process on the database. `rig-model` has one deployment, `rig-fallback` two; the
   * upstream of `rig-finish` bills whole answers when callers disconnect. Each is there for each format
   * (`inAllFormats`).
   */
  serve(): Promise<Plaza>;
  createAccount(balance: bigint): Promise<string>;
  /** With `budget`, the key may spend this much a day. */
  createKey(accountId: string, budget?: bigint): Promise<MoneyKey>;
  /** All calls in the upstream's journal. */
  calls(): CallRecord[];
  /** Problems found by `plaza ledger verify`. */
  verify(): Promise<string[]>;
}

/** NanoUsd per token of the catalog below, for computing charges independently of the product. */
const nanosPerToken = { input: 250n, cachedInput: 25n, output: 2_000n };

/** The cost of these tokens. `input` includes `cachedInput`. */
export function costOf(usage: { input: number; cachedInput?: number; output: number }): bigint {
  const cached = usage.cachedInput ?? 0;
  return (
    BigInt(usage.input - cached) * nanosPerToken.input +
    BigInt(cached) * nanosPerToken.cachedInput +
    BigInt(usage.output) * nanosPerToken.output
  );
}

/**
 * The upstream model ID of `rig-fallback`'s first deployment, to which faults are limited (`faultModel` of a
 * plan).
 */
export const firstModel = "first-model";

/** The default catalog. */
export function moneyCatalog(baseUrl: string, timeouts: RigUpstream["timeouts"]): RigCatalog {
  const plain = { upstream: "main", model: "upstream-model" };
  return {
    upstreams: [
      { id: "main", baseUrl, timeouts },
      { id: "billing-on", baseUrl, timeouts, onDisconnect: "finish" },
    ],
    models: [
      { id: "rig-model", deployments: [plain] },
      { id: "rig-finish", deployments: [{ ...plain, upstream: "billing-on" }] },
      { id: "rig-fallback", deployments: [{ upstream: "main", model: firstModel }, plain] },
    ],
  };
}

/** Unlike the product's ids, these need only be unique. */
const newId = (kind: string): string => `${kind}_rig${randomBytes(9).toString("hex")}`;

async function withDatabase<T>(
  kind: DatabaseKind,
  folder: string,
  work: (place: LedgerTarget, postgres: PostgresServer | undefined) => Promise<T>,
): Promise<T> {
  if (kind === "sqlite") return work({ kind, file: join(folder, "rig.db") }, undefined);
  const postgres = await startPostgres();
  try {
    return await work({ kind, url: await postgres.newDatabase() }, postgres);
  } finally {
    await postgres.close();
  }
}

async function reachedAt(place: LedgerTarget, through: MoneyOptions["through"]): Promise<string> {
  if (place.kind === "sqlite") return `sqlite:${place.file}`;
  const url = new URL(place.url);
  if (through !== undefined) url.port = String(await through(Number(url.port)));
  return url.href;
}

/**
 * Disables refusals for overload: on two cores the rig itself makes the process late, and every call must be
 * served here. P20 tests overload.
 */
export const patience = { PLAZA_LOOP_LAG_MAX_MS: "60s" };

/**
 * Runs `work` on a new stage, starting one serving process first; removes everything afterwards, even on
 * failure.
 */
export async function withMoney<T>(
  options: MoneyOptions,
  work: (stage: MoneyStage) => Promise<T>,
): Promise<T> {
  const folder = temporaryFolder();
  const journal = join(folder, "upstream.jsonl");
  const upstream = await startUpstreamProcess({ journal, leaks: options.leaks });
  try {
    return await withDatabase(options.database ?? "sqlite", folder, async (place, postgres) => {
      const catalog =
        options.catalog?.(upstream.baseUrl) ?? inAllFormats(moneyCatalog(upstream.baseUrl, options.timeouts));
      const database = place.kind === "sqlite" ? `sqlite:${place.file}` : place.url;
      const store = await openStore({
        database: place,
        secretKey: loadOrCreateKeyFile(join(folder, "secret.key")),
      });
      const plazas: Plaza[] = [];
      await store.migrate();
      const reader = openLedgerReader(place);
      const servedFrom = await reachedAt(place, options.through);
      const serve = async (): Promise<Plaza> => {
        const plaza = await startPlaza({
          catalog,
          folder,
          database: servedFrom,
          seed: options.seed,
          isBare: true,
          env: patience,
        });
        plazas.push(plaza);
        return plaza;
      };
      try {
        const verify = () => verifyLedger(folder, database);
        return await work({
          upstream,
          postgres,
          place,
          reader,
          store,
          serve,
          verify,
          ...makers(store, journal),
        });
      } finally {
        // A failed rig may have left a process stopped by a signal.
        for (const plaza of plazas) plaza.running.child.kill("SIGCONT");
        await Promise.all(plazas.map((plaza) => plaza.running.stop("SIGTERM", 20_000)));
        await reader.close();
        await store.close();
      }
    });
  } finally {
    await upstream.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Makes accounts and keys in the store, and reads the calls of the upstream's journal. */
export function makers(store: Store, journal: string) {
  return {
    async createAccount(balance: bigint) {
      const { id } = await store.createAccount({ id: newId("acc"), name: "rig", balance: nanoUsd(balance) });
      return id;
    },
    async createKey(accountId: string, budget?: bigint) {
      const { secret, visiblePrefix } = createApiKey(randomBytes);
      const { id } = await store.createKey({
        id: newId("key"),
        accountId,
        name: "rig",
        visiblePrefix,
        digest: digestApiKey(secret),
        models: null,
        requestsPerMinute: null,
        tokensPerMinute: null,
        concurrency: null,
        budget: budget === undefined ? null : { amount: nanoUsd(budget), period: "day" as const },
        expiresAt: null,
      });
      return { id, secret, accountId };
    },
    calls: () => readJournal(journal),
  };
}

/** Runs `plaza ledger verify` as an operator does; returns the problems found. */
export async function verifyLedger(folder: string, database: string): Promise<string[]> {
  const words = [plazaScript, "ledger", "verify", "--json", "--data", folder, "--database", database];
  const running = startProcess(nodeBinary, words);
  const code = await running.ended;
  const report = readReport(running.stdout());
  if (report === undefined) return [`no report (status ${code}): ${running.stderr()}`];
  const findings = report.findings.map(({ subject, text }) => `${subject}: ${text}`);
  const isSaid = (code === 0) === report.ok && report.ok === (findings.length === 0);
  return isSaid
    ? findings
    : [...findings, `status ${code}, ok ${report.ok} with ${findings.length} findings`];
}

interface Report {
  readonly ok: boolean;
  readonly findings: readonly { readonly subject: string; readonly text: string }[];
}

function readReport(text: string): Report | undefined {
  try {
    const report = JSON.parse(text) as Partial<Report>;
    return Array.isArray(report.findings) && typeof report.ok === "boolean" ? (report as Report) : undefined;
  } catch {
    return undefined;
  }
}
