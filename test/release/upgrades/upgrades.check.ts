/**
 * Upgrades from every older release to that of this working tree, in every way of installing, under load and
 * back: `npm run release:check -- upgrades`. Not among the tests of `npm test`, because the releases and the
 * load take minutes.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, type TestContext, test } from "node:test";
import { newestSchema } from "../../../server/src/store/migrations/index.ts";
import { root } from "../../../tools/release/root.ts";
import { type PostgresServer, startPostgres } from "../../postgres/server.ts";
import { startUpstreamProcess, type UpstreamProcess } from "../../rigs/harness/processes/upstream-process.ts";
import { findOlder, forgetOthers, makeReleaseIn, type Older, releaseOf } from "./older-releases.ts";
import { upgradeAndBack } from "./one-upgrade.ts";
import { type Way, ways } from "./ways.ts";

/** With up to two releases that are made for it. */
const testMsMax = 300_000;
const newerVersion = "0.0.2-check.1";
const isLinux = process.platform === "linux" && process.arch === "x64";
const older = isLinux ? findOlder() : "releases are made on Linux (x64)";
const all = typeof older === "string" ? [] : older;
const report = (line: string) => void process.stderr.write(`${line}\n`);

/** Every way from the newest older release; from those before it the executable, on both databases. */
const cases = all.flatMap((from, index) => {
  const named = index === all.length - 1 ? Object.values(ways) : [ways.executable];
  return [
    ...named.map((way) => ({ from, way, database: "SQLite" })),
    { from, way: ways.executable, database: "PostgreSQL" },
  ];
});

suite("upgrades of releases", { skip: typeof older === "string" && `not run: ${older}` }, () => {
  const folder = mkdtempSync(join(tmpdir(), "plaza-release-upgrades-"));
  // The user of images walks through it.
  chmodSync(folder, 0o755);
  const newerFiles = join(folder, "newer");
  let upstream: UpstreamProcess;
  let server: PostgresServer | undefined;
  const postgres = async (): Promise<PostgresServer> => (server ??= await startPostgres());
  before(async () => {
    forgetOthers(all);
    upstream = await startUpstreamProcess();
  });
  after(async () => {
    await upstream?.stop();
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function run(context: TestContext, way: Way, from: Older, database: string): Promise<void> {
    const release = releaseOf(from, report);
    if ("reason" in release) return context.skip(`not run: ${release.reason}`);
    if (!existsSync(newerFiles)) {
      report(`making ${newerVersion} of the working tree`);
      makeReleaseIn(root, newerVersion, newerFiles);
    }
    const here = mkdtempSync(join(folder, "upgrade-"));
    chmodSync(here, 0o755);
    const install = (version: string, files: string, name: string) => {
      mkdirSync(join(here, name));
      return way.install({ version, files, folder: join(here, name) });
    };
    const old = install(from.version, release.folder, "older");
    const newer = install(newerVersion, newerFiles, "newer");
    if (typeof old === "string" || typeof newer === "string")
      return context.skip(`not run here: ${typeof old === "string" ? old : newer}`);
    await upgradeAndBack({
      way,
      older: old,
      newer,
      postgres: database === "PostgreSQL" ? await postgres() : undefined,
      folder: join(here, "site"),
      upstreamUrl: upstream.baseUrl,
      report: (line) => context.diagnostic(line),
    });
    rmSync(here, { recursive: true });
  }

  for (const { from, way, database } of cases) {
    const name = `${way.name}, ${database}: ${from.version} (schema ${from.schema}) to this tree (${newestSchema()})`;
    test(name, { timeout: testMsMax }, (context) => run(context, way, from, database));
  }
});
