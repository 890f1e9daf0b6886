/** `plaza upstreams`: upstream health as last published to the database by the serving processes. */
import type {
  CredentialHealth,
  CredentialState,
  DeploymentHealth,
  DeploymentState,
  LastFault,
  ProcessStates,
} from "@plaza/contract/upstream-states.ts";
import type { Command } from "commander";
import type { CommandIo } from "./command-io.ts";
import { counted, formatTable, shortTime, writeJson } from "./output.ts";
import { addStoreSettings, withStore } from "./with-store.ts";

/** Worst first. */
const deploymentOrder: readonly DeploymentHealth[] = [
  "ejected",
  "resting",
  "probing",
  "returning",
  "healthy",
];
const credentialOrder: readonly CredentialHealth[] = ["out", "resting", "active"];

interface ReportedState {
  readonly state: string;
  readonly untilAt: string | null;
  readonly lastFault: LastFault | null;
}

/** "ejected", or "ejected (1 of 4)" when the processes disagree. */
function formatState(all: readonly ReportedState[], worst: ReportedState): string {
  const same = all.filter(({ state }) => state === worst.state).length;
  return same === all.length ? worst.state : `${worst.state} (${same} of ${all.length})`;
}

function formatWhy({ lastFault }: ReportedState): string {
  if (lastFault === null) return "";
  return lastFault.status === null ? lastFault.kind : `${lastFault.kind} (${lastFault.status})`;
}

const orDash = (number: number | null): string => (number === null ? "-" : String(Math.round(number)));

function worstOf<T extends ReportedState>(all: readonly T[], order: readonly T["state"][]): T {
  const sorted = [...all].sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
  return sorted[0] as T;
}

const newestOf = (times: readonly string[]): number => Math.max(...times.map((time) => Date.parse(time)));

function newestFault(all: readonly ReportedState[]): string {
  const times = all.flatMap(({ lastFault }) => (lastFault === null ? [] : [lastFault.at]));
  return times.length === 0 ? "-" : shortTime(newestOf(times));
}

const maxOf = (numbers: readonly (number | null)[]): number | null =>
  numbers.reduce((most, one) => (one !== null && (most === null || one > most) ? one : most), null);

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

function deploymentRow(upstream: string, all: readonly DeploymentState[]): string[] {
  const worst = worstOf(all, deploymentOrder);
  const weightNow = sumOf(all.map((one) => one.weightNow)) / all.length;
  const upstreamModel = worst.upstreamModel === worst.model ? "" : ` (${worst.upstreamModel})`;
  return [
    upstream,
    `${worst.model}${upstreamModel}`,
    formatState(all, worst),
    worst.state === "healthy" ? "" : formatWhy(worst),
    worst.untilAt === null ? "" : shortTime(Date.parse(worst.untilAt)),
    newestFault(all),
    `${Math.round(weightNow * 100) / 100} of ${worst.weight}`,
    String(sumOf(all.map(({ inFlight }) => inFlight))),
    orDash(maxOf(all.map(({ p95FirstTokenMs }) => p95FirstTokenMs))),
  ];
}

function credentialRow(upstream: string, all: readonly CredentialState[]): string[] {
  const worst = worstOf(all, credentialOrder);
  return [
    upstream,
    `#${worst.number}`,
    formatState(all, worst),
    worst.state === "active" ? "" : formatWhy(worst),
    worst.untilAt === null ? "" : shortTime(Date.parse(worst.untilAt)),
    newestFault(all),
    ...["", "", ""],
  ];
}

/** Groups what all processes report about the same thing, in order of first appearance. */
function gather<T>(lists: readonly (readonly [key: string, value: T][])[]): T[][] {
  const found = new Map<string, T[]>();
  for (const [key, value] of lists.flat()) found.set(key, [...(found.get(key) ?? []), value]);
  return [...found.values()];
}

const headings = [
  ...["upstream", "model", "state", "why", "until (UTC)", "last fault (UTC)", "weight now", "in flight"],
  "p95 first token ms",
];
const numbers = headings.slice(headings.indexOf("weight now"));

/** Formats deployments and credentials by upstream, with one row for all processes. */
function formatRows(processes: readonly ProcessStates[]): string {
  const upstreams = gather(
    processes.map((one) =>
      one.upstreams.map((upstream): [string, typeof upstream] => [upstream.id, upstream]),
    ),
  );
  const rows = upstreams.flatMap((states) => {
    const id = states[0]?.id ?? "";
    const deployments = gather(
      states.map((state) =>
        state.deployments.map((one): [string, DeploymentState] => [
          JSON.stringify([one.model, one.upstreamModel, one.priority]),
          one,
        ]),
      ),
    );
    const credentials = gather(
      states.map((state) =>
        state.credentials.map((one): [string, CredentialState] => [String(one.number), one]),
      ),
    );
    return [
      ...deployments.map((all) => deploymentRow(id, all)),
      ...credentials.map((all) => credentialRow(id, all)),
    ];
  });
  return formatTable(headings, rows, numbers);
}

async function show(io: CommandIo, options: { json?: boolean }): Promise<void> {
  const processes = await withStore(io, options, (store) => store.listUpstreamStates());
  if (options.json === true) {
    writeJson(io, { processes });
    return;
  }
  if (processes.length === 0) {
    io.out("No Plaza process is running on this database, so the state of the upstreams is unknown.\n");
    return;
  }
  io.out(formatRows(processes));
  const newest = newestOf(processes.map(({ at }) => at));
  io.out(
    `${counted(processes.length, "process", "processes")}; last change written at ${shortTime(newest)} UTC.\n`,
  );
}

const more = `
States: healthy; resting (it asked for a pause); ejected (it failed too often and is spared while there is another);
probing (single calls try it); returning (its share grows). A credential, shown as #1, #2, is active, resting or out:
refused or unpaid, and the operator has to act.

Examples:
  $ npx plaza upstreams
  $ npx plaza upstreams --json
`;

export function addUpstreams(program: Command, io: CommandIo): void {
  const command = program
    .command("upstreams")
    .description("Show the state of all deployments and credentials, as reported by the serving processes.")
    .option("--json", "print JSON, by process")
    .addHelpText("after", more);
  addStoreSettings(command).action((options: { json?: boolean }) => show(io, options));
}
