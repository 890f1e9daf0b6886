/**
 * Summarizes what all serving processes report about upstreams: issues that need attention, each once, and
 * the rows behind them page by page, worst first. Pure: no store, no clock, no texts.
 */
import type {
  CredentialState,
  DeploymentState,
  LastFault,
  ProcessStates,
  UsageDoubtState,
} from "@plaza/contract/upstream-states.ts";
import { mergeReports } from "../catalog/model-status.ts";

/** A deployment as one process sees it. */
export interface SeenDeployment extends DeploymentState {
  readonly process: string;
  readonly upstream: string;
  readonly provider: string;
}

/** A credential as one process sees it. */
export interface SeenCredential extends CredentialState {
  readonly process: string;
  readonly upstream: string;
}

/** What all processes with the same issue report: the latest fault, and the earliest retry. */
interface Seen {
  readonly fault: LastFault | null;
  readonly untilAt: string | null;
}

/**
 * `upstreamOut`: none of its credentials works. `modelDown`: it has no healthy deployment. Both come before
 * the other two.
 */
export type UpstreamTrouble =
  | ({ readonly kind: "upstreamOut"; readonly upstream: string } & Seen)
  | ({ readonly kind: "modelDown"; readonly model: string } & Seen)
  | ({ readonly kind: "credentialOut"; readonly upstream: string; readonly number: number } & Seen)
  | ({
      readonly kind: "ejected";
      readonly upstream: string;
      readonly upstreamModel: string;
      /** Public models that use it: the first few of `modelsCount`. */
      readonly models: readonly string[];
      readonly modelsCount: number;
    } & Seen)
  | ({
      /** It reports usage that is implausible or exceeds the request. */
      readonly kind: "usageDoubted";
      readonly upstream: string;
      readonly upstreamModel: string;
      readonly doubt: UsageDoubtState["kind"];
      /** When it last did so. */
      readonly at: string;
    } & Seen);

/** The total number, and how many of them have a problem. */
export interface Tally {
  readonly all: number;
  readonly troubled: number;
}

export interface UpstreamSummary {
  readonly deployments: Tally;
  readonly credentials: Tally;
  /** Worst first. */
  readonly troubles: readonly UpstreamTrouble[];
  /** Number of issues that are not listed. */
  readonly moreTroubles: number;
}

/** Which rows, and where the page starts. */
export interface SeenFilter {
  /** Part of a name, in any case. */
  readonly search?: string | undefined;
  /** Only those of this upstream. */
  readonly upstream?: string | undefined;
  /** Only the unhealthy ones. */
  readonly isTroubled?: boolean | undefined;
  readonly after?: TroubleCursor | undefined;
  readonly limit: number;
}

/** Position of a row: its urgency, 0 first, and its index among all reported rows. */
export interface TroubleCursor {
  readonly rank: number;
  readonly index: number;
}

export interface SeenPage<Row> {
  readonly rows: readonly Row[];
  /** Over all pages, of the rows whose names match. */
  readonly tally: Tally;
  /** The last row's position if there are more. */
  readonly next: TroubleCursor | null;
}

const namedModelsMax = 5;

const deploymentRanks: Readonly<Record<DeploymentState["state"], number>> = {
  ejected: 0,
  probing: 1,
  resting: 2,
  returning: 3,
  healthy: 4,
};

const credentialRanks: Readonly<Record<CredentialState["state"], number>> = { out: 0, resting: 1, active: 2 };

const deploymentsOf = (states: readonly ProcessStates[]): SeenDeployment[] =>
  states.flatMap(({ process, upstreams }) =>
    upstreams.flatMap(({ id, provider, deployments }) =>
      deployments.map((deployment) => ({ process, upstream: id, provider, ...deployment })),
    ),
  );

const credentialsOf = (states: readonly ProcessStates[]): SeenCredential[] =>
  states.flatMap(({ process, upstreams }) =>
    upstreams.flatMap(({ id, credentials }) =>
      credentials.map((credential) => ({ process, upstream: id, ...credential })),
    ),
  );

function seenBy(
  rows: readonly { readonly lastFault: LastFault | null; readonly untilAt: string | null }[],
): Seen {
  let fault: LastFault | null = null;
  let untilAt: string | null = null;
  for (const row of rows) {
    if (row.lastFault !== null && (fault === null || row.lastFault.at > fault.at)) fault = row.lastFault;
    if (row.untilAt !== null && (untilAt === null || row.untilAt < untilAt)) untilAt = row.untilAt;
  }
  return { fault, untilAt };
}

const groups = <Row>(rows: readonly Row[], keyOf: (row: Row) => string): [Row, ...Row[]][] =>
  [...Map.groupBy(rows, keyOf).values()] as [Row, ...Row[]][];

function credentialTroubles(rows: readonly SeenCredential[]): UpstreamTrouble[] {
  return groups(rows, ({ upstream }) => upstream).flatMap((all): UpstreamTrouble[] => {
    const [{ upstream }] = all;
    const out = all.filter(({ state }) => state === "out");
    if (out.length === all.length) return [{ kind: "upstreamOut", upstream, ...seenBy(out) }];
    return groups(out, ({ number }) => String(number)).map((same) => ({
      kind: "credentialOut",
      upstream,
      number: same[0].number,
      ...seenBy(same),
    }));
  });
}

/** Ids of models that are down, by the same rule as everywhere. */
function modelsDown(states: readonly ProcessStates[]): Set<string> {
  const measured = mergeReports(states.flatMap(({ models }) => models ?? []));
  return new Set([...measured].flatMap(([id, status]) => (status === "down" ? [id] : [])));
}

function deploymentTroubles(
  rows: readonly SeenDeployment[],
  downIds: ReadonlySet<string>,
): UpstreamTrouble[] {
  const ejected = rows.filter(({ state }) => state === "ejected");
  const down = groups(
    rows.filter(({ model }) => downIds.has(model)),
    ({ model }) => model,
  ).map((all): UpstreamTrouble => ({ kind: "modelDown", model: all[0].model, ...seenBy(all) }));
  const deploymentKeyOf = ({ upstream, upstreamModel }: SeenDeployment) => `${upstream}\n${upstreamModel}`;
  const troubles = groups(ejected, deploymentKeyOf).map((same): UpstreamTrouble => {
    const models = [...new Set(same.map(({ model }) => model))];
    return {
      kind: "ejected",
      upstream: same[0].upstream,
      upstreamModel: same[0].upstreamModel,
      models: models.slice(0, namedModelsMax),
      modelsCount: models.length,
      ...seenBy(same),
    };
  });
  return [...down, ...troubles, ...usageTroubles(rows)];
}

/** Each deployment once, with its latest report. */
function usageTroubles(rows: readonly SeenDeployment[]): UpstreamTrouble[] {
  const doubted = rows.flatMap((row) => (row.usageDoubt ? [{ ...row, doubted: row.usageDoubt }] : []));
  return groups(doubted, ({ upstream, upstreamModel }) => `${upstream}\n${upstreamModel}`).map((same) => {
    const [{ upstream, upstreamModel }] = same;
    const last = same.reduce((newest, row) => (row.doubted.at > newest.doubted.at ? row : newest)).doubted;
    const { kind: doubt, at } = last;
    return { kind: "usageDoubted", upstream, upstreamModel, doubt, at, fault: null, untilAt: null };
  });
}

const isBad = ({ kind }: UpstreamTrouble): boolean => kind === "upstreamOut" || kind === "modelDown";

/** Counts everything and lists at most `troublesMax` issues. */
export function sumUpUpstreams(states: readonly ProcessStates[], troublesMax: number): UpstreamSummary {
  const deployments = deploymentsOf(states);
  const credentials = credentialsOf(states);
  const all = [...credentialTroubles(credentials), ...deploymentTroubles(deployments, modelsDown(states))];
  const troubles = [...all.filter(isBad), ...all.filter((trouble) => !isBad(trouble))];
  return {
    deployments: {
      all: deployments.length,
      troubled: deployments.filter(({ state }) => state !== "healthy").length,
    },
    credentials: {
      all: credentials.length,
      troubled: credentials.filter(({ state }) => state !== "active").length,
    },
    troubles: troubles.slice(0, troublesMax),
    moreTroubles: Math.max(0, troubles.length - troublesMax),
  };
}

/** An upstream's overall state: the worst that applies. */
export interface UpstreamStanding {
  readonly id: string;
  /** `down`: no credential works. `out`: some do not. `troubled`: some deployments are not healthy. */
  readonly kind: "well" | "troubled" | "out" | "down";
  /** Number of those credentials or deployments, each counted once. */
  readonly count: number;
  /** Calls in flight in all processes. */
  readonly inFlight: number;
}

const distinct = <Row>(rows: readonly Row[], keyOf: (row: Row) => unknown): number =>
  new Set(rows.map(keyOf)).size;

/** The upstreams that any process reports, in order of the reports. */
export function standingsOf(states: readonly ProcessStates[]): UpstreamStanding[] {
  const all = states.flatMap(({ upstreams }) => upstreams);
  return groups(all, ({ id }) => id).map((seen): UpstreamStanding => {
    const [{ id }] = seen;
    const inFlight = seen.reduce((sum, one) => sum + one.inFlight, 0);
    const credentials = seen.flatMap((one) => one.credentials);
    const out = credentials.filter(({ state }) => state === "out");
    const outCount = distinct(out, ({ number }) => number);
    if (outCount > 0) {
      return { id, kind: out.length === credentials.length ? "down" : "out", count: outCount, inFlight };
    }
    const troubled = seen.flatMap((one) => one.deployments.filter(({ state }) => state !== "healthy"));
    const count = distinct(troubled, ({ upstreamModel }) => upstreamModel);
    return { id, kind: count === 0 ? "well" : "troubled", count, inFlight };
  });
}

/** Matching rows: those of the lowest rank first, in order of the reports. */
function pageOf<Row extends { readonly upstream: string }>(
  rows: readonly Row[],
  { search = "", upstream, isTroubled, after, limit }: SeenFilter,
  { rankOf, calmRank, textsOf }: { rankOf(row: Row): number; calmRank: number; textsOf(row: Row): string[] },
): SeenPage<Row> {
  const wanted = search.toLowerCase();
  const named = rows
    .map((row, index) => ({ row, index, rank: rankOf(row) }))
    .filter(
      ({ row }) =>
        (upstream === undefined || row.upstream === upstream) &&
        (wanted === "" || textsOf(row).some((text) => text.toLowerCase().includes(wanted))),
    );
  const troubled = named.filter(({ rank }) => rank !== calmRank);
  const fitting = (isTroubled === true ? troubled : named).sort(
    (left, right) => left.rank - right.rank || left.index - right.index,
  );
  const isBehind = ({ rank, index }: TroubleCursor): boolean =>
    after === undefined || rank > after.rank || (rank === after.rank && index > after.index);
  const rest = fitting.filter(isBehind);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rest.length > limit && last !== undefined;
  return {
    rows: page.map(({ row }) => row),
    tally: { all: named.length, troubled: troubled.length },
    next: hasMore ? { rank: last.rank, index: last.index } : null,
  };
}

export function pageDeployments(
  states: readonly ProcessStates[],
  filter: SeenFilter,
): SeenPage<SeenDeployment> {
  return pageOf(deploymentsOf(states), filter, {
    rankOf: ({ state }) => deploymentRanks[state],
    calmRank: deploymentRanks.healthy,
    textsOf: ({ model, upstream, upstreamModel }) => [model, upstream, upstreamModel],
  });
}

export function pageCredentials(
  states: readonly ProcessStates[],
  filter: SeenFilter,
): SeenPage<SeenCredential> {
  return pageOf(credentialsOf(states), filter, {
    rankOf: ({ state }) => credentialRanks[state],
    calmRank: credentialRanks.active,
    textsOf: ({ upstream }) => [upstream],
  });
}
