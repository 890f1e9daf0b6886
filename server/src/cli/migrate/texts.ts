/** What `plaza migrate` says to people. Pure. */
import type {
  MigrationReport,
  MigrationStatus,
  MissingMigration,
} from "../../store/operation/migration-shapes.ts";
import { counted, formatTable, shortTime } from "../output.ts";

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

/** The first schema whose servers say which they know. */
const tellingFrom = 22;

/** What a migration means for older servers. */
function meaning({ kind, needs, waitsForAll, hasBackfill }: MissingMigration): string {
  const steps = hasBackfill ? "; many rows, in small steps while servers run" : "";
  if (kind === "expand") return `older servers go on${steps}`;
  if (waitsForAll) return "waits until no server runs: those before it would fail calls";
  // Servers before schema 22 report no schema, and contracts before it wait for no server.
  if ((needs ?? 0) < tellingFrom) return `takes away what servers before schema ${needs} use`;
  return `waits until no server older than schema ${needs} runs${steps}`;
}

const toDo = (missing: readonly MissingMigration[]): string =>
  formatTable(
    ["to do", "name", "kind", "meaning"],
    missing.map((one) => [String(one.version), one.name, one.kind, meaning(one)]),
    ["to do"],
  );

function progressText({ progress, isRunning }: MigrationStatus): string {
  if (progress === null) return isRunning ? "A process is migrating it now.\n" : "";
  const { version, name, rows, updatedAt } = progress;
  const who = isRunning ? "A process is at it now." : "No process is at it: `plaza migrate` goes on there.";
  return `Migration ${version} (${name}) is half done: ${counted(rows, "row", "rows")} by ${shortTime(updatedAt)} UTC. ${who}\n`;
}

const blockedText = ({ blocked }: MigrationStatus): string =>
  blocked === null ? "" : `For now \`plaza migrate\` and starts of this Plaza are refused: ${blocked}.\n`;

const oldestText = (oldest: number): string =>
  oldest === 0
    ? "Servers of any schema may serve."
    : `Servers of schema ${oldest} and later may serve; older ones refuse.`;

function serversText({ servers }: MigrationStatus): string {
  if (servers.length === 0) return "No server is running on it.\n";
  const parts = servers.map(
    ({ schema, count }) => `${count} of schema ${schema === null ? "21 or older" : schema}`,
  );
  return `Running on it: ${parts.join(", ")}.\n`;
}

/** `plaza migrate --status` */
export function statusText(status: MigrationStatus): string {
  const { schema, newest, applied, missing, refusal } = status;
  const rows = applied.map((one) => [
    String(one.version),
    one.name,
    one.kind ?? "-",
    shortTime(one.appliedAt),
    one.durationMs === null ? "-" : seconds(one.durationMs),
    one.plazaVersion ?? "-",
  ]);
  const table = formatTable(["schema", "name", "kind", "applied (UTC)", "took", "by Plaza"], rows, [
    "schema",
    "took",
  ]);
  return [
    applied.length === 0 ? "" : `${table}\n`,
    `The database has schema ${schema}; this Plaza knows ${newest}. ${oldestText(status.oldestServing)}\n`,
    missing.length === 0 ? "" : `\n${toDo(missing)}\n`,
    progressText(status),
    serversText(status),
    refusal === null ? "" : `Until that has changed, no server of this Plaza may serve: ${refusal.message}\n`,
    blockedText(status),
  ].join("");
}

/** `plaza migrate --dry-run` */
export function planText(status: MigrationStatus): string {
  const { schema, newest, missing, refusal } = status;
  if (refusal !== null && refusal.code !== "older_schema") return `Cannot migrate: ${refusal.message}\n`;
  if (missing.length === 0) return `Nothing to do: the database has schema ${schema}.\n`;
  return [
    `From schema ${schema} to ${newest}; nothing has been changed.\n\n`,
    toDo(missing),
    progressText(status),
    serversText(status),
    blockedText(status),
  ].join("");
}

/** `plaza migrate` */
export function reportText({ from, to, ran, waiting }: MigrationReport): string {
  const lines = ran.map(({ version, name, kind, durationMs, rows }) => [
    String(version),
    name,
    kind,
    seconds(durationMs),
    rows === null ? "" : counted(rows, "row", "rows"),
  ]);
  const done =
    ran.length === 0
      ? `Nothing to do: the database has schema ${to}.\n`
      : `Migrated from schema ${from} to ${to}.\n`;
  const left = waiting.map(
    ({ version, name, needs }) =>
      `Migration ${version} (${name}) waits until no server older than schema ${needs} runs and servers have prepared it: run \`plaza migrate\` again then. Servers of this Plaza serve without it.\n`,
  );
  return [
    ran.length === 0 ? "" : `${formatTable(["done", "name", "kind", "took", ""], lines, ["done", "took"])}\n`,
    done,
    ...left,
  ].join("");
}
