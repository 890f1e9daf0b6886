/**
 * Main thread cost of one request (1 KB, whole) and one stream chunk in `plaza serve`, with callers and
 * upstream simulated inside the process: without sockets and system calls, it shows differences that `npm run
 * bench -- --against` cannot detect. Two checkouts alternate in turns of about 100 ms; both processes are
 * restarted several times, because two processes of one build compile differently.
 *
 * Run: node bench/micro/serving.ts [--against PATH] [--only chunk|request] [--starts 8] [--turns 14]
 */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { findPlaza } from "../gateways/checkout.ts";
import { startChild, stopAllChildren, waitForOutput } from "../gateways/child.ts";
import { type PlazaBuild, prepareBuild } from "../gateways/plaza-build.ts";
import { estimateRatio } from "../measure/paired.ts";
import { median } from "../measure/statistics.ts";
import { streamModel } from "../replies.ts";
import { heldStreamPlan, jsonModel } from "../rig.ts";

const { values: options } = parseArgs({
  options: {
    against: { type: "string" },
    only: { type: "string" },
    starts: { type: "string", default: "8" },
    turns: { type: "string", default: "14" },
  },
});

// Callers and upstream replace parts of modules by their files, which a build has not.
process.env["LAUNCH_SOURCES"] = "1";

/** Amount of work in a turn, and the number of warm-up turns. */
const kinds = { chunk: { count: 40_000, warmUps: 10 }, request: { count: 3_000, warmUps: 12 } } as const;
type Kind = keyof typeof kinds;

/** The simulated callers and upstream are those of node:http and undici. */
const onNode = { PLAZA_TRANSPORT: "node" };

const inside = join(import.meta.dirname, "serving-inside.ts");
const repository = resolve(import.meta.dirname, "..", "..");

/** One process: works on command and reports the cost. */
interface Side {
  turn(kind: Kind): Promise<number>;
  stop(): Promise<void>;
}

async function start(build: PlazaBuild): Promise<Side> {
  const { child, gateway } = await build.start({ isPinned: false, nodeFlags: ["--import", inside] });
  const [, port] = await waitForOutput(child, "stderr", /inside (\d+)/, 10_000);
  const socket: Socket = connect(Number(port), "127.0.0.1").setEncoding("utf8");
  await once(socket, "connect");
  return {
    async turn(kind) {
      socket.write(`${kind} ${kinds[kind].count} ${gateway.key}\n`);
      const [line] = (await once(socket, "data")) as [string];
      if (line.startsWith("failed")) throw new Error(line);
      return Number(line);
    },
    async stop() {
      socket.destroy();
      await gateway.stop();
    },
  };
}

/** Alternates both, A B, then B A; returns the costs of this checkout and of the other, in pairs. */
async function alternate(kind: Kind, builds: readonly PlazaBuild[], turns: number): Promise<number[][]> {
  const sides = await Promise.all(builds.map(start));
  for (let turn = 0; turn < kinds[kind].warmUps; turn += 1) {
    for (const side of sides) await side.turn(kind);
  }
  const costs: number[][] = sides.map(() => []);
  for (let turn = 0; turn < turns; turn += 1) {
    const order = turn % 2 === 0 ? sides.keys() : [...sides.keys()].reverse();
    for (const index of order) costs[index]?.push((await sides[index]?.turn(kind)) ?? Number.NaN);
  }
  for (const side of sides) await side.stop();
  return costs;
}

function report(kind: Kind, starts: readonly (readonly number[][])[]): void {
  const [own = [], other = []] = [0, 1].map((side) => starts.flatMap((costs) => costs[side] ?? []));
  const micros = `${kind}: ${median(own).toFixed(3)} µs`;
  if (other.length === 0) {
    console.log(micros);
    return;
  }
  // Turns of one start are not independent, so each start gives one ratio.
  const ratios = starts.map(([a = [], b = []]) => median(a) / median(b));
  const estimate = estimateRatio(ratios);
  const ratio =
    estimate === undefined
      ? `${median(ratios).toFixed(3)} (too few starts for an interval)`
      : `${estimate.ratio.toFixed(3)} [${estimate.low.toFixed(3)}-${estimate.high.toFixed(3)}]`;
  console.log(
    `${micros}, the other ${median(other).toFixed(3)} µs, ratio ${ratio} over ${starts.length} starts`,
  );
}

async function compare(kind: Kind, builds: readonly PlazaBuild[]): Promise<void> {
  const starts: number[][][] = [];
  while (starts.length < Number(options.starts)) {
    const costs = await alternate(kind, builds, Number(options.turns));
    starts.push(costs);
    console.log(
      `  ${kind}, start ${starts.length}: ${costs.map((side) => median(side).toFixed(3)).join(" ")}`,
    );
  }
  report(kind, starts);
}

async function prepareBuilds(folder: string): Promise<PlazaBuild[]> {
  const upstream = startChild("upstream", process.execPath, [join(repository, "bench", "upstream.ts")]);
  const upstreamPort = Number((await waitForOutput(upstream, "stdout", /port (\d+)/, 10_000))[1]);
  const cores = { all: [], gateway: [], load: [] };
  const models = [jsonModel, streamModel(heldStreamPlan)] as const;
  const builds: PlazaBuild[] = [];
  for (const [name, path] of [["plaza", repository] as const, ["other", options.against] as const]) {
    if (path === undefined) continue;
    const place = { folder: join(folder, name), cores, upstreamPort, models, settings: onNode };
    builds.push(await prepareBuild(name, findPlaza(path), place));
  }
  return builds;
}

const folder = mkdtempSync(join(tmpdir(), "plaza-serving-"));
try {
  const builds = await prepareBuilds(folder);
  for (const kind of Object.keys(kinds) as Kind[]) {
    if (options.only === undefined || options.only === kind) await compare(kind, builds);
  }
} finally {
  await stopAllChildren();
  rmSync(folder, { recursive: true, force: true });
}
