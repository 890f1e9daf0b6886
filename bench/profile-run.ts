/** `--profile CASE`: runs one case against Plaza with V8's profiler and prints the self times. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { loadFirstTokens } from "./cases.ts";
import { waitForOutput } from "./gateways/child.ts";
import type { Gateway } from "./gateways/gateway.ts";
import type { PlazaBuild } from "./gateways/plaza-build.ts";
import { processTree, type ThreadCpu, threadCpuTimes } from "./measure/process-stat.ts";
import { measureWindow, settle } from "./measure/settling.ts";
import { type CpuProfile, selfTimes, takeProfile } from "./profile.ts";
import { type CaseName, isSteady } from "./report/reading.ts";
import { layOut } from "./report/report.ts";
import type { Rig } from "./rig.ts";

const rowsShown = 40;
/** Profile entries for time outside the program's functions. */
const idleNames = new Set(["(idle)", "(root)"]);

function threadTimes(pid: number): Map<string, ThreadCpu> {
  return new Map(
    processTree(pid).flatMap((member) =>
      [...threadCpuTimes(member)].map(([tid, time]) => [`${member}/${tid}`, time] as const),
    ),
  );
}

/** CPU time by thread name during some work: the profile covers the main thread only. */
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

function loadOf(rig: Rig, name: CaseName, gateway: Gateway): () => Promise<unknown> {
  if (isSteady(name)) return () => measureWindow(rig, name, gateway);
  if (name === "first-token") return () => loadFirstTokens(rig, gateway, 0, rig.size.firstTokenMs);
  throw new Error("only a case with a load can be profiled; for a start use node --cpu-prof by hand");
}

/**
 * Warms Plaza up, profiles one case, prints threads and functions, and writes the profile into
 * `resultsFolder`.
 */
export async function profileCase(
  rig: Rig,
  build: PlazaBuild,
  name: CaseName,
  repository: string,
  resultsFolder: string,
): Promise<void> {
  const plaza = await build.start({
    isPinned: true,
    nodeFlags: ["--inspect=127.0.0.1:0", "--max-semi-space-size=8", "--v8-pool-size=1"],
  });
  const load = loadOf(rig, name, plaza.gateway);
  const [, inspectorUrl = ""] = await waitForOutput(plaza.child, "stderr", /listening on (ws:\S+)/, 5000);
  if (isSteady(name)) await settle(rig, name, plaza.gateway);
  else await load();
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
