/**
 * What Linux says about a process tree: CPU time, memory, threads; and about one core. Reads
 * /proc only; knows nothing of gateways.
 */
import { readdirSync, readFileSync } from "node:fs";

/**
 * /proc counts CPU time in ticks of USER_HZ, which Linux fixes at 100 per
 * second on every architecture Node runs on.
 */
const msPerTick = 10;

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function threadIds(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** The process and all that descend from it, parents first. Empty when it is gone. */
export function processTree(pid: number): number[] {
  if (readOrEmpty(`/proc/${pid}/stat`) === "") return [];
  const children = threadIds(pid)
    .flatMap((tid) => readOrEmpty(`/proc/${pid}/task/${tid}/children`).split(" "))
    .filter((text) => text !== "")
    .map(Number);
  return [pid, ...children.flatMap(processTree)];
}

/** Fields after the command name, which may itself contain spaces and brackets. */
function statFields(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** CPU time of one thread so far. */
export interface ThreadCpu {
  readonly name: string;
  readonly cpuMs: number;
}

/**
 * CPU time of each living thread of one process so far, by thread id, to the nanosecond; a thread that is
 * running at this moment may be up to one scheduler tick (1 to 10 ms) behind.
 */
export function threadCpuTimes(pid: number): Map<string, ThreadCpu> {
  const times = new Map<string, ThreadCpu>();
  for (const tid of threadIds(pid)) {
    const nanoseconds = Number(readOrEmpty(`/proc/${pid}/task/${tid}/schedstat`).split(" ")[0]);
    const name = readOrEmpty(`/proc/${pid}/task/${tid}/comm`).trim();
    times.set(tid, { name, cpuMs: nanoseconds / 1e6 });
  }
  return times;
}

/**
 * Two clocks of the CPU time of a process tree so far, milliseconds;
 * `cpuBetweenMs` makes one figure of two readings.
 */
interface CpuReading {
  /** User and system time of all living threads, to the nanosecond. */
  readonly threadsMs: number;
  /** The same with threads and children that have ended, in steps of one clock tick. */
  readonly ticksMs: number;
  readonly processes: number;
}

function processTicks(pid: number): number {
  const fields = statFields(readOrEmpty(`/proc/${pid}/stat`));
  // utime, stime, cutime, cstime: fields 14 to 17 of proc(5), 11 to 14 after the command name.
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
}

/** Reads both CPU clocks of a process and all that descend from it. All zero when it is gone. */
export function readCpu(pid: number): CpuReading {
  const members = processTree(pid);
  let threadsMs = 0;
  let ticks = 0;
  for (const member of members) {
    ticks += processTicks(member);
    for (const thread of threadCpuTimes(member).values()) threadsMs += thread.cpuMs;
  }
  return { threadsMs, ticksMs: ticks * msPerTick, processes: members.length };
}

/**
 * CPU time between two readings of one tree, milliseconds. The threads' sum, unless threads or children ended
 * meanwhile and took more with them than rounding explains: then the clock that keeps them.
 */
export function cpuBetweenMs(before: CpuReading, after: CpuReading): number {
  const ofThreads = after.threadsMs - before.threadsMs;
  const inTicks = after.ticksMs - before.ticksMs;
  // User and system time of each process are rounded down on their own.
  const roundingMs = 2 * msPerTick * Math.max(before.processes, after.processes);
  return inTicks - ofThreads > roundingMs ? inTicks : ofThreads;
}

function fieldKib(text: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0);
}

/** Proportional set size of a process tree, KiB: pages shared with others count in part. */
export function pssKib(pid: number): number {
  return processTree(pid).reduce(
    (sum, p) => sum + fieldKib(readOrEmpty(`/proc/${p}/smaps_rollup`), "Pss"),
    0,
  );
}

/** Resident set of each process of a tree, KiB. */
export function rssKib(pid: number): number[] {
  return processTree(pid).map((p) => fieldKib(readOrEmpty(`/proc/${p}/status`), "VmRSS"));
}

/** Time one core has spent on anything but idling and waiting so far, milliseconds. */
export function coreBusyMs(core: number): number {
  const line = new RegExp(`^cpu${core} (.*)$`, "m").exec(readOrEmpty("/proc/stat"))?.[1] ?? "";
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line.split(" ").map(Number);
  return (user + nice + system + irq + softirq + steal) * msPerTick;
}

/** The cores this process may run on, in order. */
export function allowedCores(): number[] {
  const list = /^Cpus_allowed_list:\s+(\S+)$/m.exec(readOrEmpty("/proc/self/status"))?.[1] ?? "0";
  return list.split(",").flatMap((range) => {
    const [first = 0, last = first] = range.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}
