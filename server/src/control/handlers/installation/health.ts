/** How the installation is doing, from what its processes last said and what the ledger lent them. */
import type { installationRoutes } from "@plaza/contract/api/installation.ts";
import { formatUsd } from "@plaza/contract/money.ts";
import type { LastFault, ProcessStates } from "@plaza/contract/upstream-states.ts";
import type { z } from "zod";
import type { ControlContext } from "../../context.ts";
import { showCheck } from "./checks.ts";

type Health = z.output<(typeof installationRoutes)["getHealth"]["answer"]>;

const faultOf = (fault: LastFault | null): Health["deployments"][number]["lastFault"] =>
  fault === null ? null : { kind: fault.kind, status: fault.status, at: fault.at };

function showProcess({ process, at, readings }: ProcessStates): Health["processes"][number] {
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
  };
}

const showDeployments = ({ process, upstreams }: ProcessStates): Health["deployments"] =>
  upstreams.flatMap(({ id, provider, deployments }) =>
    deployments.map(({ lastFault, ...state }) => ({
      process,
      upstream: id,
      provider,
      ...state,
      lastFault: faultOf(lastFault),
    })),
  );

const showCredentials = ({ process, upstreams }: ProcessStates): Health["credentials"] =>
  upstreams.flatMap(({ id, credentials }) =>
    credentials.map(({ lastFault, ...state }) => ({
      process,
      upstream: id,
      ...state,
      lastFault: faultOf(lastFault),
    })),
  );

export async function readHealth({ store, clock, config, version }: ControlContext): Promise<Health> {
  const [states, holders, [check]] = await Promise.all([
    store.listUpstreamStates(),
    store.listHolders(),
    store.listLedgerChecks({ limit: 1 }),
  ]);
  const nowMs = clock.wallMs();
  return {
    at: new Date(nowMs).toISOString(),
    version,
    startedAt: new Date(nowMs - process.uptime() * 1_000).toISOString(),
    database: config.database.kind,
    processes: states.map(showProcess),
    deployments: states.flatMap(showDeployments),
    credentials: states.flatMap(showCredentials),
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
