/**
 * P15: every upstream fault gives a prompt, correct error in the caller's format, and the right charge. Runs
 * the cells of `p15-table.ts` in seeded order, each on another route every round, compares each with its
 * expectation, then checks the ledger. The long form also kills the process during the run.
 */

import { type EndpointName, endpointNames } from "../harness/endpoints.ts";
import {
  countFigure,
  type Figure,
  percentile,
  type Rig,
  type RigOptions,
  showMs,
  zeroFigure,
} from "../harness/figure.ts";
import { inParallel, post, type Seen } from "../harness/http-client.ts";
import { pause } from "../harness/measure/clock.ts";
import { lostWithin, type Stall, type StallWatch, startStallWatch } from "../harness/measure/stall-watch.ts";
import { type CompletedAnswer, completedAnswer } from "../harness/money/calls.ts";
import { conservationFigure, watchConservation } from "../harness/money/conservation.ts";
import { leakFigure } from "../harness/money/leaks.ts";
import { type MoneyKey, type MoneyStage, withMoney } from "../harness/money/money.ts";
import { judgeCharges, reconcile, reconcileFigures } from "../harness/money/reconcile.ts";
import { findRow } from "../harness/money/request-row.ts";
import { untilSettled } from "../harness/money/settled.ts";
import type { Plaza } from "../harness/processes/plaza.ts";
import { blackHole, closedPort } from "../harness/processes/ports.ts";
import { type Progress, startProgress } from "../harness/progress.ts";
import { type Random, seededRandom } from "../harness/random.ts";
import type { CallRecord } from "../upstream/journal.ts";
import { type CellCall, catalogOf, requestOf } from "./p15-cells.ts";
import { type Cell, onRoute, routes } from "./p15-formats.ts";
import { type CellSeen, describeCell, judgeCell, latenessMs } from "./p15-judge.ts";
import { moreTable } from "./p15-more-table.ts";
import { cellName, cellsOf, isHeavy, isSound, isWaiting, table } from "./p15-table.ts";

const promise = "P15";
const firstPrompt = 1_000;
/** Successful calls before each round, because a new process is slow at first. */
const warmCalls = 100;

interface Form {
  /** Of each part. */
  readonly rounds: number;
  readonly kills: number;
  /** Formats of upstreams, part by part: a catalog can hold a thousand upstreams. */
  readonly parts: readonly (readonly EndpointName[])[];
  /** Most routes of a cell in a part, one each round. */
  readonly routes: number;
  /** Number of concurrent cells, not counting cells that only wait and cells that transfer megabytes. */
  readonly width: number;
  /** Allowed lateness of an answer after its deadline, in milliseconds. */
  readonly marginMs: number;
}

/** The short form runs beside other tests, so its bound only finds calls that hang. */
const forms: Readonly<Record<RigOptions["size"], Form>> = {
  short: { rounds: 1, kills: 0, parts: [endpointNames], routes: 1, width: 8, marginMs: 2_000 },
  long: {
    rounds: 15,
    kills: 5,
    parts: [
      ["chat", "messages"],
      ["responses", "gemini"],
    ],
    routes: routes.length,
    width: 4,
    marginMs: 250,
  },
};

/** Each cell of the table on its routes, in the order of the rounds. */
type RoutedCells = readonly (readonly Cell[])[];

interface Matrix {
  readonly stage: MoneyStage;
  readonly cells: RoutedCells;
  readonly key: MoneyKey;
  readonly random: Random;
  readonly answers: CompletedAnswer[];
  calls: number;
}

/** The result of one call, before the upstream's journal is read. */
interface Sighting extends Omit<CellSeen, "calls"> {
  /** The call was late during a stall of the machine and was repeated. */
  readonly isRepeated?: true;
}

/** Maximum repetitions of a cell because of machine stalls; after that its lateness counts. */
const repeatsMax = 3;

/** Sound calls are made on all routes, before each round. */
function cellsOnRoutes(random: Random, spoken: readonly EndpointName[], count: number): RoutedCells {
  const possible = routes.filter((route) => spoken.includes(route.spoken));
  return [...cellsOf(table), ...cellsOf(moreTable)].map((cell) => {
    const own = random.fork(cellName(cell)).shuffle(possible);
    return own.slice(0, isSound(cell) ? own.length : count).map((route) => onRoute(cell, route));
  });
}

const cellsOfRound = ({ cells }: Matrix, turn: number): Cell[] =>
  cells.flatMap((own) => own[turn % own.length] ?? []);

function callOf(matrix: Matrix, cell: Cell): CellCall {
  const number = matrix.calls++;
  const prompt = firstPrompt + number;
  const { random } = matrix;
  return { cell, id: `p15-${number}`, prompt, cached: random.int(0, prompt), tokens: random.int(4, 60) };
}

async function ask(matrix: Matrix, plaza: Plaza, cell: Cell): Promise<CellCall & { readonly seen: Seen }> {
  const call = callOf(matrix, cell);
  const { path, body } = requestOf(call);
  const seen = await post({
    url: plaza.origin + path,
    key: matrix.key.secret,
    body,
    withinMs: 40_000,
  });
  const answer = completedAnswer(seen);
  if (answer !== undefined) matrix.answers.push(answer);
  return { ...call, seen };
}

/**
 * Runs each of these cells once, after some successful calls. Cells that wait run in parallel; cells that
 * transfer megabytes run one by one.
 */
async function round(
  matrix: Matrix,
  plaza: Plaza,
  width: number,
  which: readonly Cell[],
): Promise<Sighting[]> {
  const cells = matrix.random.shuffle(which);
  const look = async (cell: Cell): Promise<Sighting> => {
    const { seen, ...call } = await ask(matrix, plaza, cell);
    return { call, seen, row: await findRow(plaza.origin, matrix.key.secret, seen) };
  };
  const sound = matrix.cells.flat().filter(isSound);
  await inParallel(Array.from({ length: warmCalls }), width, (_, index) =>
    look(sound[index % sound.length] as Cell),
  );
  const waiting = cells.filter(isWaiting);
  const others = cells.filter((cell) => !isWaiting(cell) && !isHeavy(cell));
  const quick = await Promise.all([
    inParallel(waiting, waiting.length, look),
    inParallel(others, width, look),
  ]);
  return [...quick.flat(), ...(await inParallel(cells.filter(isHeavy), 1, look))];
}

/**
 * True when a cell was late only because the machine stalled: without the time lost while it ran, it would
 * have met its deadline.
 */
export function isMachineLate(one: CellSeen, marginMs: number, stalls: readonly Stall[]): boolean {
  const beyondMs = latenessMs(one) - marginMs;
  return beyondMs > 0 && lostWithin(stalls, one.seen.sentAt, one.seen.endedAt) >= beyondMs;
}

const withCalls = (sightings: readonly Sighting[], calls: readonly CallRecord[]) => {
  const callsOf = Map.groupBy(calls, ({ id }) => id);
  return sightings.map((one) => ({ ...one, calls: callsOf.get(one.call.id) ?? [] }));
};

/**
 * Runs a round, then repeats the cells that were late because of machine stalls, with a new process each
 * time.
 */
async function steadyRound(
  matrix: Matrix,
  plaza: Plaza,
  form: Form,
  stallWatch: StallWatch,
  turn: number,
): Promise<Sighting[]> {
  const done: Sighting[] = [];
  let latest = await round(matrix, plaza, form.width, cellsOfRound(matrix, turn));
  for (let repeats = 0; ; repeats++) {
    const stalls = await stallWatch.stalls();
    const calls = matrix.stage.calls();
    const late = new Set(
      withCalls(latest, calls)
        .filter((one) => isMachineLate(one, form.marginMs, stalls))
        .map((one) => one.call.id),
    );
    if (late.size === 0 || repeats === repeatsMax) return [...done, ...latest];
    const isLate = (one: Sighting): boolean => late.has(one.call.id);
    done.push(...latest.map((one): Sighting => (isLate(one) ? { ...one, isRepeated: true } : one)));
    const again = await matrix.stage.serve();
    latest = await round(
      matrix,
      again,
      form.width,
      latest.filter(isLate).map((one) => one.call.cell),
    );
    await again.running.stop("SIGTERM", 20_000);
  }
}

function judgeRounds(
  sightings: readonly Sighting[],
  calls: readonly CallRecord[],
  form: Form,
  stalls: readonly Stall[],
): Figure[] {
  const all = withCalls(sightings, calls);
  const judged = all.map((one) => ({ isListed: one.call.cell.fault in table, wrong: judgeCell(one) }));
  const count = (name: string, isListed: boolean): Figure => {
    const these = judged.filter((one) => one.isListed === isListed);
    const wrong = these.map((one) => one.wrong).filter((one) => one !== undefined);
    return { ...countFigure(promise, name, these.length, wrong), misses: [...new Set(wrong)] };
  };
  const timed = all.filter((one) => one.isRepeated !== true);
  const lateness = timed.map(latenessMs);
  const late = timed.flatMap((one, index) =>
    (lateness[index] ?? 0) > form.marginMs
      ? [`${describeCell(one.call.cell)}: ${showMs(lateness[index] ?? 0)} after its deadline`]
      : [],
  );
  const most = percentile(lateness, 100);
  return [
    count("cells of the 38 faults as written down", true),
    count("cells of further faults as written down", false),
    {
      ...zeroFigure(
        promise,
        `later than deadline + ${form.marginMs} ms (p50 ${showMs(percentile(lateness, 50))}, p99 ${showMs(percentile(lateness, 99))}, most ${showMs(most)}; ${all.length - timed.length} repeated, the machine stood still ${stalls.length} times, most ${showMs(Math.max(0, ...stalls.map(({ lostMs }) => lostMs)))})`,
        timed.length,
        late,
      ),
      kind: form.marginMs < 1_000 ? "timing" : "correct",
    },
  ];
}

/** Repeats all cells while the process is killed at random times and replaced. */
async function killRounds(matrix: Matrix, form: Form): Promise<{ broken: number; findings: string[] }> {
  const { stage, random } = matrix;
  let broken = 0;
  let isOver = false;
  let plaza: Plaza | undefined = await stage.serve();
  const cells = matrix.cells.flat().filter((cell) => !isHeavy(cell));
  const lane = async (lot: Random): Promise<void> => {
    while (!isOver) {
      if (plaza === undefined) {
        await pause(10);
        continue;
      }
      const { seen } = await ask(matrix, plaza, lot.pick(cells));
      if (!seen.isWhole) broken++;
    }
  };
  const lanes = Array.from({ length: 16 }, (_, index) => lane(random.fork(`lane-${index}`)));
  const findings: string[] = [];
  for (let kill = 0; kill < form.kills; kill++) {
    await pause(random.int(400, 1_500));
    const victim: Plaza = plaza;
    plaza = undefined;
    await victim.running.stop("SIGKILL");
    findings.push(...(await stage.verify()).map((finding) => `after kill ${kill}: ${finding}`));
    plaza = await stage.serve();
  }
  isOver = true;
  await Promise.all(lanes);
  return { broken, findings };
}

/** The process ran from the first cell to the last, and its log has only its own lines. */
async function judgeLife(plaza: Plaza, name: string): Promise<string[]> {
  const wrong: string[] = [];
  if (plaza.running.child.exitCode !== null || plaza.running.child.signalCode !== null) {
    wrong.push(`${name}: the process ended`);
  } else if (!(await plaza.isServing())) wrong.push(`${name}: not ready`);
  const alarms = plaza.logs().match(/uncaught|unhandled|request_broke|internal_error/gi) ?? [];
  return [...wrong, ...alarms.map((alarm) => `${name}: ${alarm} in the log`)];
}

/** `P15_ROUNDS` shortens the long form, including its kills. */
function formOf(size: RigOptions["size"]): Form {
  const form = forms[size];
  const rounds = Math.ceil(Number(process.env["P15_ROUNDS"] ?? 30) / form.parts.length);
  return size === "short" ? form : { ...form, rounds, kills: Math.min(form.kills, rounds) };
}

export const run: Rig = async (options) => {
  const form = formOf(options.size);
  const figures: Figure[] = [];
  for (const spoken of form.parts) figures.push(...(await runPart(options, form, spoken)));
  return figures;
};

async function runPart(
  { size, seed, database }: RigOptions,
  form: Form,
  spoken: readonly EndpointName[],
): Promise<Figure[]> {
  const random = seededRandom(seed);
  const cells = cellsOnRoutes(random, spoken, form.routes);
  const closed = await closedPort();
  const hole = await blackHole();
  const catalog = (baseUrl: string) => {
    const elsewhere: Readonly<Record<string, string>> = {
      refuse: `http://127.0.0.1:${closed}/v1`,
      black_hole: `http://127.0.0.1:${hole.port}/v1`,
      plain_for_tls: baseUrl.replace("http:", "https:"),
    };
    return catalogOf(cells.flat(), ({ fault }) => elsewhere[fault] ?? baseUrl, baseUrl);
  };
  const progress = startProgress({
    rig: promise,
    estimateMs: form.rounds * 10_000 + form.kills * 10_000,
    isShown: size === "long",
  });
  try {
    return await withMoney({ seed, database, catalog }, (stage) =>
      suffer(stage, { form, size, cells, random, progress }),
    );
  } finally {
    await hole.close();
  }
}

interface Plan {
  readonly form: Form;
  readonly size: RigOptions["size"];
  readonly cells: RoutedCells;
  readonly random: Random;
  readonly progress: Progress;
}

async function suffer(stage: MoneyStage, { form, size, cells, random, progress }: Plan): Promise<Figure[]> {
  const key = await stage.createKey(await stage.createAccount(1_000_000_000_000n));
  const matrix: Matrix = { stage, cells, key, random, answers: [], calls: 0 };
  const watch = watchConservation(stage.reader, 100);
  const stallWatch = await startStallWatch();
  const sightings: Sighting[] = [];
  const deaths: string[] = [];
  for (let turn = 1; turn <= form.rounds; turn++) {
    progress.begin(`round ${turn}`);
    // A new process each round, because health state persists.
    const plaza = await stage.serve();
    sightings.push(...(await steadyRound(matrix, plaza, form, stallWatch, turn - 1)));
    deaths.push(...(await judgeLife(plaza, `round ${turn}`)));
    if (turn < form.rounds || form.kills > 0) await plaza.running.stop("SIGTERM", 20_000);
  }
  const stalls = await stallWatch.stalls();
  await stallWatch.stop();
  if (form.kills > 0) progress.begin(`${form.kills} kills`);
  const killed = form.kills === 0 ? { broken: 0, findings: [] } : await killRounds(matrix, form);
  await untilSettled(stage, matrix.answers);
  const leaks = await leakFigure(stage, { size, killed: form.kills });
  const watched = await watch.stop();
  const rows = await stage.reader.requests();
  const calls = stage.calls();
  const { trapHits } = await stage.upstream.state();
  return [
    ...judgeRounds(sightings, calls, form, stalls),
    zeroFigure(promise, "processes that ended, or broke inside", form.rounds, deaths),
    zeroFigure(promise, "redirects followed", form.rounds, trapHits === 0 ? [] : [`${trapHits} hits`]),
    ...(form.kills === 0 ? [] : [killFigure(form, killed.broken)]),
    ...judgeCharges(matrix.answers, rows, await stage.reader.charges()),
    ...reconcileFigures(reconcile(rows, calls)),
    zeroFigure("P04", "the ledger added up again (ledger verify)", form.kills + 1, [
      ...killed.findings,
      ...(await stage.verify()),
    ]),
    conservationFigure("P01", watched),
    leaks,
  ];
}

function killFigure({ kills }: Form, broken: number): Figure {
  return {
    promise,
    name: `${kills} kills in the middle of the matrix`,
    reached: `${broken} answers cut off`,
    wanted: "some",
    ok: broken > 0,
    kind: "correct",
  };
}
