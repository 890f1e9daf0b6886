/** Runs programs of other packages. */
import { execFileSync } from "node:child_process";
import { ReleaseFailure } from "./preconditions.ts";

/** Debian's packages with the programs that a release needs. */
const debianPackages: Readonly<Record<string, string>> = {
  "x86_64-linux-gnu-strip": "binutils-x86-64-linux-gnu",
  "aarch64-linux-gnu-strip": "binutils-aarch64-linux-gnu",
  "dpkg-deb": "dpkg",
  "apt-get": "apt",
};

/** Runs a program; its output is shown only when it fails. */
export function runProgram(
  file: string,
  args: readonly string[],
  { cwd, env = process.env }: { cwd: string; env?: NodeJS.ProcessEnv },
): void {
  try {
    execFileSync(file, args, { cwd, env, stdio: "pipe", encoding: "utf8" });
  } catch (error) {
    const { code, stdout = "", stderr = "" } = error as { code?: string; stdout?: string; stderr?: string };
    if (code === "ENOENT")
      throw new ReleaseFailure(
        `${file} is missing; Debian's package ${debianPackages[file] ?? file} has it.`,
      );
    throw new ReleaseFailure(`${[file, ...args].join(" ")} failed:\n${stdout}${stderr}`);
  }
}
