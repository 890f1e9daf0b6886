/** Reports the progress of a long rig, and stops one that hangs. */
import { monotonicMs } from "./measure/clock.ts";

export interface Progress {
  /** Announces a part; does nothing in short forms. */
  begin(part: string): void;
  /** Milliseconds since the rig began. */
  elapsedMs(): number;
}

export interface ProgressOptions {
  readonly rig: string;
  /** Duration of the rig on an idle machine. */
  readonly estimateMs: number;
  readonly isShown: boolean;
  readonly write?: ((line: string) => void) | undefined;
}

const seconds = (milliseconds: number): number => Math.round(milliseconds / 1000);

/** Prints the estimate first, then each part with the elapsed and the remaining seconds. */
export function startProgress(options: ProgressOptions): Progress & { readonly part: () => string } {
  const { rig, estimateMs, isShown } = options;
  const write = options.write ?? ((line: string) => void process.stderr.write(line));
  const startedAt = monotonicMs();
  const elapsedMs = () => monotonicMs() - startedAt;
  let current = "its start";
  if (isShown) write(`     ${rig} takes about ${seconds(estimateMs)} s\n`);
  return {
    elapsedMs,
    part: () => current,
    begin(part) {
      current = part;
      if (!isShown) return;
      const left = Math.max(0, seconds(estimateMs - elapsedMs()));
      write(`     ${rig} ${seconds(elapsedMs())} s, about ${left} s left: ${part}\n`);
    },
  };
}

/**
 * The result of `work`, or an Error naming the part that hung; started work continues until its process ends.
 */
export async function bounded<T>(
  progress: ReturnType<typeof startProgress>,
  milliseconds: number,
  work: () => Promise<T>,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`not over after ${seconds(milliseconds)} s, in: ${progress.part()}`)),
      milliseconds,
    );
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
