/**
 * What Linux says about a process tree: CPU time, memory, threads; and about one core. Reads /proc only; knows nothing of
 * gateways.
 */
import { readdirSync, readFileSync } from "node:fs";

/** /proc counts CPU time in ticks of USER_HZ, which Linux fixes at 100 per second on every architecture Node runs on. */
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

/**
 * CPU time used by a process tree so far, user and system, all threads, milliseconds, in steps of one clock tick.
 * Children that have ended and were waited for stay counted.
 */
export function cpuTimeMs(pid: number): number {
  let ticks = 0;
  for (const member of processTree(pid)) {
    const fields = statFields(readOrEmpty(`/proc/${member}/stat`));
    // utime, stime, cutime, cstime: fields 14 to 17 of proc(5), 11 to 14 after the command name.
    for (const field of fields.slice(11, 15)) ticks += Number(field);
  }
  return ticks * msPerTick;
}

/** CPU time of each thread of one process so far, milliseconds, by thread id. */
export function threadCpuTimesMs(pid: number): Map<string, { name: string; cpuMs: number }> {
  const times = new Map<string, { name: string; cpuMs: number }>();
  for (const tid of threadIds(pid)) {
    const stat = readOrEmpty(`/proc/${pid}/task/${tid}/stat`);
    const fields = statFields(stat);
    const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
    times.set(tid, { name, cpuMs: (Number(fields[11]) + Number(fields[12])) * msPerTick });
  }
  return times;
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
