/**
 * P31: a deploy fails no call. Three processes on one database behind L4 and L7 balancers are restarted one
 * after the other, and the workers of one process are reloaded, while callers without retries use kept and
 * new connections. The rig's own balancers poll readiness; the long form also uses nginx, which does not.
 */
import { rmSync } from "node:fs";
import { oneUpstream } from "../harness/catalog.ts";
import { type Figure, type Rig, zeroFigure } from "../harness/figure.ts";
import { eventually, pause } from "../harness/measure/clock.ts";
import { type Balancer, startL4, startL7 } from "../harness/processes/balancer.ts";
import { requireNginx, startNginxL4, startNginxL7 } from "../harness/processes/nginx.ts";
import { newSettings, type Plaza, startPlaza, temporaryFolder } from "../harness/processes/plaza.ts";
import { closedPort } from "../harness/processes/ports.ts";
import { startUpstreamProcess } from "../harness/processes/upstream-process.ts";
import { type Random, seededRandom } from "../harness/random.ts";
import { type Callers, startCallers } from "./p31-callers.ts";

interface Size {
  readonly lameDuckMs: number;
  readonly rounds: number;
  /** Callers of each kind. */
  readonly lanes: number;
  readonly hasNginx: boolean;
}

const sizes: Readonly<Record<"short" | "long", Size>> = {
  short: { lameDuckMs: 1_000, rounds: 1, lanes: 3, hasNginx: false },
  long: { lameDuckMs: 5_000, rounds: 8, lanes: 6, hasNginx: true },
};

/** The rig measures effects of a deploy only; on two cores the rig itself makes processes late. */
const env = (size: Size): Record<string, string> => ({
  ...newSettings({ PLAZA_LAME_DUCK_MS: String(size.lameDuckMs) }),
  PLAZA_LOOP_LAG_MAX_MS: "60s",
});

async function judged(groups: readonly Callers[], what: string): Promise<Figure[]> {
  await Promise.all(groups.map((group) => group.stop()));
  return groups.map((group) =>
    zeroFigure("P31", `failed calls at ${what}, ${group.name}`, group.calls(), group.failures),
  );
}

interface Named {
  readonly name: string;
  readonly balancer: Balancer;
}

/** The balancers of a run; a required nginx that is missing is a missed figure. */
async function startBalancers(
  ports: readonly number[],
  { hasNginx, lameDuckMs }: Size,
): Promise<{ balancers: Named[]; missing: Figure[] }> {
  const balancers = [
    { name: "an L4 balancer", balancer: await startL4(ports) },
    { name: "an L7 balancer", balancer: await startL7(ports) },
  ];
  const nginx = hasNginx ? requireNginx() : undefined;
  if (nginx === undefined) return { balancers, missing: [] };
  if (typeof nginx === "string") {
    const name = "failed calls at a rolling restart of three behind nginx";
    return { balancers, missing: [zeroFigure("P31", name, 0, [`not run: ${nginx}`])] };
  }
  const keptSeconds = lameDuckMs / 1000 - 1;
  balancers.push({ name: "nginx as L4", balancer: await startNginxL4(nginx, ports) });
  balancers.push({ name: "nginx as L7", balancer: await startNginxL7(nginx, ports, keptSeconds) });
  return { balancers, missing: [] };
}

/** Restarts three processes one after the other, each on its port, `rounds` times. */
async function rollingRestart(baseUrl: string, size: Size, random: Random): Promise<Figure[]> {
  const folder = temporaryFolder();
  const ports = [await closedPort(), await closedPort(), await closedPort()];
  const serve = (port: number, isBare: boolean): Promise<Plaza> =>
    startPlaza({
      catalog: oneUpstream(baseUrl),
      folder,
      env: env(size),
      isBare,
      serve: ["--port", String(port)],
    });
  const plazas: Plaza[] = [];
  const started: Named[] = [];
  try {
    for (const port of ports) plazas.push(await serve(port, plazas.length > 0));
    const key = plazas[0]?.key ?? "";
    const { balancers, missing } = await startBalancers(ports, size);
    started.push(...balancers);
    // Wait until both balancers have found all three.
    await pause(500);
    const groups = balancers.flatMap(({ name: behind, balancer: { port } }) =>
      [true, false].map((isKept) => {
        const name = `${isKept ? "kept" : "fresh"} connections behind ${behind}`;
        return startCallers({ name, port, key, isKept, lanes: size.lanes, random });
      }),
    );
    for (let round = 0; round < size.rounds; round++) {
      for (const [slot, port] of ports.entries()) {
        await plazas[slot]?.running.stop("SIGTERM", 60_000);
        plazas[slot] = await serve(port, true);
        await pause(300);
      }
    }
    return [...(await judged(groups, `a rolling restart of three, ${size.rounds} times`)), ...missing];
  } finally {
    await Promise.all(started.map(({ balancer }) => balancer.close()));
    await Promise.all(plazas.map((plaza) => plaza.running.stop("SIGINT", 60_000)));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reloads three workers by SIGHUP, `rounds` times. */
async function reload(baseUrl: string, size: Size, random: Random): Promise<Figure[]> {
  const plaza = await startPlaza({ catalog: oneUpstream(baseUrl), workers: 3, env: env(size) });
  const reloads = (): number => plaza.logs().match(/"event":"reloaded"/g)?.length ?? 0;
  try {
    const { port, key } = plaza;
    const groups = [true, false].map((isKept) =>
      startCallers({
        name: `${isKept ? "kept" : "fresh"} connections`,
        port,
        key,
        isKept,
        lanes: size.lanes * 2,
        random,
      }),
    );
    for (let round = 0; round < size.rounds; round++) {
      plaza.running.child.kill("SIGHUP");
      const isGone = (): boolean =>
        plaza.running.child.exitCode !== null || plaza.running.child.signalCode !== null;
      await eventually(() => reloads() > round || isGone(), 200_000);
      if (reloads() > round) continue;
      groups[0]?.failures.push("the reload never ended");
      break;
    }
    return await judged(groups, `a reload of three workers, ${size.rounds} times`);
  } finally {
    plaza.running.child.kill("SIGINT");
    await plaza.stop();
  }
}

export const run: Rig = async ({ size, seed }) => {
  const random = seededRandom(seed);
  const upstream = await startUpstreamProcess();
  try {
    return [
      ...(await rollingRestart(upstream.baseUrl, sizes[size], random.fork("restart"))),
      ...(await reload(upstream.baseUrl, sizes[size], random.fork("reload"))),
    ];
  } finally {
    await upstream.stop();
  }
};
