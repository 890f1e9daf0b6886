/** Shows the progress of a backup on a terminal, in one line that is written over. */
import type { OnProgress } from "../../backup/create.ts";
import type { CommandIo } from "../command-io.ts";

export interface ShownProgress {
  readonly onProgress: OnProgress;
  /** Removes the line. */
  end(): void;
}

/** Shows nothing when standard error is not a terminal. */
export async function showProgress(io: CommandIo): Promise<ShownProgress> {
  const terminal = await io.terminal?.();
  if (terminal?.showsProgress !== true) return { onProgress: () => {}, end: () => {} };
  let shown = "";
  const show = (line: string): void => {
    if (line === shown) return;
    io.err(`\r${line.padEnd(shown.length)}`);
    shown = line;
  };
  return {
    onProgress: (step, share) => show(share === 0 ? `${step} …` : `${step}: ${Math.floor(share * 100)} %`),
    end() {
      if (shown !== "") io.err(`\r${" ".repeat(shown.length)}\r`);
      shown = "";
    },
  };
}

/** "312.5 MiB" */
export function shownBytes(bytes: number): string {
  if (bytes < 1024 ** 2) return `${Math.ceil(bytes / 1024)} KiB`;
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
