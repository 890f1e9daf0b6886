/** `plaza doctor`: the database, its schema, the processes that serve from it, and what the catalog lacks. */
import { existsSync } from "node:fs";
import type { Catalog } from "@plaza/contract/catalog.ts";
import { type Config, secretKeyFile } from "../../config/config.ts";
import { priceAt } from "../../domain/money/price.ts";
import { StoreError } from "../../store/error.ts";
import type { Store } from "../../store/store.ts";
import type { CommandIo } from "../command-io.ts";
import { counted, sizeText } from "../output.ts";
import { type Finding, ok, problem, reasonOf, warning } from "./finding.ts";

/** What the other checks need of the database. */
export interface DatabaseFound {
  readonly findings: readonly Finding[];
  /** Undefined: it could not be read. */
  readonly catalog: Catalog | undefined;
}

const namesShown = 5;

/** The first few names, and how many there are besides. */
const listed = (names: readonly string[]): string =>
  names.length <= namesShown
    ? names.join(", ")
    : `${names.slice(0, namesShown).join(", ")} and ${names.length - namesShown} more`;

/** What to do about an error of the store; its message already says it. */
const storeProblem = (what: string, error: unknown): Finding =>
  problem(
    what,
    reasonOf(error),
    error instanceof StoreError ? "do what it says, then run this again" : "please report this",
  );

/** The schema; true when the rest can be read. */
async function checkSchema(store: Store, mode: Config["migrate"]): Promise<[Finding, boolean]> {
  const { schema, newest, missing, refusal, blocked, progress } = await store.readMigrations();
  const what = "schema";
  if (refusal !== null && refusal.code !== "older_schema")
    return [problem(what, refusal.message, "see docs/operate/upgrades.md"), false];
  if (blocked !== null) return [warning(what, `${schema}; this Plaza has ${newest}`, blocked), false];
  if (progress !== null)
    return [
      warning(what, `migration ${progress.version} is under way`, "look again: plaza migrate --status"),
      false,
    ];
  const needed = missing.filter(({ kind }) => kind === "expand");
  if (needed.length > 0) {
    const todo = mode === "auto" ? "the next start migrates it" : "run: plaza migrate";
    return [warning(what, `${schema}; this Plaza has ${newest}`, todo), false];
  }
  if (missing.length > 0) {
    const waits = `${schema}; ${counted(missing.length, "step waits", "steps wait")} for older servers to end, or for rows to be copied`;
    return [warning(what, waits, "the next start or `plaza migrate` applies them"), true];
  }
  return [ok(what, String(schema)), true];
}

async function checkServers(store: Store, version: string): Promise<Finding[]> {
  const { processes, troubles, moreTroubles } = await store.readHealth(namesShown);
  const findings: Finding[] = [];
  if (processes.length === 0) findings.push(ok("servers", "none is running"));
  const behind = processes.filter(({ readings }) => readings?.isBehind === true);
  const limiting = processes.filter(({ readings }) => readings?.isLimiting === true);
  const versions = [...new Set(processes.map(({ readings }) => readings?.version ?? "an older version"))];
  if (behind.length > 0) {
    const todo = "see PlazaStoreBehind in docs/operate/operations.md";
    findings.push(
      problem("servers", `${behind.length} of ${processes.length} cannot reach the database`, todo),
    );
  }
  if (limiting.length > 0) {
    const todo = "see PlazaOverloaded in docs/operate/operations.md";
    findings.push(warning("servers", `${limiting.length} of ${processes.length} are overloaded`, todo));
  }
  if (versions.some((one) => one !== version)) {
    const text = `running: ${versions.join(", ")}; this is ${version}`;
    findings.push(
      warning("servers", text, "finish the deploy; old and new may serve side by side meanwhile"),
    );
  }
  if (processes.length > 0 && findings.length === 0)
    findings.push(ok("servers", `${counted(processes.length, "process", "processes")}, ${version}`));
  if (troubles.length > 0) {
    const count = troubles.length + moreTroubles;
    const text = `${counted(count, "upstream, model or credential has", "upstreams, models or credentials have")} trouble, as the servers see it`;
    findings.push(warning("upstream health", text, "see: plaza upstreams"));
  }
  return findings;
}

function checkModels({ models: all }: Catalog, nowMs: number): Finding[] {
  // Nothing is amiss with a model that an operator has disabled.
  const models = all.filter(({ isDisabled }) => isDisabled !== true);
  const disabled = all.length - models.length;
  const unpriced = models.filter(({ price, priceRows }) => {
    const row = priceRows === undefined ? undefined : priceAt(priceRows, nowMs);
    return (row === undefined ? price : row.price) === undefined;
  });
  const unreachable = models.filter(({ deployments }) => deployments.length === 0);
  const findings: Finding[] = [];
  if (unpriced.length > 0) {
    const names = listed(unpriced.map(({ id }) => id));
    findings.push(
      warning(
        "models",
        `without a price, so not served: ${names}`,
        "set one in the console or in the catalog file; 0 is a price",
      ),
    );
  }
  if (unreachable.length > 0) {
    const names = listed(unreachable.map(({ id }) => id));
    findings.push(
      warning("models", `without a deployment: ${names}`, "connect an upstream for them, or remove them"),
    );
  }
  const text = `${counted(models.length, "model", "models")}${disabled === 0 ? "" : `; ${disabled} disabled`}`;
  return findings.length > 0 ? findings : [ok("models", text)];
}

async function checkPeople(store: Store): Promise<Finding[]> {
  const { hasOperator, isDemoOnly } = await store.readInstallation();
  const findings: Finding[] = [];
  if (!hasOperator)
    findings.push(warning("console", "no operator yet", "open the link of: plaza setup-link"));
  if (isDemoOnly) findings.push(warning("upstreams", "only the demo", "connect a service: plaza connect"));
  return findings;
}

async function checkContents(store: Store, io: CommandIo, version: string): Promise<DatabaseFound> {
  const findings: Finding[] = [];
  let catalog: Catalog | undefined;
  try {
    catalog = await store.loadCatalog();
  } catch (error) {
    findings.push(storeProblem("credentials", error));
  }
  findings.push(...(await checkServers(store, version)), ...(await checkPeople(store)));
  if (catalog !== undefined) findings.push(...checkModels(catalog, io.clock.wallMs()));
  return { findings, catalog };
}

/** Checks the whole file and every sum of the ledger; on a large database that takes minutes. */
async function checkWhole(store: Store): Promise<Finding> {
  const what = "ledger";
  await store.checkFile(Number.POSITIVE_INFINITY);
  const { isOk, findings, moreFindings, entries } = await store.verifyLedger();
  if (isOk) return ok(what, `${counted(entries, "entry", "entries")}, every sum is right`);
  const count = findings.length + moreFindings;
  return problem(what, `${counted(count, "sum is", "sums are")} off`, "see: plaza ledger verify");
}

async function loadKey(config: Config): Promise<Buffer> {
  const file = secretKeyFile(config);
  if (config.secretKey !== undefined) return Buffer.from(config.secretKey);
  // A key is not made here: that a database has another one is a finding.
  if (!existsSync(file)) return Buffer.alloc(32);
  const { loadOrCreateKeyFile } = await import("../../lib/secret.ts");
  return loadOrCreateKeyFile(file);
}

/** Opens the database and looks at everything in it. Creates and changes nothing. */
export async function checkDatabase(
  io: CommandIo,
  config: Config,
  { version, isWhole }: { readonly version: string; readonly isWhole: boolean },
): Promise<DatabaseFound> {
  const what = "database";
  const { database } = config;
  if (database.kind === "sqlite" && database.file !== ":memory:" && !existsSync(database.file)) {
    const todo = "the first `plaza serve` creates it; otherwise give the right one with --data or --database";
    return { findings: [warning(what, `${database.file} is not there`, todo)], catalog: undefined };
  }
  let store: Store;
  try {
    const key = await loadKey(config);
    const { openStoreInProcess } = await import("../../store/open.ts");
    store = await openStoreInProcess({ database, secretKey: key, clock: io.clock });
  } catch (error) {
    return { findings: [storeProblem(what, error)], catalog: undefined };
  }
  try {
    const [schema, isReadable] = await checkSchema(store, config.migrate);
    if (!isReadable) return { findings: [schema], catalog: undefined };
    const { databaseBytes } = await store.readStorage();
    const size = ok(
      what,
      `${database.kind === "sqlite" ? "SQLite" : "PostgreSQL"}, ${sizeText(databaseBytes)}`,
    );
    const { findings, catalog } = await checkContents(store, io, version);
    const whole = isWhole ? [await checkWhole(store)] : [];
    return { findings: [size, schema, ...findings, ...whole], catalog };
  } catch (error) {
    return { findings: [storeProblem(what, error)], catalog: undefined };
  } finally {
    await store.close();
  }
}
