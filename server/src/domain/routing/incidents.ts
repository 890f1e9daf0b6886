/**
 * Pure: what is wrong with models now, grouped by cause, and the list of past incidents this becomes part of.
 * A cause is an upstream with one kind of fault, so one outage is one incident however many models it hits.
 */
import type { LastFault, ProcessStates } from "@plaza/contract/upstream-states.ts";
import { mergeReports } from "../catalog/model-status.ts";

/** Groups of faults: what an operator would look into together. */
export const incidentCauses = ["unreachable", "failing", "busy", "credential", "quota", "unknown"] as const;
export type IncidentCause = (typeof incidentCauses)[number];

const causes: Readonly<Record<string, IncidentCause>> = {
  network: "unreachable",
  timeout: "unreachable",
  server: "failing",
  model_unavailable: "failing",
  overloaded: "busy",
  rate_limit: "busy",
  upstream_auth: "credential",
  upstream_quota: "quota",
};

/** The cause of a fault; of one that this version does not know, `unknown`. */
export const causeOf = (fault: LastFault | null): IncidentCause =>
  fault !== null && Object.hasOwn(causes, fault.kind) ? (causes[fault.kind] as IncidentCause) : "unknown";

/** What is wrong now. */
export interface SeenIncident {
  readonly upstream: string;
  readonly cause: IncidentCause;
  /** `down`: a model has nothing else left. `degraded`: others answer in its place, or some calls succeed. */
  readonly state: "degraded" | "down";
  /** Public ids of affected models. */
  readonly models: readonly string[];
  /** The latest fault any process reports. */
  readonly fault: LastFault | null;
  /** When it is next tried; null: unknown. */
  readonly untilAt: string | null;
}

/** An incident as it is kept. Times are Unix milliseconds. */
export interface Incident {
  readonly upstream: string;
  readonly cause: IncidentCause;
  /** The worst it was. */
  readonly state: "degraded" | "down";
  /** The first few models it affected, of `modelsCount`. */
  readonly models: readonly string[];
  readonly modelsCount: number;
  readonly startedAt: number;
  /** Null: not over. */
  readonly endedAt: number | null;
  readonly fault: LastFault | null;
}

/** The list is bounded: so many incidents, this old at most, each naming so many models. */
export const incidentsMax = 60;
const keptMs = 30 * 86_400_000;
const namedModelsMax = 12;
/** One that is back within this time is the same incident. */
const sameWithinMs = 5 * 60_000;

interface Cell {
  readonly upstream: string;
  readonly model: string;
  readonly isOut: boolean;
  readonly fault: LastFault | null;
  readonly untilAt: string | null;
}

/** Every deployment of a model with a problem, as each process sees it; `isOut`: not in normal use. */
function cellsOf(states: readonly ProcessStates[], affected: ReadonlySet<string>): Cell[] {
  return states.flatMap(({ upstreams }) =>
    upstreams.flatMap(({ id: upstream, credentials, deployments }) => {
      const refused = credentials.filter(({ state }) => state !== "active");
      const [first] = refused;
      const noCredential = refused.length === credentials.length ? first : undefined;
      return deployments
        .filter(({ model }) => affected.has(model))
        .map(({ model, state, lastFault, untilAt }): Cell => {
          if (noCredential !== undefined) {
            const { lastFault: fault, untilAt: until } = noCredential;
            return { upstream, model, isOut: true, fault, untilAt: until };
          }
          const isOut = state !== "healthy" && state !== "returning";
          return { upstream, model, isOut, fault: lastFault, untilAt: isOut ? untilAt : null };
        });
    }),
  );
}

const isLater = (one: LastFault | null, other: LastFault | null): boolean =>
  one !== null && (other === null || one.at > other.at);

/** Without a deployment that is out, the calls of some fail: those with the latest faults are to blame. */
function toBlame(cells: readonly Cell[]): readonly Cell[] {
  const out = cells.filter(({ isOut }) => isOut);
  if (out.length > 0) return out;
  const failing = cells.filter(({ fault }) => fault !== null);
  const last = failing.reduce<Cell | undefined>(
    (latest, cell) => (latest === undefined || isLater(cell.fault, latest.fault) ? cell : latest),
    undefined,
  );
  return last === undefined ? [] : [last];
}

/** What is wrong now, worst first. */
export function incidentsNow(states: readonly ProcessStates[]): SeenIncident[] {
  const measured = mergeReports(states.flatMap(({ models }) => models ?? []));
  const cells = cellsOf(states, new Set(measured.keys()));
  const found = new Map<
    string,
    { -readonly [Key in keyof SeenIncident]: SeenIncident[Key] } & { models: string[] }
  >();
  for (const [model, ofModel] of Map.groupBy(cells, (cell) => cell.model)) {
    const state = measured.get(model) ?? "degraded";
    for (const { upstream, fault, untilAt } of toBlame(ofModel)) {
      const cause = causeOf(fault);
      const key = `${cause} ${upstream}`;
      const known = found.get(key);
      if (known === undefined) {
        found.set(key, { upstream, cause, state, models: [model], fault, untilAt });
        continue;
      }
      if (!known.models.includes(model)) known.models.push(model);
      if (state === "down") known.state = "down";
      if (isLater(fault, known.fault)) known.fault = fault;
      if (untilAt !== null && (known.untilAt === null || untilAt < known.untilAt)) known.untilAt = untilAt;
    }
  }
  return [...found.values()].sort(
    (one, other) =>
      Number(other.state === "down") - Number(one.state === "down") ||
      other.models.length - one.models.length,
  );
}

const isSame = (one: Incident, seen: SeenIncident): boolean =>
  one.upstream === seen.upstream && one.cause === seen.cause;

/** The incident with what is seen of it now. */
function grown(known: Incident, seen: SeenIncident): Incident {
  const more = seen.models.filter((model) => !known.models.includes(model));
  const isFull = known.models.length >= namedModelsMax;
  const models = isFull ? known.models : [...known.models, ...more].slice(0, namedModelsMax);
  return {
    ...known,
    state: seen.state === "down" ? "down" : known.state,
    models,
    // Models that are not named are not told apart, so of a long list the highest count is kept.
    modelsCount: isFull
      ? Math.max(known.modelsCount, seen.models.length)
      : Math.max(known.modelsCount, known.models.length + more.length),
    endedAt: null,
    fault: seen.fault ?? known.fault,
  };
}

/** The kept list, newest first, brought up to what is seen now. */
export function foldIncidents(
  kept: readonly Incident[],
  seen: readonly SeenIncident[],
  nowMs: number,
): readonly Incident[] {
  const isLive = ({ endedAt }: Incident): boolean => endedAt === null || nowMs - endedAt < sameWithinMs;
  const open = new Map<Incident, SeenIncident>();
  const fresh: Incident[] = [];
  for (const one of seen) {
    const known = kept.find((incident) => isLive(incident) && isSame(incident, one) && !open.has(incident));
    if (known !== undefined) {
      open.set(known, one);
      continue;
    }
    const { upstream, cause, state, models, fault } = one;
    const named = models.slice(0, namedModelsMax);
    const modelsCount = models.length;
    fresh.push({
      upstream,
      cause,
      state,
      models: named,
      modelsCount,
      startedAt: nowMs,
      endedAt: null,
      fault,
    });
  }
  const old = kept
    .map((incident) => {
      const now = open.get(incident);
      if (now !== undefined) return grown(incident, now);
      return incident.endedAt === null ? { ...incident, endedAt: nowMs } : incident;
    })
    .filter(({ endedAt }) => endedAt === null || nowMs - endedAt < keptMs);
  return [...fresh, ...old].slice(0, incidentsMax);
}

/**
 * True when the list must be written: an incident began, ended, got worse or wider. A further fault of the
 * same kind is no reason, because an outage has one with every call.
 */
export function isChanged(kept: readonly Incident[], next: readonly Incident[]): boolean {
  const marksOf = (list: readonly Incident[]) =>
    JSON.stringify(
      list.map(({ upstream, cause, state, models, modelsCount, startedAt, endedAt }) => [
        upstream,
        cause,
        state,
        models.length,
        modelsCount,
        startedAt,
        endedAt,
      ]),
    );
  return marksOf(kept) !== marksOf(next);
}
