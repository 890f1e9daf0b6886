/**
 * Checks of releases that take minutes: `npm run release:check -- [PART [NAME]]`. Without a part, all of
 * them; NAME is a pattern of test names.
 *
 * - `containers`: the Helm chart and the Compose files, with the programs that read them. It needs Go; the
 *   first time it builds these programs. And a release's image in containers of podman, where root has it.
 * - `installed`: a release of this working tree, as its users install it. Root installs the Debian package on
 *   this machine, where systemd does not run, and purges it.
 * - `proxies`: two Plazas restarted one after the other behind each proxy that is here, under calls.
 * - `upgrades`: upgrades of releases, each way of installing them, under load and back. It needs the git
 *   history, and makes the older releases once.
 */
import { spawnSync } from "node:child_process";
import { installCheckPrograms } from "./release/check/tools.ts";
import { root } from "./release/root.ts";

const files = {
  containers: ["test/release/chart.test.ts", "test/release/compose.test.ts", "test/release/podman.check.ts"],
  installed: ["test/release/installed.check.ts"],
  proxies: ["test/behaviour/process/proxies.check.ts"],
  upgrades: ["test/release/upgrades/upgrades.check.ts"],
} as const;
type Part = keyof typeof files;

const isPart = (word: string): word is Part => Object.hasOwn(files, word);

function run(parts: readonly Part[], pattern: string | undefined): number {
  if (parts.includes("containers")) installCheckPrograms((line) => void process.stderr.write(`${line}\n`));
  const names = pattern === undefined ? [] : [`--test-name-pattern=${pattern}`];
  const words = ["--test", "--test-reporter=spec", ...names, ...parts.flatMap((part) => files[part])];
  const { status } = spawnSync(process.execPath, words, { cwd: root, stdio: "inherit" });
  return status ?? 1;
}

const [word, pattern] = process.argv.slice(2);
if (word === undefined) process.exitCode = run(Object.keys(files) as Part[], undefined);
else if (isPart(word)) process.exitCode = run([word], pattern);
else {
  process.stderr.write(`There is no part "${word}": ${Object.keys(files).join(", ")}.\n`);
  process.exitCode = 1;
}
