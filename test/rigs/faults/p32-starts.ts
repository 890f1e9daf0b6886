/**
 * The start-up part of P32: processes get SIGTERM while they start, with one process and with workers, while
 * callers use new connections without retries. Open connections are answered, and the process exits with
 * status 0.
 */
import { rmSync } from "node:fs";
import { oneUpstream } from "../harness/catalog.ts";
import { type Figure, zeroFigure } from "../harness/figure.ts";
import { post } from "../harness/http-client.ts";
import { eventually, monotonicMs, pause } from "../harness/measure/clock.ts";
import { newSettings, plazaScript, startPlaza, temporaryFolder } from "../harness/processes/plaza.ts";
import { closedPort } from "../harness/processes/ports.ts";
import { nodeBinary, startProcess } from "../harness/processes/processes.ts";
import type { Random } from "../harness/random.ts";

export interface Starts {
  /** Number of starts stopped soon after the first connection, with one process and with two workers. */
  readonly serving: number;
  /** Number of starts stopped at a random time, most of them before the process listens. */
  readonly early: number;
}

/** A call without an end after this time counts as hanging. */
const hangMs = 20_000;
/** A start takes about a second. */
const startMsMax = 1_500;
/** The second worker listens within this time of the first. */
const servingMsMax = 600;
const endMs = 20_000;
const lanes = 6;
/** Share of the starts stopped while serving in which calls must have been answered. */
const shareMin = 0.95;

const env = { PLAZA_LOOP_LAG_MAX_MS: "60s", ...newSettings({ PLAZA_LAME_DUCK_MS: "200" }) };
const body = JSON.stringify({
  model: "rig-model",
  messages: [{ role: "user", content: "hello" }],
  x_rig: { tokens: 2 },
});

interface Kind {
  readonly name: string;
  readonly words: readonly string[];
}

const kinds: readonly Kind[] = [
  { name: "one process", words: [] },
  { name: "two workers", words: ["--workers", "2"] },
];

/** The result of one start. */
interface Outcome {
  readonly misses: string[];
  /** Calls whose connection was accepted. */
  calls: number;
}

/** Sends calls on new connections until `isOver`. */
async function ask(port: number, key: string, outcome: Outcome, isOver: () => boolean): Promise<void> {
  const url = `http://127.0.0.1:${port}/v1/chat/completions`;
  while (!isOver()) {
    const seen = await post({ url, key, body, withinMs: hangMs });
    if (/ECONNREFUSED/.test(seen.problem)) {
      await pause(2);
      continue;
    }
    outcome.calls += 1;
    if (seen.status !== 200 || !seen.isWhole)
      outcome.misses.push(
        `a call got ${seen.status} ${seen.problem} after ${(seen.endedAt - seen.sentAt).toFixed(0)} ms`,
      );
  }
}

/** Starts, waits for `instant` (given the outcome so far), sends SIGTERM and waits for the exit. */
async function stoppedStart(
  folder: string,
  key: string,
  { words }: Kind,
  instant: (outcome: Outcome) => Promise<unknown>,
): Promise<Outcome> {
  const port = await closedPort();
  const startedAt = monotonicMs();
  const running = startProcess(
    nodeBinary,
    [plazaScript, "serve", "--host", "127.0.0.1", "--port", String(port), "--data", folder, ...words],
    env,
  );
  let isEnded = false;
  void running.ended.then(() => {
    isEnded = true;
  });
  const outcome: Outcome = { misses: [], calls: 0 };
  const asking = Array.from({ length: lanes }, () => ask(port, key, outcome, () => isEnded));
  await instant(outcome);
  running.child.kill("SIGTERM");
  if (!(await eventually(() => isEnded, endMs))) outcome.misses.push("did not end");
  await running.stop("SIGKILL");
  await Promise.all(asking);
  if (running.hasLeftOthers()) outcome.misses.push("left processes behind");
  const { exitCode, signalCode } = running.child;
  // Before the process runs its first line of code, it cannot handle signals, and no call can be lost.
  const isDefault = signalCode === "SIGTERM" && outcome.calls === 0;
  if (exitCode !== 0 && !isDefault) {
    const afterMs = (monotonicMs() - startedAt).toFixed(0);
    outcome.misses.push(
      `status ${exitCode} ${signalCode} after ${afterMs} ms: ${running.stderr().slice(-300)}`,
    );
  }
  return outcome;
}

interface Sum {
  readonly misses: string[];
  calls: number;
  /** Number of starts with calls. */
  withCalls: number;
}

function add(sum: Sum, { misses, calls }: Outcome, what: string): void {
  sum.misses.push(...misses.map((miss) => `${what}: ${miss}`));
  sum.calls += calls;
  if (calls > 0) sum.withCalls += 1;
}

const emptySum = (): Sum => ({ misses: [], calls: 0, withCalls: 0 });

function lostFigure(starts: number, what: string, when: string, { misses, calls }: Sum): Figure {
  const name = `calls lost, ends with an error or no end, over ${starts} starts of ${what} told to stop ${when} (${calls} calls)`;
  return zeroFigure("P32", name, starts, misses);
}

function callsFigure(starts: number, what: string, { withCalls }: Sum): Figure {
  return {
    promise: "P32",
    name: `starts of ${what} told to stop while they serve in which calls were made`,
    reached: `${withCalls} of ${starts}`,
    wanted: `≥ ${shareMin * 100} %`,
    ok: starts > 0 && withCalls >= starts * shareMin,
    kind: "correct",
  };
}

async function startsOf(
  kind: Kind,
  folder: string,
  key: string,
  size: Starts,
  random: Random,
): Promise<Figure[]> {
  const early = emptySum();
  const serving = emptySum();
  for (let index = 0; index < size.early; index++) {
    const afterMs = random.int(0, startMsMax);
    const outcome = await stoppedStart(folder, key, kind, () => pause(afterMs));
    add(early, outcome, `SIGTERM ${afterMs} ms after the start`);
  }
  for (let index = 0; index < size.serving; index++) {
    const afterMs = random.int(0, servingMsMax);
    const outcome = await stoppedStart(folder, key, kind, async (soFar) => {
      await eventually(() => soFar.calls > 0, endMs, 2);
      await pause(afterMs);
    });
    add(serving, outcome, `SIGTERM ${afterMs} ms after the first call`);
  }
  return [
    lostFigure(size.early, kind.name, "at any instant", early),
    lostFigure(size.serving, kind.name, "while they serve", serving),
    callsFigure(size.serving, kind.name, serving),
  ];
}

/** Runs all starts one after the other, on one data folder. */
export async function starts(baseUrl: string, size: Starts, random: Random): Promise<Figure[]> {
  const folder = temporaryFolder();
  try {
    const first = await startPlaza({ catalog: oneUpstream(baseUrl), folder });
    await first.stop();
    const figures: Figure[] = [];
    for (const kind of kinds)
      figures.push(...(await startsOf(kind, folder, first.key, size, random.fork(kind.name))));
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
