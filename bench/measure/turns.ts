/** The turns of this thread's event loop: how long the longest took, by the wall's clock and by the CPU's. */

/** In milliseconds, but the count. */
export interface Turns {
  /** The longest turn; other work on the machine counts. */
  readonly wallMs: number;
  /** The most CPU time of this thread in a turn. */
  readonly cpuMs: number;
  readonly turns: number;
}

/** Measures turns from now on; the returned function stops it. */
export function watchTurns(): () => Turns {
  let wallMs = 0;
  let cpuMs = 0;
  let turns = 0;
  let isOver = false;
  const cpuNow = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let [lastWall, lastCpu] = [performance.now(), cpuNow()];
  const look = (): void => {
    const [wall, cpu] = [performance.now(), cpuNow()];
    wallMs = Math.max(wallMs, wall - lastWall);
    cpuMs = Math.max(cpuMs, cpu - lastCpu);
    turns += 1;
    [lastWall, lastCpu] = [wall, cpu];
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  return () => {
    isOver = true;
    return { wallMs, cpuMs, turns };
  };
}
