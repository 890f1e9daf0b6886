/**
 * Issues that need attention, from the health answer, the worst first; of upstreams the server
 * says it itself. Pure; knows no words.
 */
import type { Answer } from "../../api/routes.ts";
import { formatCount } from "../../format/count.ts";
import { formatDuration } from "../../format/time.ts";
import type { operatorHealthMessages } from "../../i18n/en/pages/operator-health.ts";
import type { Language } from "../../i18n/languages.ts";
import type { KeyOf, Translate } from "../../i18n/messages.ts";

export type Health = Answer<"get /operator/health">;
export type DeploymentRow = Answer<"get /operator/health/deployments">["deployments"][number];
export type CredentialRow = Answer<"get /operator/health/credentials">["credentials"][number];
export type SelfLimit = Health["processes"][number]["selfLimit"];
type UpstreamTrouble = Health["troubles"][number];

/** One thing to do something about. */
export type Trouble = { readonly tone: "bad" | "warn" } & (
  | { readonly kind: "ledgerWrong"; readonly findings: number; readonly at: string | null }
  | { readonly kind: "ledgerFailed"; readonly at: string | null }
  | {
      readonly kind: "storage";
      readonly code: NonNullable<Health["storageFault"]>["code"];
      readonly isRefusing: boolean;
      readonly since: string;
    }
  | { readonly kind: "behind"; readonly process: string }
  | { readonly kind: "overloaded"; readonly process: string; readonly selfLimit: SelfLimit }
  | { readonly kind: "silent"; readonly process: string; readonly at: string }
  | { readonly kind: "deadHolder"; readonly process: string; readonly leased: string; readonly until: string }
  | { readonly kind: "noProcesses" }
  | { readonly kind: "unreadable"; readonly upstream: string; readonly text: string }
  | UpstreamTrouble
  | { readonly kind: "versions"; readonly versions: readonly string[] }
  | { readonly kind: "demoOnly" }
);

/** A process without a report for this long is listed; processes report every few seconds. */
const silentMs = 30_000;

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

const storageTroubles = ({ storageFault }: Health): Trouble[] =>
  storageFault === null ? [] : [{ tone: "bad", kind: "storage", ...storageFault }];

function processTroubles(health: Health): Trouble[] {
  const found: Trouble[] = [];
  if (health.processes.length === 0) found.push({ tone: "warn", kind: "noProcesses" });
  for (const { process, at, isBehind, isLimiting, selfLimit } of health.processes) {
    if (isBehind === true) found.push({ tone: "bad", kind: "behind", process });
    if (isLimiting === true) found.push({ tone: "bad", kind: "overloaded", process, selfLimit });
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

/** An upstream or a model that nothing is left of is worse than a part of one. */
const ofUpstream = (trouble: UpstreamTrouble): Trouble => ({
  tone: trouble.kind === "upstreamOut" || trouble.kind === "modelDown" ? "bad" : "warn",
  ...trouble,
});

/** What `catalog` and `session` add to the answer about health. */
export interface Beside {
  /** Why an upstream's credentials cannot be opened. */
  readonly unreadable: readonly { readonly upstream: string; readonly text: string }[];
  readonly demoOnly: boolean;
}

/** All issues that need attention; empty: none. */
export function troublesOf(health: Health, beside: Beside): Trouble[] {
  const all: Trouble[] = [
    ...storageTroubles(health),
    ...ledgerTroubles(health),
    ...processTroubles(health),
    ...beside.unreadable.map(
      ({ upstream, text }): Trouble => ({ tone: "bad", kind: "unreadable", upstream, text }),
    ),
    ...health.troubles.map(ofUpstream),
    ...(beside.demoOnly ? [{ tone: "warn", kind: "demoOnly" } as const] : []),
  ];
  return [...all.filter(({ tone }) => tone === "bad"), ...all.filter(({ tone }) => tone === "warn")];
}

type Incident = Answer<"get /operator/incidents">["incidents"][number];
type Named = Pick<Incident, "upstream" | "cause" | "state" | "modelsCount"> & {
  readonly models: readonly string[];
};

/** True when an open incident says the same: the same upstream's fault, or the same model that is down. */
function isSaidBy(trouble: Trouble, { upstream, cause, state, models, modelsCount }: Named): boolean {
  // An incident names its first models only; what it has further cannot be told apart.
  const names = (model: string): boolean => modelsCount > models.length || models.includes(model);
  switch (trouble.kind) {
    case "upstreamOut":
    case "credentialOut":
      return trouble.upstream === upstream && (cause === "credential" || cause === "quota");
    case "ejected":
      return trouble.upstream === upstream && trouble.models.length > 0 && trouble.models.every(names);
    case "modelDown":
      return state === "down" && models.includes(trouble.model);
    default:
      return false;
  }
}

/** The issues that no open incident says already: a problem is shown once, where it can be tested. */
export function besideIncidents(troubles: readonly Trouble[], incidents: readonly Named[]): Trouble[] {
  return troubles.filter((trouble) => !incidents.some((incident) => isSaidBy(trouble, incident)));
}

/** Why a process accepts fewer requests than the operator allows, as a sentence; "" if unknown. */
export function selfLimitText(
  t: Translate<KeyOf<typeof operatorHealthMessages>>,
  selfLimit: SelfLimit,
  language: Language,
): string {
  if (selfLimit === null) return "";
  const { reason, ...figures } = selfLimit;
  const isTime = (name: string) => reason === "lag" && (name === "seen" || name === "allowed");
  const texts = Object.entries(figures).map(([name, value]) => [
    name,
    isTime(name) ? formatDuration(value, language) : formatCount(value, language),
  ]);
  return t(`selfLimit.${reason}`, Object.fromEntries(texts));
}

/**
 * How often the pages of health ask again: calm enough to read, soon enough to see an act take effect; a page
 * in the background asks nothing.
 */
export const everyMs = 5_000;
