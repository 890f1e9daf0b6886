/** Builds the console into `web/dist` unless it is up to date. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const stampFile = `${root}web/dist/.built-from`;

/** Digest of the console's inputs: its sources, the contract, and the versions of its libraries. */
function sourceDigest(): string {
  const patterns = ["web/*.{html,ts,json}", "web/src/**/*", "web/public/**/*", "contract/**/*.ts"];
  const digest = createHash("sha256").update(readFileSync(`${root}package-lock.json`));
  const files = globSync(patterns, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .sort();
  for (const file of files) digest.update(`${file.slice(root.length)}\0`).update(readFileSync(file));
  return digest.digest("hex");
}

function builtFrom(): string | undefined {
  try {
    return readFileSync(stampFile, "utf8").trim();
  } catch {
    return undefined;
  }
}

/** Throws when it cannot be built; Vite's messages, which say why, go to standard error. */
export function buildConsole(): void {
  const digest = sourceDigest();
  if (builtFrom() === digest) return;
  process.stderr.write("Building the console. This happens once, and again after an update.\n");
  const vite = fileURLToPath(new URL("../../node_modules/vite/bin/vite.js", import.meta.url));
  const { status } = spawnSync(process.execPath, [vite, "build", "web", "--logLevel", "warn"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) throw new Error(`Vite ended with ${status}`);
  writeFileSync(stampFile, `${digest}\n`);
}
