/** For tests: runs commands on a data directory of their own and captures the output. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { loadOrCreateKeyFile } from "../../lib/secret.ts";
import { type Clock, systemClock } from "../../lib/time/clock.ts";
import { openStoreInProcess } from "../../store/open.ts";
import { runPlaza } from "./run-plaza.ts";

const made: string[] = [];
after(() => {
  for (const directory of made) rmSync(directory, { recursive: true, force: true });
});

/** A directory that is removed after the test file. */
function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), "plaza-cli-"));
  made.push(directory);
  return directory;
}

/** Runs commands on one data directory, which the first command creates. */
export function commandLine(env: Record<string, string> = {}, clock: Clock = systemClock) {
  const dataDir = join(temporary(), "data");
  const run = (...words: string[]) => runPlaza(words, { env: { PLAZA_DATA_DIR: dataDir, ...env }, clock });
  const json = async (...words: string[]) => {
    const { status, out, err } = await run(...words, "--json");
    return { status, err, value: JSON.parse(out) };
  };
  const store = () =>
    openStoreInProcess({
      database: { kind: "sqlite", file: join(dataDir, "plaza.sqlite") },
      secretKey: loadOrCreateKeyFile(join(dataDir, "secret.key")),
    });
  return { dataDir, run, json, store };
}

export const catalogText = `upstreams:
  - { id: main, provider: openai, baseUrl: "http://127.0.0.1:9/v1", credentials: ["\${UPSTREAM_KEY}"] }
models:
  - id: gpt-5-mini
    price: { input: "0.25", output: "2.00" }
    deployments: [{ upstream: main, model: gpt-5-mini }]
`;

export function catalogFile(text = catalogText): string {
  const file = join(temporary(), "plaza.yaml");
  writeFileSync(file, text);
  return file;
}
