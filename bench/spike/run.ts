/**
 * Measures the relay of this folder beside nginx and beside the same relay on node:http and undici: CPU per
 * request and per event on one core, taking turns, settled; memory per open stream.
 *
 * node bench/spike/run.ts [--only json1k,json100k,large,stream,tls,memory] [--rounds 4] [--seconds 3]
 *   [--profile FOLDER]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { measureMemory } from "../cases.ts";
import {
  type Child,
  startChild,
  stopAllChildren,
  stopChild,
  waitForExit,
  waitForOutput,
} from "../gateways/child.ts";
import { type Gateway, probe } from "../gateways/gateway.ts";
import { claimCores, machineFacts, requireTools } from "../gateways/machine.ts";
import { startNginx } from "../gateways/nginx.ts";
import { measureWindow, settle } from "../measure/settling.ts";
import { type Spread, spread } from "../measure/statistics.ts";
import { parseOptions } from "../options.ts";
import { chatBody } from "../payloads.ts";
import type { SteadyCase } from "../report/reading.ts";
import { describeSettled, formatFigure, layOut } from "../report/report.ts";
import { jsonModel, type Rig } from "../rig.ts";
import type { UpstreamCount } from "../upstream.ts";
import { startTlsNginx } from "./nginx-tls.ts";

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: "json1k,json100k,large,stream,tls,memory" },
    rounds: { type: "string", default: "4" },
    seconds: { type: "string", default: "3" },
    profile: { type: "string" },
  },
});

interface Case {
  readonly name: string;
  readonly title: string;
  readonly load: SteadyCase | "memory";
  readonly upstream: "plain" | "tls" | "large";
}
const cases: readonly Case[] = [
  { name: "json1k", title: "1 KB requests, 64 connections", load: "json1k", upstream: "plain" },
  { name: "json100k", title: "100 KB requests, 32 connections", load: "json100k", upstream: "plain" },
  { name: "large", title: "100 KB answers, 64 connections", load: "json1k", upstream: "large" },
  { name: "stream", title: "1,000 streams, an event per 50 ms each", load: "stream", upstream: "plain" },
  { name: "tls", title: "1 KB requests, TLS upstream", load: "json1k", upstream: "tls" },
  { name: "memory", title: "memory per stream at 1,000", load: "memory", upstream: "plain" },
];

const size = {
  ...(parseOptions(["--seconds", options.seconds])?.size as Rig["size"]),
  settle: { sliceMs: 2000, slices: 3, within: 0.08, slicesMax: 7 },
};
const tools = requireTools(false);
const facts = Object.entries(machineFacts(tools));
const cores = claimCores();
const folder = mkdtempSync(join(tmpdir(), "plaza-spike-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const startScript = (script: string, args: readonly string[], on: readonly number[], flags: string[] = []) =>
  startChild(script, process.execPath, [...flags, join(import.meta.dirname, script), ...args], { cores: on });

const path = "/v1/chat/completions";
const upstreamChild = startScript("upstream-process.ts", [], cores.load);
const printed = await waitForOutput(upstreamChild, "stdout", /ports (\d+) (\d+) (\d+)/, 10_000);
const ports = { plain: Number(printed[1]), tls: Number(printed[2]), large: Number(printed[3]) };

async function askUpstream(port: number, about: string): Promise<UpstreamCount> {
  const response = await fetch(`http://127.0.0.1:${port}${about}`, { signal: AbortSignal.timeout(10_000) });
  return (await response.json()) as UpstreamCount;
}

/** The parts of the benchmark's rig that its loads use, before one of the upstreams. */
function rigFor(upstream: Case["upstream"]): Rig {
  // TLS and plain are one upstream with one count.
  const port = upstream === "large" ? ports.large : ports.plain;
  return {
    ...{ size, tools, cores, folder },
    direct: undefined as unknown as Gateway,
    startNginx: () => startNginx(tools.nginx, ports.plain, folder, cores.gateway),
    prepare: () => Promise.reject(new Error("not part of the spike")),
    upstreamCount: () => askUpstream(port, "/count"),
    finishStreams: async () => void (await askUpstream(port, "/finish")),
    close: async () => {},
  };
}

async function startRelay(
  script: string,
  args: string[],
  child = startScript(script, args, cores.gateway),
): Promise<Gateway> {
  const port = Number((await waitForOutput(child, "stdout", /port (\d+)/, 10_000))[1]);
  const key = "sk-spike-7";
  return {
    name: "plaza",
    pid: child.pid,
    port,
    jsonPath: path,
    streamPath: path,
    key,
    stop: () => stopChild(child),
  };
}

type Starter = (upstream: Case["upstream"]) => Promise<Gateway>;
const relayArgs = (upstream: Case["upstream"]) => [
  String(ports[upstream]),
  ...(upstream === "tls" ? ["--tls"] : []),
];
const contenders: Readonly<Record<string, Starter>> = {
  nginx: (upstream) =>
    upstream === "tls"
      ? startTlsNginx(tools.nginx, ports.tls, folder, cores.gateway)
      : startNginx(tools.nginx, ports[upstream], folder, cores.gateway),
  "nginx unbuffered": async (upstream) => {
    const gateway = await startNginx(tools.nginx, ports[upstream], folder, cores.gateway);
    return { ...gateway, jsonPath: gateway.streamPath };
  },
  "node:http + undici": (upstream) => startRelay("node-relay-process.ts", relayArgs(upstream)),
  sockets: (upstream) => startRelay("relay-process.ts", relayArgs(upstream)),
  "sockets, public only": (upstream) =>
    startRelay("relay-process.ts", [...relayArgs(upstream), "--inside", "public"]),
  "sockets, private writes": (upstream) =>
    startRelay("relay-process.ts", [...relayArgs(upstream), "--inside", "direct"]),
  "sockets, keys checked": (upstream) => startRelay("relay-process.ts", [...relayArgs(upstream), "--keys"]),
};

function isFor(contender: string, { name }: Case): boolean {
  if (contender === "nginx unbuffered") return name === "large";
  if (contender === "sockets, keys checked") return name === "json1k";
  return !contender.startsWith("sockets, ") || name === "json1k" || name === "stream";
}

const startedAt = performance.now();
const say = (text: string) =>
  console.log(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${text}`);

type Figures = Map<string, number[]>;
const rounds = Number(options.rounds);

async function measureSteady(one: Case, load: SteadyCase): Promise<Figures> {
  const rig = rigFor(one.upstream);
  const running = new Map<string, Gateway>();
  const figures: Figures = new Map();
  for (const [name, start] of Object.entries(contenders)) {
    if (!isFor(name, one)) continue;
    const gateway = await start(one.upstream);
    running.set(name, gateway);
    figures.set(name, []);
    if (one.upstream !== "large") await probe(gateway, chatBody(jsonModel, 1024, {}));
    if (gateway.name === "nginx") continue;
    say(describeSettled(one.name, name, await settle(rig, load, gateway), size.settle));
  }
  for (let round = 0; round < rounds; round++) {
    const order = [...running];
    for (const [name, gateway] of round % 2 === 0 ? order : order.toReversed()) {
      const window = await measureWindow(rig, load, gateway);
      figures.get(name)?.push(window.costUs);
      const doubt = window.isDisturbed ? `, disturbed: pace ${window.paceKeptPercent.toFixed(0)} %` : "";
      say(
        `${one.name} ${name}: ${formatFigure(window.costUs)} us, ${formatFigure(window.perSecond)}/s${doubt}`,
      );
    }
  }
  for (const gateway of running.values()) await gateway.stop();
  return figures;
}

async function measureMemories(one: Case): Promise<Figures> {
  const rig = rigFor(one.upstream);
  const figures: Figures = new Map();
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    for (const [name, start] of Object.entries(contenders)) {
      if (!isFor(name, one)) continue;
      const gateway = await start(one.upstream);
      await sleep(1000);
      const { kibPerStream = Number.NaN } = await measureMemory(rig, gateway);
      say(`memory of ${name}: ${formatFigure(kibPerStream)} KB per stream`);
      figures.set(name, [...(figures.get(name) ?? []), kibPerStream]);
      await gateway.stop();
    }
  }
  return figures;
}

/** One load on one relay under V8's profiler, which writes into the folder. */
async function profile(one: Case, load: SteadyCase, into: string): Promise<void> {
  const flags = ["--cpu-prof", `--cpu-prof-dir=${into}`];
  const child: Child = startScript("relay-process.ts", relayArgs(one.upstream), cores.gateway, flags);
  const gateway = await startRelay("relay-process.ts", [], child);
  const settled = await settle(rigFor(one.upstream), load, gateway);
  say(describeSettled(one.name, "sockets", settled, size.settle));
  child.process.kill("SIGINT");
  await waitForExit(child, 10_000);
}

function ratioCell(figure: Spread, nginx: Spread | undefined): string {
  return nginx === undefined ? "" : `x${formatFigure(figure.median / nginx.median)}`;
}

try {
  console.log(facts.map(([name, value]) => `${name.padEnd(8)} ${value}`).join("\n"));
  const table: string[][] = [["case", "relay", "us per request or event, KB per stream", "to nginx"]];
  for (const one of cases.filter(({ name }) => options.only.split(",").includes(name))) {
    if (options.profile !== undefined && one.load !== "memory") {
      await profile(one, one.load, options.profile);
      continue;
    }
    const figures = one.load === "memory" ? await measureMemories(one) : await measureSteady(one, one.load);
    const nginx = figures.get("nginx");
    for (const [name, readings] of figures) {
      const figure = spread(readings);
      const range = `${formatFigure(figure.median)} [${formatFigure(figure.min)}-${formatFigure(figure.max)}]`;
      table.push([one.title, name, range, ratioCell(figure, nginx && spread(nginx))]);
    }
  }
  console.log(`\nMedian [lowest-highest] of ${rounds} windows:\n${layOut(table)}`);
} finally {
  await stopAllChildren();
}
process.exit();
