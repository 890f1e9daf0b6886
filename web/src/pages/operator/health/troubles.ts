/**
 * What needs somebody, out of everything the health answer says: each trouble once, however many processes see it, the worst
 * first. Pure; knows no words.
 */
import type { Answer } from "../../../api/routes.ts";

export type Health = Answer<"get /operator/health">;
export type DeploymentRow = Health["deployments"][number];
export type CredentialRow = Health["credentials"][number];
type Fault = CredentialRow["lastFault"];

/** One thing to do something about. */
export type Trouble = { readonly tone: "bad" | "warn" } & (
  | { readonly kind: "ledgerWrong"; readonly findings: number; readonly at: string | null }
  | { readonly kind: "ledgerFailed"; readonly at: string | null }
  | { readonly kind: "behind"; readonly process: string }
  | { readonly kind: "overloaded"; readonly process: string }
  | { readonly kind: "silent"; readonly process: string; readonly at: string }
  | { readonly kind: "deadHolder"; readonly process: string; readonly leased: string; readonly until: string }
  | { readonly kind: "noProcesses" }
  | {
      readonly kind: "upstreamOut";
      readonly upstream: string;
      readonly fault: Fault;
      readonly until: string | null;
    }
  | {
      readonly kind: "credentialOut";
      readonly upstream: string;
      readonly number: number;
      readonly fault: Fault;
      readonly until: string | null;
    }
  | { readonly kind: "unreadable"; readonly upstream: string; readonly text: string }
  | {
      readonly kind: "ejected";
      readonly upstream: string;
      readonly upstreamModel: string;
      readonly models: readonly string[];
      readonly fault: Fault;
      readonly until: string | null;
    }
  | { readonly kind: "modelDown"; readonly model: string; readonly until: string | null }
  | { readonly kind: "versions"; readonly versions: readonly string[] }
  | { readonly kind: "demoOnly" }
);

/** A process that said nothing for this long is told of; they speak every few seconds. */
const silentMs = 30_000;

function groupBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row[][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  return [...groups.values()];
}

/** The soonest of them: from then on one process tries again. */
function soonest(rows: readonly { readonly untilAt: string | null }[]): string | null {
  const times = rows.flatMap(({ untilAt }) => (untilAt === null ? [] : [untilAt])).sort();
  return times[0] ?? null;
}

function latestFault(rows: readonly { readonly lastFault: Fault }[]): Fault {
  const faults = rows.flatMap(({ lastFault }) => (lastFault === null ? [] : [lastFault]));
  return faults.sort((left, right) => right.at.localeCompare(left.at))[0] ?? null;
}

function ledgerTroubles({ ledgerCheck }: Health): Trouble[] {
  if (ledgerCheck?.status === "wrong") {
    const { report } = ledgerCheck;
    const findings = (report?.findings.length ?? 0) + (report?.moreFindings ?? 0);
    return [{ tone: "bad", kind: "ledgerWrong", findings, at: ledgerCheck.endedAt }];
  }
  if (ledgerCheck?.status === "failed")
    return [{ tone: "warn", kind: "ledgerFailed", at: ledgerCheck.endedAt }];
  return [];
}

function processTroubles(health: Health): Trouble[] {
  const found: Trouble[] = [];
  if (health.processes.length === 0) found.push({ tone: "warn", kind: "noProcesses" });
  for (const { process, at, isBehind, isLimiting } of health.processes) {
    if (isBehind === true) found.push({ tone: "bad", kind: "behind", process });
    if (isLimiting === true) found.push({ tone: "bad", kind: "overloaded", process });
    const isSilent = Date.parse(health.at) - Date.parse(at) > silentMs;
    if (isSilent) found.push({ tone: "warn", kind: "silent", process, at });
  }
  for (const { process, isAlive, leases, leased, expiresAt } of health.holders) {
    if (!isAlive && leases > 0)
      found.push({ tone: "warn", kind: "deadHolder", process, leased, until: expiresAt });
  }
  const versions = [
    ...new Set(health.processes.flatMap(({ version }) => (version === null ? [] : [version]))),
  ].sort();
  if (versions.length > 1) found.push({ tone: "warn", kind: "versions", versions });
  return found;
}

function credentialTroubles(credentials: readonly CredentialRow[]): Trouble[] {
  return groupBy(credentials, ({ upstream }) => upstream).flatMap((rows): Trouble[] => {
    const out = rows.filter(({ state }) => state === "out");
    if (out.length === 0) return [];
    const { upstream } = out[0] as CredentialRow;
    if (out.length === rows.length)
      return [{ tone: "bad", kind: "upstreamOut", upstream, fault: latestFault(out), until: soonest(out) }];
    return groupBy(out, ({ number }) => String(number)).map((same) => ({
      tone: "warn",
      kind: "credentialOut",
      upstream,
      number: (same[0] as CredentialRow).number,
      fault: latestFault(same),
      until: soonest(same),
    }));
  });
}

const isGone = ({ state }: DeploymentRow): boolean => state === "ejected";

function deploymentTroubles(deployments: readonly DeploymentRow[]): Trouble[] {
  const down = groupBy(deployments, ({ model }) => model).flatMap((rows): Trouble[] =>
    rows.every(isGone)
      ? [{ tone: "bad", kind: "modelDown", model: (rows[0] as DeploymentRow).model, until: soonest(rows) }]
      : [],
  );
  const placeOf = ({ upstream, upstreamModel }: DeploymentRow) => `${upstream}\n${upstreamModel}`;
  const ejected = groupBy(deployments.filter(isGone), placeOf).map((rows): Trouble => {
    const { upstream, upstreamModel } = rows[0] as DeploymentRow;
    const models = [...new Set(rows.map(({ model }) => model))];
    return {
      tone: "warn",
      kind: "ejected",
      upstream,
      upstreamModel,
      models,
      fault: latestFault(rows),
      until: soonest(rows),
    };
  });
  return [...down, ...ejected];
}

/** What `catalog` and `session` add to the answer about health. */
export interface Beside {
  /** Why an upstream's credentials cannot be opened. */
  readonly unreadable: readonly { readonly upstream: string; readonly text: string }[];
  readonly demoOnly: boolean;
}

/** Everything that needs somebody; empty: nothing does. */
export function troublesOf(health: Health, beside: Beside): Trouble[] {
  const all: Trouble[] = [
    ...ledgerTroubles(health),
    ...processTroubles(health),
    ...beside.unreadable.map(
      ({ upstream, text }): Trouble => ({ tone: "bad", kind: "unreadable", upstream, text }),
    ),
    ...credentialTroubles(health.credentials),
    ...deploymentTroubles(health.deployments),
    ...(beside.demoOnly ? [{ tone: "warn", kind: "demoOnly" } as const] : []),
  ];
  return [...all.filter(({ tone }) => tone === "bad"), ...all.filter(({ tone }) => tone === "warn")];
}
