/**
 * P17: deployments are ejected only for their own faults, and return. Thousands of client errors do not eject
 * them, a flapping upstream is ejected and returns, one that is healthy only for probes affects few callers,
 * and when all are broken every request still reaches one.
 */

import { type EndpointName, endpointNames } from "../harness/endpoints.ts";
import { countFigure, type Figure, type Rig, zeroFigure } from "../harness/figure.ts";
import { inParallel } from "../harness/http-client.ts";
import { eventually, monotonicMs, pause } from "../harness/measure/clock.ts";
import {
  type Answered,
  formatOf,
  type TwoUpstreams,
  withTwoUpstreams,
} from "../harness/processes/two-upstreams.ts";

/**
 * A recovered deployment is used again within this time; before that it is tried at most this often
 * (docs/operate/routing.md).
 */
const backWithinMs = 10_000;
const trialEveryMs = 8_000;

/** Upstream statuses for client errors. */
const callerMade = [
  "status_400",
  "status_400_context",
  "status_400_filter",
  "status_413",
  "status_422",
] as const;

/** What a call got that should have been answered. */
const refusal = ({ status, spoken, body }: Answered): string[] =>
  status === 200 ? [] : [`status ${status} from ${spoken}: ${body.toString("utf8", 0, 200)}`];

/** The formats whose upstreams are now so. */
const isInAll = (formats: Iterable<EndpointName>): boolean => new Set(formats).size === endpointNames.length;

/** Log lines about ejected deployments or credentials. */
function ejections({ plaza }: TwoUpstreams, from = 0): string[] {
  return plaza
    .logs()
    .slice(from)
    .split("\n")
    .filter((line) => /"(?:deployment_(?:ejected|resting)|credential_(?:out|resting))"/.test(line));
}

/** The formats of the first upstream's deployments in these lines: as their ids end (`spokenName`). */
const ejected = (lines: readonly string[]): EndpointName[] =>
  lines.map((line) => endpointNames.find((name) => line.includes(`first-${name}`)) ?? "chat");

async function callersFaults(stage: TwoUpstreams, count: number): Promise<Figure[]> {
  const from = stage.plaza.logs().length;
  const answers = await inParallel(Array.from({ length: count }), 16, (_, index) =>
    stage.ask("both", { fault: callerMade[index % callerMade.length] ?? "" }),
  );
  const others = answers
    .filter(({ status }) => status < 400 || status > 499)
    .map(({ status }) => `status ${status}`);
  const had = (await stage.second.calls()).length;
  // Enough for each format's model to earn the extra attempts back that 413 spends: it is tried elsewhere.
  const sound = await inParallel(Array.from({ length: 200 }), 4, () => stage.ask("both"));
  const strayed = (await stage.second.calls()).length - had;
  return [
    countFigure("P17", "caller-made faults answered as such", count, others),
    zeroFigure("P17", "ejections for faults of callers", count, ejections(stage, from)),
    countFigure(
      "P17",
      "afterwards the first deployment serves",
      sound.length,
      Array.from({ length: strayed }, () => "went to the second one"),
    ),
  ];
}

/**
 * Sends about twenty requests per second on all routes, from many users, until stopped; resolves with the
 * answers.
 */
function keepAsking(stage: TwoUpstreams): { stop: () => Promise<Answered[]> } {
  let isOver = false;
  const answers: Answered[] = [];
  const asking = (async () => {
    while (!isOver) {
      answers.push(await stage.ask("both", {}, `user-${answers.length % 97}`));
      await pause(50);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await asking;
      return answers;
    },
  };
}

async function flap(stage: TwoUpstreams, round: number): Promise<Figure[]> {
  const from = stage.plaza.logs().length;
  const lane = keepAsking(stage);
  await stage.first.setPlan({ fault: "status_500_body" });
  const isOut = await eventually(() => isInAll(ejected(ejections(stage, from))), 10_000);
  await stage.first.setPlan({ fault: "" });
  const mendedAt = monotonicMs();
  let backAt = Number.POSITIVE_INFINITY;
  await eventually(
    async () => {
      const served = (await stage.first.calls()).filter(
        ({ fault, end, acceptedAt }) => fault === "" && end === "finished" && acceptedAt > mendedAt,
      );
      const firsts = endpointNames.map((name) => served.find((call) => formatOf(call) === name)?.acceptedAt);
      backAt = Math.max(...firsts.map((at) => at ?? Number.POSITIVE_INFINITY));
      return Number.isFinite(backAt);
    },
    3 * backWithinMs,
    100,
  );
  const answers = await lane.stop();
  const refused = answers.flatMap(refusal);
  const tookMs = backAt - mendedAt;
  return [
    {
      promise: "P17",
      name: `flap ${round}: a broken deployment is ejected`,
      reached: isOut ? "yes" : "no",
      wanted: "yes",
      ok: isOut,
      kind: "correct",
    },
    countFigure("P17", `flap ${round}: calls answered meanwhile`, answers.length, refused),
    {
      promise: "P17",
      name: `flap ${round}: back after it was mended`,
      reached: `${(tookMs / 1_000).toFixed(1)} s`,
      wanted: `≤ ${backWithinMs / 1_000} s, a probe interval`,
      ok: tookMs <= backWithinMs,
      kind: "correct",
    },
  ];
}

/**
 * Probes succeed and calls fail: counts the callers' calls that go there, and checks that all are answered.
 */
async function onlyLooksWell(stage: TwoUpstreams, forMs: number): Promise<Figure[]> {
  const from = stage.plaza.logs().length;
  const lane = keepAsking(stage);
  await stage.first.setPlan({ fault: "status_500_body" });
  await eventually(() => isInAll(ejected(ejections(stage, from))), 10_000);
  // Calls in progress have ended by then, and no trial has begun.
  await pause(1_000);
  const had = (await stage.first.calls()).length;
  await pause(forMs);
  const trials = Map.groupBy((await stage.first.calls()).slice(had), formatOf);
  const answers = await lane.stop();
  await stage.first.setPlan({ fault: "" });
  const hasty = endpointNames.flatMap((name) => {
    const times = (trials.get(name) ?? []).map(({ acceptedAt }) => acceptedAt);
    const early = times.slice(1).filter((at, index) => at - (times[index] ?? 0) < trialEveryMs - 100);
    const isTried = times.length >= Math.floor(forMs / backWithinMs);
    return [...early.map((at) => `${name}: one at ${at}`), ...(isTried ? [] : [`${name}: hardly tried`])];
  });
  const count = [...trials.values()].flat().length;
  return [
    zeroFigure("P17", `only looks well: trials (${count}) less than 8 s apart in a format`, count, hasty),
    countFigure("P17", "only looks well: calls answered meanwhile", answers.length, answers.flatMap(refusal)),
  ];
}

async function allBroken(stage: TwoUpstreams, count: number): Promise<Figure[]> {
  await stage.setFault("status_500_body");
  const missed: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const had = (await stage.first.state()).accepted + (await stage.second.state()).accepted;
    await stage.ask("both");
    const has = (await stage.first.state()).accepted + (await stage.second.state()).accepted;
    if (has === had) missed.push(`request ${index} reached nobody`);
  }
  await stage.setFault("");
  const { status } = await stage.ask("both");
  return [
    countFigure("P17", "all are broken: requests that reach one", count, missed),
    countFigure(
      "P17",
      "all are mended: the next call is answered",
      1,
      status === 200 ? [] : [`status ${status}`],
    ),
  ];
}

export const run: Rig = ({ size, seed }) =>
  withTwoUpstreams(seed, async (stage) => {
    const figures = await callersFaults(stage, size === "long" ? 10_000 : 500);
    const rounds = size === "long" ? 6 : 1;
    for (let round = 1; round <= rounds; round += 1) figures.push(...(await flap(stage, round)));
    figures.push(...(await onlyLooksWell(stage, size === "long" ? 90_000 : 14_000)));
    figures.push(...(await allBroken(stage, size === "long" ? 300 : 60)));
    return figures;
  });
