/**
 * Makes the corpus from the checkout's git history: starts Plaza as it was at each schema version, uses it,
 * kills it, and keeps its database. `node tools/launch.mjs --dev test/upgrades/write-corpus.ts [VERSION …]`
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { brotliCompressSync, constants } from "node:zlib";
import { migrations } from "../../server/src/store/migrations/index.ts";
import { startPostgres } from "../postgres/server.ts";
import { unpackBuild } from "../rigs/harness/processes/older-build.ts";
import { nodeBinary, runProcess, startProcess } from "../rigs/harness/processes/processes.ts";
import { startUpstreamProcess, type UpstreamProcess } from "../rigs/harness/processes/upstream-process.ts";
import {
  askFile,
  askServer,
  type CorpusEntry,
  corpusFile,
  corpusFolder,
  type DatabaseKind,
  readCorpus,
  readEssence,
} from "./corpus.ts";
import { dumpPostgres, fillFromFile } from "./postgres-dump.ts";
import { catalogFor, useServer } from "./usage-of-older.ts";
import { schemaVersions } from "./versions.ts";

const folder = mkdtempSync(join(tmpdir(), "plaza-corpus-"));
const upstream: UpstreamProcess = await startUpstreamProcess();
const server = await startPostgres();

/** Serves with the build of a commit, uses it and kills it. Resolves with the key that sealed its secrets. */
async function serveWith(script: string, data: string, database: string): Promise<string> {
  mkdirSync(data, { recursive: true });
  const catalog = join(data, "plaza.yaml");
  writeFileSync(catalog, catalogFor(upstream.baseUrl));
  const where = ["--data", data, "--database", database];
  const running = startProcess(nodeBinary, [script, "serve", "--port", "0", ...where, "--catalog", catalog]);
  const [, origin = ""] = await running.waitFor(/base_url\s+(http:\/\/127\.0\.0\.1:\d+)\/v1/, 60_000);
  const cli = async (words: readonly string[]) =>
    JSON.parse(await runProcess([script, ...words, ...where, "--json"])) as Record<string, unknown>;
  await useServer(origin, cli);
  running.child.kill("SIGKILL");
  await running.ended;
  return readFileSync(join(data, "secret.key")).toString("base64url");
}

/** A copy of a SQLite file without its log, with the migrations up to `version`. */
function compact(file: string, version: number): Buffer {
  const copy = join(folder, `copy-${version}.sqlite`);
  rmSync(copy, { force: true });
  const database = new DatabaseSync(file);
  database.exec(`vacuum into '${copy}'`);
  database.close();
  const kept = new DatabaseSync(copy);
  const [row] = kept.prepare("select max(version) as version from schema_migrations").all();
  for (const migration of migrations) {
    if (migration.version <= Number(row?.["version"]) || migration.version > version) continue;
    for (const statement of migration.sqlite) kept.exec(statement);
    kept
      .prepare("insert into schema_migrations (version, name, applied_at) values (?, ?, 0)")
      .run(migration.version, migration.name);
  }
  kept.close();
  return readFileSync(copy);
}

function keep(version: number, kind: DatabaseKind, bytes: Buffer): void {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
  writeFileSync(corpusFile(version, kind), brotliCompressSync(bytes, { params }));
}

/** The build of a schema version, or undefined for one without. */
const scripts = new Map<number, string>();
function scriptOf(version: number, commit: string | undefined): string | undefined {
  if (commit === undefined) return undefined;
  const script = scripts.get(version) ?? unpackBuild(commit, join(folder, commit));
  scripts.set(version, script);
  return script;
}

/** The file a version's database is made from: its own, or that of the version before. */
const files = new Map<number, { readonly file: string; readonly key: string }>();

async function write(version: number, commit: string | undefined): Promise<CorpusEntry> {
  const script = scriptOf(version, commit);
  const data = join(folder, `v${version}`);
  let source = files.get(version - 1);
  if (script !== undefined) {
    const file = join(data, "plaza.sqlite");
    source = { file, key: await serveWith(script, data, `sqlite:${file}`) };
  }
  if (source === undefined) throw new Error(`schema ${version} needs the one before: name it, too`);
  files.set(version, source);
  const bytes = compact(source.file, version);
  keep(version, "sqlite", bytes);
  const plain = join(folder, `copy-${version}.sqlite`);
  const sqlite = await readEssence(askFile(plain));

  const url = await server.newDatabase();
  let byServer = false;
  // PostgreSQL came with schema 4.
  if (script !== undefined && version >= 4) {
    const secret = Buffer.from(source.key, "base64url");
    mkdirSync(join(folder, `p${version}`), { recursive: true });
    writeFileSync(join(folder, `p${version}`, "secret.key"), secret, { mode: 0o600 });
    await serveWith(script, join(folder, `p${version}`), url);
    byServer = true;
  } else await fillFromFile(url, plain, version);
  keep(version, "postgres", Buffer.from(await dumpPostgres(url, version)));
  const postgres = await readEssence(askServer(url));
  const served = `written by commit ${commit}`;
  return {
    version,
    how: {
      sqlite: script === undefined ? "the database before, brought here by its migrations" : served,
      postgres: byServer ? served : "the rows of the SQLite file, column by column",
    },
    secretKey: source.key,
    essence: { sqlite, postgres },
  };
}

const wanted = process.argv.slice(2).map(Number);
mkdirSync(corpusFolder, { recursive: true });
try {
  const before = wanted.length === 0 ? [] : readCorpus().filter(({ version }) => !wanted.includes(version));
  const written: CorpusEntry[] = [];
  for (const { version, commit } of schemaVersions) {
    if (wanted.length > 0 && !wanted.includes(version)) continue;
    written.push(await write(version, commit));
    process.stdout.write(`schema ${version}\n`);
  }
  const all = [...before, ...written].sort((left, right) => left.version - right.version);
  writeFileSync(`${corpusFolder}index.json`, `${JSON.stringify(all, null, 2)}\n`);
} finally {
  await upstream.stop();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}
