/** `--profile CASE`: one case against Plaza alone under V8's profiler, and where its time went. Judges nothing. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { loadFirstTokens, loadHeldStreams, loadJson } from "./cases.ts";
import { waitForOutput } from "./child.ts";
import { processTree, type ThreadCpu, threadCpuTimes } from "./process-stat.ts";
import { type CpuProfile, selfTimes, takeProfile } from "./profile.ts";
import type { CaseName } from "./reading.ts";
import { layOut } from "./report.ts";
import type { Rig } from "./rig.ts";

const rowsShown = 40;
/** What a profile calls time in which no function of the program ran. */
const idleNames = new Set(["(idle)", "(root)"]);

function threadTimes(pid: number): Map<string, ThreadCpu> {
  return new Map(
    processTree(pid).flatMap((member) =>
      [...threadCpuTimes(member)].map(([tid, time]) => [`${member}/${tid}`, time] as const),
    ),
  );
}

/** CPU by thread name over a piece of work: shows what the profile, which sees the main thread only, leaves out. */
async function threadTable(pid: number, work: () => Promise<void>): Promise<string> {
  const before = threadTimes(pid);
  await work();
  const rows = [...threadTimes(pid)]
    .map(([id, { name, cpuMs }]) => {
      const isMain = id.split("/")[0] === id.split("/")[1];
      return { name: isMain ? `${name} (main)` : name, ms: cpuMs - (before.get(id)?.cpuMs ?? 0) };
    })
    .filter((row) => row.ms > 0)
    .toSorted((a, b) => b.ms - a.ms);
  const total = rows.reduce((sum, row) => sum + row.ms, 0);
  return layOut([
    ["thread", "CPU ms", "share"],
    ...rows.map((row) => [row.name, row.ms.toFixed(0), `${((100 * row.ms) / total).toFixed(1)} %`]),
  ]);
}

function functionTable(profile: CpuProfile, repository: string): string {
  const busy = selfTimes(profile).filter((row) => !idleNames.has(row.name));
  const total = busy.reduce((sum, row) => sum + row.ms, 0);
  const root = `${pathToFileURL(repository).href}/`;
  return layOut([
    ["self ms", "busy", "function", "place"],
    ...busy
      .slice(0, rowsShown)
      .map((row) => [
        row.ms.toFixed(0),
        `${((100 * row.ms) / total).toFixed(1)} %`,
        row.name,
        row.place.replace(root, ""),
      ]),
  ]);
}

function loadOf(
  rig: Rig,
  name: CaseName,
  gateway: Parameters<typeof loadHeldStreams>[1],
): () => Promise<unknown> {
  if (name === "json1k" || name === "json100k")
    return () => loadJson(rig, name, gateway, rig.size.jsonSeconds);
  if (name === "stream") return () => loadHeldStreams(rig, gateway);
  if (name === "first-token") return () => loadFirstTokens(rig, gateway, 0, rig.size.firstTokenMs);
  throw new Error("start-up ends before a profiler can attach; use node --cpu-prof by hand");
}

/** Warms Plaza up, profiles one case, prints threads and functions, and writes the profile into `resultsFolder`. */
export async function profileCase(
  rig: Rig,
  name: CaseName,
  repository: string,
  resultsFolder: string,
): Promise<void> {
  const plaza = await rig.startPlaza({
    isPinned: true,
    nodeFlags: ["--inspect=127.0.0.1:0", "--max-semi-space-size=32"],
  });
  const load = loadOf(rig, name, plaza.gateway);
  const [, inspectorUrl = ""] = await waitForOutput(plaza.child, "stderr", /listening on (ws:\S+)/, 5000);
  await load();
  let threads = "";
  const profile = await takeProfile(inspectorUrl, async () => {
    threads = await threadTable(plaza.gateway.pid, async () => void (await load()));
  });
  const file = join(resultsFolder, `${name}-${new Date().toISOString().replaceAll(":", "-")}.cpuprofile`);
  writeFileSync(file, JSON.stringify(profile));
  console.log(`\nThreads of Plaza during ${name} (the profiler's own cost included):\n${threads}`);
  console.log(`\nMain thread, self time:\n${functionTable(profile, repository)}`);
  console.log(`\nWritten to ${file}; Chrome's developer tools open it.`);
}
