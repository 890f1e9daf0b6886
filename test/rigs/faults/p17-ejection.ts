/**
 * P17: deployments are ejected only for their own faults, and return. Thousands of client errors do not eject
 * them, a flapping upstream is ejected and returns, one that is healthy only for probes affects few callers,
 * and when all are broken every request still reaches one.
 */

import { countFigure, type Figure, type Rig, zeroFigure } from "../harness/figure.ts";
import { inParallel, type Seen } from "../harness/http-client.ts";
import { eventually, monotonicMs, pause } from "../harness/measure/clock.ts";
import { chatCalls, type TwoUpstreams, withTwoUpstreams } from "../harness/processes/two-upstreams.ts";

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

/** Log lines about ejected deployments or credentials. */
function ejections({ plaza }: TwoUpstreams, from = 0): string[] {
  return plaza
    .logs()
    .slice(from)
    .split("\n")
    .filter((line) => /"(?:deployment_(?:ejected|resting)|credential_(?:out|resting))"/.test(line));
}

async function callersFaults(stage: TwoUpstreams, count: number): Promise<Figure[]> {
  const from = stage.plaza.logs().length;
  const answers = await inParallel(Array.from({ length: count }), 16, (_, index) =>
    stage.ask("both", { fault: callerMade[index % callerMade.length] }),
  );
  const others = answers
    .filter(({ status }) => status < 400 || status > 499)
    .map(({ status }) => `status ${status}`);
  const had = (await chatCalls(stage.second)).length;
  const sound = await inParallel(Array.from({ length: 50 }), 4, () => stage.ask("both"));
  const strayed = (await chatCalls(stage.second)).length - had;
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

/** Sends about twenty requests per second, from many users, until stopped; resolves with the answers. */
function keepAsking(stage: TwoUpstreams): { stop: () => Promise<Seen[]> } {
  let isOver = false;
  const answers: Seen[] = [];
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
  const isOut = await eventually(() => ejections(stage, from).length > 0, 10_000);
  await stage.first.setPlan({ fault: "" });
  const mendedAt = monotonicMs();
  let backAt = Number.POSITIVE_INFINITY;
  await eventually(
    async () => {
      const calls = await chatCalls(stage.first);
      const served = calls.find(
        ({ fault, end, acceptedAt }) => fault === "" && end === "finished" && acceptedAt > mendedAt,
      );
      if (served !== undefined) backAt = served.acceptedAt;
      return served !== undefined;
    },
    3 * backWithinMs,
    100,
  );
  const answers = await lane.stop();
  const refused = answers.filter(({ status }) => status !== 200).map(({ status }) => `status ${status}`);
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
  await eventually(() => ejections(stage, from).length > 0, 10_000);
  // Calls in progress have ended by then, and no trial has begun.
  await pause(1_000);
  const had = (await chatCalls(stage.first)).length;
  await pause(forMs);
  const trials = (await chatCalls(stage.first)).slice(had).map(({ acceptedAt }) => acceptedAt);
  const answers = await lane.stop();
  await stage.first.setPlan({ fault: "" });
  const hasty = trials.slice(1).filter((at, index) => at - (trials[index] ?? 0) < trialEveryMs - 100);
  return [
    zeroFigure("P17", `only looks well: trials (${trials.length}) less than 8 s apart`, trials.length, [
      ...hasty.map((at) => `one at ${at}`),
      ...(trials.length >= Math.floor(forMs / backWithinMs) ? [] : ["it was hardly tried"]),
    ]),
    countFigure(
      "P17",
      "only looks well: calls answered meanwhile",
      answers.length,
      answers.filter(({ status }) => status !== 200).map(({ status }) => `status ${status}`),
    ),
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

export const run: Rig = ({ size }) =>
  withTwoUpstreams(async (stage) => {
    const figures = await callersFaults(stage, size === "long" ? 10_000 : 500);
    const rounds = size === "long" ? 6 : 1;
    for (let round = 1; round <= rounds; round += 1) figures.push(...(await flap(stage, round)));
    figures.push(...(await onlyLooksWell(stage, size === "long" ? 90_000 : 14_000)));
    figures.push(...(await allBroken(stage, size === "long" ? 300 : 60)));
    return figures;
  });
