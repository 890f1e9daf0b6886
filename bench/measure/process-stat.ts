/** Reads CPU time, memory and threads of a process tree, and the load of one core, from /proc. */
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

/** The process and all its descendants, parents first. Empty when it has exited. */
export function processTree(pid: number): number[] {
  if (readOrEmpty(`/proc/${pid}/stat`) === "") return [];
  const children = threadIds(pid)
    .flatMap((tid) => readOrEmpty(`/proc/${pid}/task/${tid}/children`).split(" "))
    .filter((text) => text !== "")
    .map(Number);
  return [pid, ...children.flatMap(processTree)];
}

/** Fields after the command name, which may contain spaces and brackets. */
function statFields(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** CPU time of one thread so far. */
export interface ThreadCpu {
  readonly name: string;
  readonly cpuMs: number;
}

/**
 * CPU time of each living thread of a process, by thread id, in nanosecond resolution; a currently running
 * thread may be up to one scheduler tick (1 to 10 ms) behind.
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
 * Two measurements of a process tree's CPU time in milliseconds; `cpuBetweenMs` combines two readings into
 * one figure.
 */
interface CpuReading {
  /** User and system time of all living threads, in nanosecond resolution. */
  readonly threadsMs: number;
  /** The same including ended threads and children, in clock ticks. */
  readonly ticksMs: number;
  readonly processes: number;
}

function processTicks(pid: number): number {
  const fields = statFields(readOrEmpty(`/proc/${pid}/stat`));
  // utime, stime, cutime, cstime: fields 14 to 17 of proc(5), 11 to 14 after the command name.
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
}

/** Reads both values for a process and all its descendants. All zero when it has exited. */
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
 * CPU time between two readings of one tree, in milliseconds. Uses the threads' sum, unless ended threads or
 * children account for more than rounding: then the tick count.
 */
export function cpuBetweenMs(before: CpuReading, after: CpuReading): number {
  const ofThreads = after.threadsMs - before.threadsMs;
  const inTicks = after.ticksMs - before.ticksMs;
  // User and system time of each process are rounded down separately.
  const roundingMs = 2 * msPerTick * Math.max(before.processes, after.processes);
  return inTicks - ofThreads > roundingMs ? inTicks : ofThreads;
}

function fieldKib(text: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0);
}

/** Proportional set size of a process tree in KiB: shared pages count in part. */
export function pssKib(pid: number): number {
  return processTree(pid).reduce(
    (sum, p) => sum + fieldKib(readOrEmpty(`/proc/${p}/smaps_rollup`), "Pss"),
    0,
  );
}

/** Resident set of each process of a tree, in KiB. */
export function rssKib(pid: number): number[] {
  return processTree(pid).map((p) => fieldKib(readOrEmpty(`/proc/${p}/status`), "VmRSS"));
}

/** Time that one core was neither idle nor waiting, in milliseconds. */
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
