/**
 * P34: the hold covers what is served, whatever the spelling of the request. Requests that try to get more
 * than they appear to ask for, from accounts with five cents, against an upstream that serves and bills the
 * most each could mean; then disconnecting callers, whose charges are compared with the upstream's count.
 */

import { inAllFormats, type RigCatalog, spokenName } from "../harness/catalog.ts";
import { endpointNames, type Route } from "../harness/endpoints.ts";
import { countFigure, type Figure, type Rig, zeroFigure } from "../harness/figure.ts";
import { inParallel, post } from "../harness/http-client.ts";
import { eventually } from "../harness/measure/clock.ts";
import { type MoneyStage, withMoney } from "../harness/money/money.ts";
import type { Plaza } from "../harness/processes/plaza.ts";
import { type Random, seededRandom } from "../harness/random.ts";
import { attackNames, makeAttack } from "./p34-attacks.ts";
import { startGreedy } from "./p34-greedy.ts";
import { leavingFigures } from "./p34-leaving.ts";
import { leavingUpstream } from "./p34-leaving-streams.ts";

/** NanoUsd: five cents. */
const balance = 50_000_000n;
const callsEach = 3;

/** One account after its calls. */
export interface Outcome {
  readonly name: string;
  readonly body: string;
  readonly isOrdinary: boolean;
  readonly statuses: readonly number[];
  /** NanoUsd. */
  readonly billed: bigint;
  readonly paid: bigint;
}

/** Describes the operator's loss; undefined = none. */
export function judgeLoss({ name, billed, paid, body }: Outcome): string | undefined {
  if (billed <= paid) return undefined;
  return `${name}: billed ${billed}, paid ${paid}: ${body.slice(0, 200)}`;
}

/** Checks the answers: ordinary requests are served, others served or refused with a named field. */
export function judgeAnswers({ name, isOrdinary, statuses, body }: Outcome): string | undefined {
  const wanted = isOrdinary ? [200] : [200, 400, 402];
  const odd = statuses.find((status) => !wanted.includes(status));
  return odd === undefined ? undefined : `${name}: status ${odd}: ${body.slice(0, 200)}`;
}

function catalog(baseUrl: string): RigCatalog {
  const deployments = [{ upstream: "main", model: "upstream-model" }];
  const price = { input: "0.25", output: "2.00", audioInput: "10.00", audioOutput: "40.00" };
  return inAllFormats({
    upstreams: [{ id: "main", baseUrl }],
    models: [
      { id: "rig-model", deployments, facts: { price } },
      { id: "dear-model", deployments, facts: { price } },
      { id: "rig-thinker", deployments: [{ upstream: "main", model: "thinker" }] },
    ],
  });
}

interface Case {
  readonly index: number;
  readonly name: string;
  readonly route: Route;
  readonly random: Random;
}

/** Every kind of every endpoint in each round, half of them at upstreams of the endpoint's format. */
function casesOf(rounds: number, seed: number): Case[] {
  const random = seededRandom(seed);
  const kinds = endpointNames.flatMap((endpoint) =>
    attackNames(endpoint).map((name) => ({ endpoint, name })),
  );
  return Array.from({ length: rounds * kinds.length }, (_, index) => {
    const { endpoint, name } = kinds[index % kinds.length] as (typeof kinds)[number];
    const own = random.fork(`p34-${index}`);
    const spoken = own.chance(0.5) ? endpoint : own.pick(endpointNames);
    return { index, name, route: { endpoint, spoken }, random: own };
  });
}

async function attack(
  stage: MoneyStage,
  plaza: Plaza,
  one: Case,
  bills: ReadonlyMap<string, bigint>,
): Promise<Outcome> {
  const mark = `mark-${one.index}-`;
  const { endpoint, spoken } = one.route;
  const asked = { endpoint, name: one.name, model: spokenName("rig-model", spoken) };
  const attacked = makeAttack(asked, mark, one.random);
  const made = { ...attacked, name: `${attacked.name}, of ${spoken}` };
  const account = await stage.createAccount(balance);
  const key = await stage.createKey(account);
  const statuses: number[] = [];
  for (let call = 0; call < callsEach; call += 1) {
    const seen = await post({
      url: plaza.origin + made.path,
      key: key.secret,
      body: made.body,
      withinMs: 20_000,
    });
    statuses.push(seen.status);
  }
  // The five cents may not suffice for repeated ordinary requests.
  const first = made.isOrdinary ? statuses.slice(0, 1) : statuses;
  await eventually(async () => (await sumsOf(stage, account)).leased === 0n, 15_000, 200);
  const sums = await sumsOf(stage, account);
  return { ...made, statuses: first, billed: bills.get(mark) ?? 0n, paid: balance - sums.balance };
}

async function sumsOf(stage: MoneyStage, id: string) {
  const found = (await stage.reader.accounts()).find((account) => account.id === id);
  if (found === undefined) throw new Error(`no account ${id}`);
  return found;
}

const found = (outcomes: readonly Outcome[], judge: (one: Outcome) => string | undefined): string[] =>
  outcomes.map(judge).filter((why) => why !== undefined);

export const run: Rig = async ({ size, seed, database }) => {
  const rounds = size === "long" ? 40 : 2;
  const greedy = await startGreedy(leavingUpstream);
  try {
    return await withMoney({ seed, database, catalog: () => catalog(greedy.baseUrl) }, async (stage) => {
      const plaza = await stage.serve();
      const cases = casesOf(rounds, seed);
      const outcomes = await inParallel(cases, 24, (one) => attack(stage, plaza, one, greedy.bills));
      const ordinary = outcomes.filter(({ isOrdinary }) => isOrdinary);
      const kinds = new Set(ordinary.map(({ name }) => name));
      for (const { name, statuses } of ordinary) if (statuses.includes(200)) kinds.delete(name);
      const figures: Figure[] = [
        zeroFigure(
          "P34",
          "requests that cost the operator more than was paid",
          cases.length,
          found(outcomes, judgeLoss),
        ),
        countFigure(
          "P34",
          "requests served, or refused by name",
          cases.length,
          found(outcomes, judgeAnswers),
        ),
        countFigure(
          "P34",
          "kinds of ordinary requests that were served",
          new Set(ordinary.map(({ name }) => name)).size,
          [...kinds],
        ),
      ];
      return [
        ...figures,
        ...(await leavingFigures(stage, plaza, { rounds: size === "long" ? 10 : 1, seed })),
      ];
    });
  } finally {
    await greedy.close();
  }
};
