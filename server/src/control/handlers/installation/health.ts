/** The installation's health, from its processes' last reports and what the ledger lent them. */
import type { installationRoutes } from "@plaza/contract/api/installation.ts";
import { formatUsd } from "@plaza/contract/money.ts";
import type { LastFault } from "@plaza/contract/upstream-states.ts";
import { z } from "zod";
import type { SeenFilter, TroubleCursor, UpstreamTrouble } from "../../../domain/routing/upstream-health.ts";
import type { HealthSummary } from "../../../store/operation/operation.ts";
import type { Call, ControlContext } from "../../context.ts";
import { readCursor, writeCursor } from "../../cursor.ts";
import { showCheck } from "./checks.ts";

type Routes = typeof installationRoutes;
type Health = z.output<Routes["getHealth"]["answer"]>;
type Deployments = z.output<Routes["listDeploymentHealth"]["answer"]>;
type Credentials = z.output<Routes["listCredentialHealth"]["answer"]>;

/** Most upstream issues listed; further ones are counted. */
const troublesMax = 50;

const faultOf = (fault: LastFault | null): Deployments["deployments"][number]["lastFault"] =>
  fault === null ? null : { kind: fault.kind, status: fault.status, at: fault.at };

function showProcess({
  process,
  at,
  readings,
}: HealthSummary["processes"][number]): Health["processes"][number] {
  return {
    process,
    at,
    pid: readings?.pid ?? null,
    version: readings?.version ?? null,
    startedAt: readings?.startedAt ?? null,
    loopLagMs: readings?.loopLagMs ?? null,
    heapBytes: readings?.heapBytes ?? null,
    rssBytes: readings?.rssBytes ?? null,
    inFlight: readings?.inFlight ?? null,
    isBehind: readings?.isBehind ?? null,
    isLimiting: readings?.isLimiting ?? null,
    selfLimit: readings?.selfLimit ?? null,
    refused: readings?.refused ?? null,
  };
}

function showTrouble(trouble: UpstreamTrouble): Health["troubles"][number] {
  const shown = { ...trouble, fault: faultOf(trouble.fault) };
  return shown.kind === "ejected" ? { ...shown, models: [...shown.models] } : shown;
}

export async function readHealth({ store, clock, config, version }: ControlContext): Promise<Health> {
  const [summary, holders, [check]] = await Promise.all([
    store.readHealth(troublesMax),
    store.listHolders(),
    store.listLedgerChecks({ limit: 1 }),
  ]);
  const nowMs = clock.wallMs();
  const fault = store.storageFault();
  return {
    storageFault:
      fault === undefined
        ? null
        : {
            code: fault.code,
            text: fault.message,
            since: new Date(fault.since).toISOString(),
            isRefusing: fault.isRefusing,
          },
    at: new Date(nowMs).toISOString(),
    version,
    startedAt: new Date(nowMs - process.uptime() * 1_000).toISOString(),
    database: config.database.kind,
    processes: summary.processes.map(showProcess),
    deployments: summary.deployments,
    credentials: summary.credentials,
    troubles: summary.troubles.map(showTrouble),
    moreTroubles: summary.moreTroubles,
    holders: holders.map(({ id, startedAt, expiresAt, isAlive, leases, leased }) => ({
      process: id,
      startedAt: new Date(startedAt).toISOString(),
      expiresAt: new Date(expiresAt).toISOString(),
      isAlive,
      leases,
      leased: formatUsd(leased),
    })),
    ledgerCheck: check === undefined ? null : showCheck(check),
  };
}

const place = z.tuple([z.number().int(), z.number().int()]);

type Query = Call<Routes["listDeploymentHealth"]>["query"];

function filterOf({ search, upstream, troubled, limit, cursor }: Query): SeenFilter {
  const [rank, index] = readCursor(cursor, place) ?? [];
  const after = rank === undefined || index === undefined ? undefined : { rank, index };
  return { search, upstream, isTroubled: troubled, after, limit };
}

const cursorOf = (next: TroubleCursor | null): string | null =>
  next === null ? null : writeCursor([next.rank, next.index]);

export async function pageOfDeployments({ store }: ControlContext, query: Query): Promise<Deployments> {
  const { rows, tally, next } = await store.pageDeploymentHealth(filterOf(query));
  const deployments = rows.map((row) => ({ ...row, lastFault: faultOf(row.lastFault) }));
  return { deployments, tally, next: cursorOf(next) };
}

export async function pageOfCredentials({ store }: ControlContext, query: Query): Promise<Credentials> {
  const { rows, tally, next } = await store.pageCredentialHealth(filterOf(query));
  const credentials = rows.map((row) => ({ ...row, lastFault: faultOf(row.lastFault) }));
  return { credentials, tally, next: cursorOf(next) };
}
