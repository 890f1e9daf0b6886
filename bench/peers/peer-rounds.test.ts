/** A comparison of several gateways: who is measured when, and what becomes of one that fails. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Gateway } from "../gateways/gateway.ts";
import type { MeasuredWindow } from "../measure/settling.ts";
import { parseOptions } from "../options.ts";
import { peersTable } from "../report/peer-report.ts";
import type { GatewayName, PeerCase } from "../report/reading.ts";
import type { Rig } from "../rig.ts";
import { type Contestant, type Measures, runPeers } from "./peer-rounds.ts";

/** Only the size is used: the measures below measure nothing. */
const rig = { size: parseOptions(["--peers", "--rounds", "3"])?.size } as Rig;

/** CPU per request of each gateway, microseconds. */
const costs: Partial<Record<GatewayName, number>> = {
  nginx: 20,
  plaza: 60,
  "peer slow": 700,
  "peer weak": 5,
};

function scene() {
  const done: string[] = [];
  const open = new Set<string>();
  const contestant = (name: GatewayName, more: Partial<Contestant & Gateway> = {}): Contestant => ({
    name,
    switches: name === "direct" ? undefined : { auth: "on (keys)", limits: "off", ledger: "off" },
    streamsMax: undefined,
    start: async () => {
      open.add(name);
      const stop = async () => void open.delete(name);
      // This process stands for the gateway's.
      return { name, pid: process.pid, port: 1, jsonPath: "/", streamPath: "/", key: "k", stop, ...more };
    },
    ...more,
  });
  const window = (costUs: number): MeasuredWindow => ({
    ...{ costUs, perSecond: 1000, paceKeptPercent: 100, cpuMs: 1, durationMs: 1 },
    ...{ foreignCpuPercent: 2, repeats: 0, isDisturbed: false },
  });
  const measures = (more: Partial<Measures> = {}): Measures => ({
    settle: async (_, name, gateway) => {
      done.push(`settle ${name} ${gateway.name}`);
      return { isSettled: true, costsUs: [1, 1, 1] };
    },
    window: async (_, name, gateway) => {
      done.push(`${name} ${gateway.name}`);
      return window(costs[gateway.name] ?? 1);
    },
    firstTokens: async (_, gateway) => ({
      firstTokenP50Ms: gateway.name === "direct" ? 0.5 : 1.5,
      firstTokenP99Ms: 3,
    }),
    memory: async (its) => ({ kibPerStream: its.size.streams }),
    restMs: 0,
    ...more,
  });
  return { done, open, contestant, measures };
}

const five: readonly GatewayName[] = ["direct", "nginx", "plaza", "peer slow", "peer weak"];
const quiet = () => undefined;
const everyCase: readonly PeerCase[] = ["memory", "stream", "first-token", "json1k", "json100k"];

test("all take turns, forwards and backwards, after those that compile were warmed up", async () => {
  const { done, open, contestant, measures } = scene();
  const contestants = ["nginx", "plaza", "peer slow"].map((name) => contestant(name as GatewayName));
  const { readings, notes } = await runPeers(rig, contestants, ["json1k"], quiet, measures());
  const round = ["json1k nginx", "json1k plaza", "json1k peer slow"];
  const warm = ["settle json1k plaza", "settle json1k peer slow"];
  assert.deepEqual(done, [...warm, ...round, ...round.toReversed(), ...round]);
  assert.deepEqual(notes, []);
  assert.equal(readings.filter(({ metric }) => metric === "cpuPerRequestUs").length, 9);
  assert.equal(open.size, 0);
});

test("one that does not start is out of every case, and told once", async () => {
  const { done, open, contestant, measures } = scene();
  const start = () => Promise.reject(new Error("answered 500: no"));
  const contestants = [contestant("nginx"), contestant("plaza"), contestant("peer weak", { start })];
  const { readings, notes } = await runPeers(rig, contestants, everyCase, quiet, measures());
  assert.deepEqual(notes, [
    { gateway: "peer weak", case: undefined, kind: "failed", text: "answered 500: no" },
  ]);
  assert.ok(!done.some((step) => step.includes("weak")));
  assert.ok(!readings.some(({ gateway }) => gateway === "peer weak"));
  const table = peersTable({ readings, notes }, contestants, everyCase, 300);
  assert.match(table, /CPU, us\/request +20\.0 \[20\.0-20\.0\] +60\.0 \[60\.0-60\.0\] +FAILED \[1\]/);
  assert.match(table, /^\[1\] weak did not start: answered 500: no$/m);
  assert.equal(open.size, 0);
});

test("one that dies in a round loses the figures of that case only", async () => {
  const { open, contestant, measures } = scene();
  let windows = 0;
  const failing = measures();
  const window: Measures["window"] = (its, name, gateway) => {
    const isLast = gateway.name === "peer weak" && name === "json1k" && ++windows === 3;
    return isLast ? Promise.reject(new Error("did no work in 3000 ms")) : failing.window(its, name, gateway);
  };
  const endedWith = () => "its process has ended:\nSegmentation fault";
  const contestants = [contestant("nginx"), contestant("plaza"), contestant("peer weak", { endedWith })];
  const cases = ["json1k", "json100k"] as const;
  const results = await runPeers(rig, contestants, cases, quiet, measures({ window }));
  const [note, ...others] = results.notes;
  assert.equal(others.length, 0);
  assert.equal(note?.case, "json1k");
  assert.match(note?.text ?? "", /did no work in 3000 ms; its process has ended:\nSegmentation fault/);
  const of = (name: PeerCase) =>
    results.readings.filter(
      (r) => r.gateway === "peer weak" && r.case === name && r.metric === "cpuPerRequestUs",
    );
  assert.deepEqual([of("json1k").length, of("json100k").length], [0, 3]);
  const table = peersTable(results, contestants, cases, 300);
  assert.match(table, /^1 KB JSON: CPU.*FAILED \[1\]$/m);
  assert.match(table, /^100 KB JSON: CPU.*5\.00 \[5\.00-5\.00\]$/m);
  assert.match(table, /^\[1\] weak failed in json1k: did no work.*Segmentation fault$/m);
  assert.equal(open.size, 0);
});

test("without nginx, Plaza or the upstream there is no comparison, and nothing is left running", async () => {
  const { open, contestant, measures } = scene();
  const firstTokens: Measures["firstTokens"] = async (_, gateway) => {
    if (gateway.name === "plaza") throw new Error("503");
    return { firstTokenP50Ms: 1 };
  };
  const contestants = five.map((name) => contestant(name));
  await assert.rejects(runPeers(rig, contestants, ["first-token"], quiet, measures({ firstTokens })), /503/);
  assert.equal(open.size, 0);
});

test("the table shows switches, figures beside nginx and the direct call, and fewer streams where asked", async () => {
  const { contestant, measures } = scene();
  const contestants = five.map((name) => contestant(name, name === "peer slow" ? { streamsMax: 30 } : {}));
  const results = await runPeers(rig, contestants, everyCase, quiet, measures());
  const table = peersTable(results, contestants, everyCase, 300);
  const line = (label: string) =>
    table
      .split("\n")
      .find((text) => text.startsWith(label))
      ?.split(/ {2,}/);
  assert.deepEqual(line(" ")?.slice(1), ["direct (no gateway)", "nginx", "plaza", "slow", "weak"]);
  assert.deepEqual(line("auth"), ["auth", "-", ...Array(4).fill("on (keys)")]);
  assert.deepEqual(line("stream: open streams"), ["stream: open streams", "-", "300", "300", "30", "300"]);
  const ratios = table.split("\n").filter((text) => text.includes("beside nginx"));
  assert.match(ratios[1] ?? "", / - +x1\.00 +x3\.00 +x35\.0 +x0\.25$/);
  assert.match(table, /first token, p50, ms +0\.50 \[0\.50-0\.50\] +\+1\.00 \[1\.00-1\.00\]/);
  assert.match(table, /memory per stream, KB +- +300 +300 +30\.0 +300$/m);
});

test("a figure of streams that fell behind, or of a gateway that did not settle, is marked", async () => {
  const { contestant, measures } = scene();
  const plain = measures();
  const contestants = [contestant("nginx"), contestant("plaza"), contestant("peer slow")];
  const results = await runPeers(
    rig,
    contestants,
    ["stream"],
    quiet,
    measures({
      settle: async (_, __, gateway) => ({ isSettled: gateway.name === "plaza", costsUs: [9, 5, 7] }),
      window: async (its, name, gateway) => ({
        ...(await plain.window(its, name, gateway)),
        paceKeptPercent: gateway.name === "peer slow" ? 61 : 100,
      }),
    }),
  );
  const table = peersTable(results, contestants, ["stream"], 300);
  assert.match(table, /CPU, us\/chunk +20\.0 \[[^\]]+\] +60\.0 \[[^\]]+\] +700 \[[^\]]+\] \[1\] \[2\]$/m);
  assert.match(table, /^\[1\] stream of peer slow: NOT settled/m);
  assert.match(table, /^\[2\] slow kept 61 % of the streams' pace/m);
});
