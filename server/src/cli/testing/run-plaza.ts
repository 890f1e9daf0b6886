/**
 * For tests: runs the `plaza` command in the test's own process. Starting one for each command would take
 * more CPU than all the rest of most tests.
 */
import { systemClock } from "../../lib/time/clock.ts";
import type { CommandIo } from "../command-io.ts";

/** A command that has ended. */
export interface EndedCommand {
  /** The status that its process would exit with. */
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** `io`: instead of the system's clock, no environment and no terminal. */
export async function runPlaza(
  words: readonly string[],
  io: Partial<Omit<CommandIo, "out" | "err">> = {},
): Promise<EndedCommand> {
  // Loaded with the first command, since most files that may run one do not.
  const { runCommand } = await import("../run.ts");
  let out = "";
  let err = "";
  const status = await runCommand(
    [...words],
    {
      env: {},
      clock: systemClock,
      ...io,
      out(text) {
        out += text;
      },
      err(text) {
        err += text;
      },
    },
    "9.8.7",
  );
  return { status, out, err };
}
