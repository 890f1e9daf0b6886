/**
 * P26: hostile HTTP and JSON are cheap to refuse. Every case is sent as raw bytes. Its response must be the
 * expected one, other callers must not wait, and refusing must not cost memory.
 */

import { readErrorBody } from "../harness/endings.ts";
import { pathOf } from "../harness/endpoints.ts";
import {
  boundFigure,
  countFigure,
  type Figure,
  type Rig,
  showMegabytes,
  showMs,
  zeroFigure,
} from "../harness/figure.ts";
import { post } from "../harness/http-client.ts";
import { monotonicMs, pause } from "../harness/measure/clock.ts";
import { type Pinger, startPinger } from "../harness/measure/pinger.ts";
import type { Plaza } from "../harness/processes/plaza.ts";
import { isAlive, watchResident } from "../harness/processes/proc.ts";
import { warmUp } from "../harness/processes/warm.ts";
import { withPlazaApart } from "../harness/processes/with-plaza.ts";
import { errorCode, type RawSeen, sendRaw } from "../harness/raw-client.ts";
import { largeFormatCases, oddFormatCases } from "./hostile/format-cases.ts";
import { chatPath, elsewhere, goodBody, type HostileCase } from "./p26-case.ts";
import { codingCases, heavyCodingCases } from "./p26-coding-cases.ts";
import { httpCases } from "./p26-http-cases.ts";
import { bombs, heavyCases, jsonCases } from "./p26-json-cases.ts";
import { slowCases } from "./p26-slow-cases.ts";

/** Statuses of what is refused at any endpoint alike. */
const anywhere = [400, 413, 415, 431];
const paths = [
  chatPath,
  ...(["responses", "messages", "gemini"] as const).map((name) =>
    pathOf(name, { model: "rig-model", isStream: false }),
  ),
];

/** The cases of one round: one after the other at another endpoint, where they are refused alike. */
const spread = (cases: readonly HostileCase[], round: number): HostileCase[] =>
  cases.map((one, index) => {
    const path = paths[(index + round) % paths.length] ?? chatPath;
    const isAlike = one.statuses.every((status) => anywhere.includes(status));
    return isAlike && path !== chatPath ? elsewhere(one, path) : one;
  });

const stallMaxMs = 50;
/** The promised limit; the short form allows twice that, because its Plaza is still growing its heap. */
const residentGrowthMax = 64 * 1024 * 1024;
/** A stall caused by Plaza recurs; one caused by the machine does not. */
const stallTries = 4;

/** Describes what is wrong with the response to a case; undefined = as expected. Pure. */
export function judgeCase(one: HostileCase, seen: RawSeen): string | undefined {
  const final = seen.answers.find((answer) => answer.status !== 100);
  const status = final?.status ?? 0;
  const wanted = one.statuses.map((allowed) => (allowed === 0 ? "closed" : allowed)).join(" or ");
  if (!one.statuses.includes(status)) {
    const got = seen.bytes.toString("latin1").slice(0, 60);
    return `${one.name}: status ${status}, wanted ${wanted} (${JSON.stringify(got)} ${seen.problem})`;
  }
  if (status === 0 && Number.isNaN(seen.closedAfterMs)) return `${one.name}: no answer and not closed`;
  if (final !== undefined && status >= 400) {
    const code =
      one.endpoint === undefined
        ? errorCode(final.body)
        : readErrorBody(one.endpoint, Buffer.from(final.body))?.code;
    if (code === undefined) return `${one.name}: status ${status} without the error shape`;
    if (one.codes !== undefined && !one.codes.includes(code))
      return `${one.name}: code ${code}, wanted ${one.codes.join(" or ")}`;
    if (!/^x-request-id: \S+/im.test(final.head)) return `${one.name}: no x-request-id`;
  }
  if (one.closesWithinMs !== undefined && !(seen.closedAfterMs <= one.closesWithinMs)) {
    const when = Number.isNaN(seen.closedAfterMs) ? "never" : `after ${showMs(seen.closedAfterMs)}`;
    return `${one.name}: closed ${when}, wanted ≤ ${one.closesWithinMs} ms`;
  }
  return undefined;
}

function play(plaza: Plaza, one: HostileCase): Promise<RawSeen> {
  return sendRaw({
    port: plaza.port,
    pieces: one.pieces(plaza.key),
    withinMs: one.closesWithinMs === undefined ? 8000 : one.closesWithinMs + 2500,
    halfClose: one.halfClose,
    ...(one.closesWithinMs === undefined
      ? { answersMax: one.statuses[0] === 200 && one.name.startsWith("Expect: ") ? 2 : 1 }
      : {}),
  });
}

interface Played {
  readonly misses: string[];
  readonly stalls: { readonly name: string; readonly ms: number }[];
}

/** Runs cases one after another, watching for stalls. */
async function playAll(plaza: Plaza, pinger: Pinger, cases: readonly HostileCase[]): Promise<Played> {
  const played: Played = { misses: [], stalls: [] };
  for (const one of cases) {
    let stall = Number.POSITIVE_INFINITY;
    for (let turn = 0; turn < stallTries && stall > stallMaxMs; turn++) {
      const from = monotonicMs();
      const seen = await play(plaza, one);
      await pause(8);
      stall = Math.min(stall, await pinger.longestSince(from));
      const why = turn === 0 ? judgeCase(one, seen) : undefined;
      if (why !== undefined) played.misses.push(why);
    }
    played.stalls.push({ name: one.name, ms: stall });
  }
  return played;
}

function stallFigure(name: string, stalls: Played["stalls"]): Figure {
  const worst = [...stalls].sort((left, right) => right.ms - left.ms);
  const figure = boundFigure("P26", name, worst[0]?.ms ?? Number.NaN, stallMaxMs);
  return {
    ...figure,
    misses: worst
      .filter((one) => one.ms > stallMaxMs)
      .slice(0, 10)
      .map((one) => `${one.name}: ${showMs(one.ms)}`),
  };
}

/** Memory while every bomb, including compressed ones, is refused one after another. */
async function memoryOfBombs(plaza: Plaza, growthMax: number): Promise<Figure> {
  const resident = watchResident(plaza.pid, 20);
  for (const one of [...bombs, ...codingCases]) await play(plaza, one);
  const { first, peak } = resident.stop();
  return {
    promise: "P26",
    name: "memory growth while refusing bombs",
    reached: showMegabytes(peak - first),
    wanted: `≤ ${showMegabytes(growthMax)}`,
    ok: peak - first <= growthMax,
    kind: "correct",
  };
}

/** Runs slow clients in parallel; the figure is the longest connection time. */
async function playSlow(plaza: Plaza): Promise<Figure[]> {
  const seen = await Promise.all(slowCases.map(async (one) => ({ one, seen: await play(plaza, one) })));
  const misses = seen.map(({ one, seen: what }) => judgeCase(one, what)).filter((why) => why !== undefined);
  return [countFigure("P26", "slow clients are answered or closed, ≤ 5.5 s", slowCases.length, misses)];
}

export const run: Rig = ({ size, seed }) =>
  withPlazaApart({}, async (plaza, upstream) => {
    await warmUp(plaza, size === "long" ? 40_000 : 3000);
    const memory = await memoryOfBombs(plaza, size === "long" ? residentGrowthMax : 2 * residentGrowthMax);
    const rounds = size === "long" ? 20 : 1;
    const refusals = [...httpCases, ...jsonCases, ...codingCases];
    const pinger = startPinger(plaza.port);
    const figures: Figure[] = [];
    const callsBefore = (await upstream.state()).accepted;
    const refused: Played = { misses: [], stalls: [] };
    for (let round = 0; round < rounds; round++) {
      const played = await playAll(plaza, pinger, spread(refusals, round + seed));
      refused.misses.push(...played.misses);
      refused.stalls.push(...played.stalls);
    }
    const calls = (await upstream.calls()).slice(callsBefore);
    const turn = size === "long" ? undefined : seed;
    const odd = oddFormatCases(turn);
    const inFormats = await playAll(plaza, pinger, odd);
    const large = [...heavyCases, ...heavyCodingCases, ...largeFormatCases(turn)];
    const heavy = await playAll(plaza, pinger, large);
    await pinger.stop();
    const wrongModel = calls
      .filter((call) => call.bodyLength > 1024 * 1024)
      .map((call) => `a body of ${call.bodyLength} bytes reached the upstream`);
    figures.push(
      countFigure(
        "P26",
        "hostile requests get the answer written down",
        refusals.length * rounds,
        refused.misses,
      ),
      countFigure(
        "P26",
        "hostile bodies of every format are served or refused by name",
        odd.length,
        inFormats.misses,
      ),
      countFigure("P26", "large allowed requests are served", large.length, heavy.misses),
      zeroFigure("P26", "refused bombs that reached the upstream", refusals.length, wrongModel),
      memory,
      ...(await playSlow(plaza)),
      stallFigure("loop stall by a refused request", refused.stalls),
      stallFigure("loop stall by a hostile body of a format", inFormats.stalls),
      stallFigure("loop stall by a large allowed request", heavy.stalls),
    );
    const after = await post({ url: plaza.chatUrl, key: plaza.key, body: goodBody });
    const isUp = isAlive(plaza.pid) && after.status === 200;
    figures.push(countFigure("P26", "Plaza serves afterwards", 1, isUp ? [] : [`status ${after.status}`]));
    return figures;
  });
