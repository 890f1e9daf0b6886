/**
 * Checks the Helm chart and the Compose files with the programs that read them: `npm run release:check`. It
 * needs Go; the first time it builds these programs, which takes minutes.
 */
import { spawnSync } from "node:child_process";
import { installCheckPrograms } from "./release/check/tools.ts";
import { root } from "./release/root.ts";

installCheckPrograms((line) => void process.stderr.write(`${line}\n`));
const files = ["test/release/chart.test.ts", "test/release/compose.test.ts"];
const { status } = spawnSync(process.execPath, ["--test", ...files], { cwd: root, stdio: "inherit" });
process.exitCode = status ?? 1;
