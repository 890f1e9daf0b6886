/**
 * P20: overload is refused early and cheaply; accepted work stays fast. A Plaza with 256 MB of heap gets
 * three times the streams it can serve, of all endpoints, in an open loop.
 */

import { inAllFormats, oneUpstream, spokenName } from "../harness/catalog.ts";
import { bodyFor, type EndpointName, endpointNames, pathOf, type Route } from "../harness/endpoints.ts";
import {
  boundFigure,
  countFigure,
  type Figure,
  percentile,
  type Rig,
  showMegabytes,
} from "../harness/figure.ts";
import { eventually, monotonicMs, pause } from "../harness/measure/clock.ts";
import { type Probed, startProbes } from "../harness/measure/probes.ts";
import { newSettings, type Plaza, startPlaza } from "../harness/processes/plaza.ts";
import { residentBytes } from "../harness/processes/proc.ts";
import { type Control, startControl } from "./p20-control.ts";
import { type LoadRequest, type LoadSeen, runLoad } from "./p20-load.ts";
import { startCheapUpstream } from "./p20-upstream.ts";

const heapMb = 256;
const offered = 3;
const goodputShareMin = 0.9;
const refusalMsMax = 20;
const lagMsMax = 50;
/** Content events of each stream. */
const events = 20;
const gapMs = 2;
/** Low enough that no call is refused for event loop delay. */
const peakLanes = 200;
/** Enough that no request waits for a free connection while answers arrive in time. */
const stormLanes = 2_000;
/** `P20_SECONDS` shortens the long form. */
const longSeconds = Number(process.env["P20_SECONDS"] ?? 300);

/** What a complete stream of each endpoint ends with. */
const marks: Readonly<Record<EndpointName, string>> = {
  chat: "data: [DONE]",
  responses: '"type":"response.completed"',
  messages: '"type":"message_stop"',
  gemini: '"finishReason"',
};

function requestOn(plaza: Plaza, { endpoint, spoken }: Route): LoadRequest {
  const model = spokenName("rig-model", spoken);
  const call = { model, isStream: true, maxTokens: 1_000, plan: {}, text: "hello" };
  const body = bodyFor(endpoint, call);
  const head = `authorization: Bearer ${plaza.key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
  const text = `POST ${pathOf(endpoint, call)} HTTP/1.1\r\nhost: plaza\r\n${head}\r\n\r\n${body}`;
  return { text, mark: marks[endpoint] };
}

/**
 * Calls at all endpoints in turns, each as often as the others: half of them at an upstream of the endpoint's
 * own format, the rest at the three others.
 */
function requestsTo(plaza: Plaza): LoadRequest[] {
  return [0, 1, 2, 3, 4, 5].flatMap((turn) =>
    endpointNames.map((endpoint) => {
      const others = endpointNames.filter((name) => name !== endpoint);
      return requestOn(plaza, { endpoint, spoken: others[turn] ?? endpoint });
    }),
  );
}

const healthRequests: readonly LoadRequest[] = [
  { text: "GET /healthz HTTP/1.1\r\nhost: plaza\r\n\r\n", mark: "" },
];

/**
 * Callers with little other work, so that they measure Plaza's time and not their own; one of them calls the
 * control server.
 */
function watchFrom(plaza: Plaza, control: Control, forMs: number): Promise<[LoadSeen, LoadSeen, LoadSeen]> {
  const order = { port: plaza.port, lanes: 1, pauseMs: 10, forMs };
  return Promise.all([
    runLoad({ ...order, requests: requestsTo(plaza) }),
    runLoad({ ...order, requests: healthRequests }),
    runLoad({ ...order, requests: healthRequests, port: control.port }),
  ]);
}

/** Paths requested from the health listener throughout. */
const probedPaths = ["/healthz", "/readyz", "/metrics"];

/**
 * The rate that Plaza can serve, measured with the same callers and probes as in the storm, since they use
 * the same CPUs.
 */
async function peakOf(plaza: Plaza, control: Control, lanes: number, forMs: number): Promise<LoadSeen> {
  const port = healthPort(plaza);
  const probes = port === undefined ? [] : probedPaths.map((path) => startProbes(port, path));
  const [peak] = await Promise.all([
    runLoad({ port: plaza.port, requests: requestsTo(plaza), lanes, forMs }),
    watchFrom(plaza, control, forMs),
  ]);
  await Promise.all(probes.map((probe) => probe.stop()));
  return peak;
}

const rateOf = (seen: LoadSeen, forMs: number): number => (seen.served / forMs) * 1000;

/** Calls that were neither served completely nor refused correctly. */
function othersOf(seen: LoadSeen): string[] {
  return Object.entries(seen.others).map(([what, count]) => `${count} × ${what}`);
}

function goodputFigure(peak: number, reached: number): Figure {
  return {
    promise: "P20",
    name: `goodput at ${offered} × capacity`,
    reached: `${((reached / peak) * 100).toFixed(0)} % (${reached.toFixed(0)} of ${peak.toFixed(0)} streams a second)`,
    wanted: "≥ 90 % of peak",
    ok: reached >= peak * goodputShareMin,
    kind: "timing",
  };
}

function aliveFigure(plaza: Plaza, resident: number): Figure {
  const isAlive = plaza.running.child.exitCode === null && plaza.running.child.signalCode === null;
  const isFull = /heap out of memory|JavaScript heap/i.test(plaza.logs());
  return {
    promise: "P20",
    name: `never out of memory with a heap of ${heapMb} MB`,
    reached: `${isAlive && !isFull ? "alive" : "dead"}, resident ${showMegabytes(resident)} at most`,
    wanted: "alive",
    ok: isAlive && !isFull,
    kind: "correct",
  };
}

/** The health listener's port; undefined for a build that has none. */
function healthPort(plaza: Plaza): number | undefined {
  const [, port] = /"event":"health_listening","port":(\d+)/.exec(plaza.logs()) ?? [];
  return port === undefined ? undefined : Number(port);
}

/** Figures of an orchestrator and a metrics collector, which use new connections to the health listener. */
function probeFigures(probed: readonly Probed[]): Figure[] {
  return probed.flatMap(({ path, tookMs, failures }) => [
    countFigure("P20", `${path} at the health listener is answered with 200`, tookMs.length, failures),
    boundFigure(
      "P20",
      `${path} at the health listener, on new connections, p99`,
      percentile(tookMs, 99),
      lagMsMax,
    ),
  ]);
}

/** After the storm every call is served again. */
async function recoveryFigure(plaza: Plaza): Promise<Figure> {
  const from = monotonicMs();
  const isServed = async (): Promise<boolean> => {
    const seen = await runLoad({
      port: plaza.port,
      requests: requestsTo(plaza),
      lanes: 20,
      pauseMs: 5,
      forMs: 200,
    });
    return seen.served > 0 && seen.served === seen.asked;
  };
  const isBack = await eventually(isServed, 10_000, 50);
  return {
    promise: "P20",
    name: "serves every call again afterwards",
    reached: isBack ? `after ${((monotonicMs() - from) / 1000).toFixed(1)} s` : "never",
    wanted: "within 10 s",
    ok: isBack,
    kind: "correct",
  };
}

/** Watches the resident size until `work` is done. */
async function withResident<T>(plaza: Plaza, work: Promise<T>): Promise<[T, number]> {
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, residentBytes(plaza.pid));
  }, 500);
  try {
    return [await work, most];
  } finally {
    clearInterval(timer);
  }
}

interface Storm {
  readonly load: LoadSeen;
  readonly caller: LoadSeen;
  readonly health: LoadSeen;
}

/** Figures that do not depend on the machine's speed. */
function countFigures({ load, caller, health }: Storm): Figure[] {
  const asked = load.asked + caller.asked;
  const times = Object.entries(load.retryAfter).map(([seconds, count]) => `${seconds} s × ${count}`);
  const notHealthy = health.served === health.asked ? [] : othersOf(health);
  return [
    countFigure("P20", "calls are served whole or refused with 503 overloaded and Retry-After", asked, [
      ...othersOf(load),
      ...othersOf(caller),
    ]),
    countFigure("P20", "health checks are answered all the while", health.asked, notHealthy),
    {
      promise: "P20",
      name: "calls are refused, and others served",
      reached: `${load.refused} refused (${times.join(", ")}), ${load.served} served, ${load.unsent} not sent`,
      wanted: "some of each, Retry-After 1 to 5 s",
      ok:
        load.refused > 0 &&
        load.served > 0 &&
        Object.keys(load.retryAfter).every((seconds) => Number(seconds) >= 1 && Number(seconds) <= 5),
      kind: "correct",
    },
  ];
}

export const run: Rig = async ({ size }) => {
  const isLong = size === "long";
  const [warmMs, peakMs, stormMs] = isLong ? [6_000, 10_000, longSeconds * 1000] : [500, 1_000, 2_500];
  const upstream = await startCheapUpstream({ events, gapMs });
  const control = await startControl();
  // The short form lowers the limit of concurrent requests so that any machine reaches it; the long form
  // keeps the defaults.
  const env = {
    NODE_OPTIONS: `--max-old-space-size=${heapMb}`,
    ...newSettings({ PLAZA_HEALTH_LISTEN: "127.0.0.1:0" }),
  };
  const plaza = await startPlaza({
    catalog: inAllFormats(oneUpstream(upstream.baseUrl)),
    env: isLong ? env : { ...env, PLAZA_IN_FLIGHT_MAX: "64" },
  });
  try {
    const requests = requestsTo(plaza);
    const { port } = plaza;
    const lanes = isLong ? peakLanes : 32;
    await runLoad({ port, requests, lanes, forMs: warmMs });
    const peak = await peakOf(plaza, control, lanes, peakMs);
    const capacity = rateOf(peak, peakMs);
    // Independent of speed: more callers than slots, each sending calls repeatedly.
    const storming = isLong
      ? { lanes: stormLanes, perSecond: capacity * offered }
      : { lanes: 200, pauseMs: 10 };
    const probing = healthPort(plaza);
    const probes = probing === undefined ? [] : probedPaths.map((path) => startProbes(probing, path));
    const storm = Promise.all([
      runLoad({ port, requests, forMs: stormMs, ...storming }),
      watchFrom(plaza, control, stormMs),
    ]);
    const [[load, [caller, health, idle]], resident] = await withResident(plaza, storm);
    const probed = await Promise.all(probes.map((probe) => probe.stop()));
    const figures = [
      ...countFigures({ load, caller, health }),
      ...probeFigures(probed),
      aliveFigure(plaza, resident),
      await recoveryFigure(plaza),
      goodputFigure(
        capacity,
        (load.perSecond.slice(0, stormMs / 1000).reduce((a, b) => a + b, 0) / stormMs) * 1000,
      ),
      boundFigure(
        "P20",
        "refusals, p99 at a caller of little else",
        percentile(caller.refusedMs, 99),
        refusalMsMax,
      ),
      boundFigure(
        "P20",
        "health checks (the loop's delay from outside), p99",
        percentile(health.servedMs, 99),
        lagMsMax,
      ),
      {
        promise: "P20",
        name: "streams served, median and p99; calls refused at the peak; own delay of the load's thread, p99; the same caller at a server that does nothing, p99",
        reached: `${percentile(peak.servedMs, 50).toFixed(0)} and ${percentile(peak.servedMs, 99).toFixed(0)} ms at the peak, ${percentile(load.servedMs, 50).toFixed(0)} and ${percentile(load.servedMs, 99).toFixed(0)} ms in the storm; ${peak.refused}; ${load.ownLagP99Ms.toFixed(0)} ms; ${percentile(idle.servedMs, 99).toFixed(1)} ms`,
        wanted: "printed only",
        ok: true,
        kind: "timing" as const,
      },
    ];
    if (process.env["P20_LOGS"] !== undefined) process.stdout.write(`${plaza.logs()}\n`);
    return figures;
  } finally {
    await plaza.stop();
    await pause(0);
    await upstream.stop();
    await control.stop();
  }
};
