/**
 * P06: an aborted call costs its actual usage, and its row states whether that is exact or estimated. Callers
 * disconnect at every phase, at every endpoint, from upstreams of every format; rows are compared with the
 * upstream's count. Each call has its own key, so that its row is found even without a request id.
 */

import { inAllFormats, spokenName } from "../harness/catalog.ts";
import {
  bodyFor,
  type EndpointName,
  endpointNames,
  pathOf,
  type Route,
  routeFor,
} from "../harness/endpoints.ts";
import { countFigure, type Figure, type Rig, zeroFigure } from "../harness/figure.ts";
import { inParallel, post } from "../harness/http-client.ts";
import { eventually, pause } from "../harness/measure/clock.ts";
import { readReportedText } from "../harness/money/calls.ts";
import { leakFigure } from "../harness/money/leaks.ts";
import type { RequestSeen } from "../harness/money/ledger-reader.ts";
import { costOf, type MoneyKey, moneyCatalog, withMoney } from "../harness/money/money.ts";
import { addFresh, freshModel } from "../harness/processes/fresh-upstreams.ts";
import { type Random, seededRandom } from "../harness/random.ts";
import { readSeen } from "../harness/seen-tokens.ts";
import type { CallRecord } from "../upstream/journal.ts";
import { type Leaving, type Phase, phases } from "./p06-phases.ts";

const recordedWithinMs = 15_000;
const words = "How many of these words will have to be paid for? ".repeat(4);
const maxTokens = 500;
/** Members that hold the prompt. */
const promptMembers = ["messages", "input", "contents"];

/** The product's estimate for the prompt of a body: its text at four bytes a token. */
export function promptTokensOf(body: string): number {
  const members = Object.entries(JSON.parse(body) as object);
  const prompt = members.find(([name]) => promptMembers.includes(name))?.[1];
  return Math.ceil(Buffer.byteLength(JSON.stringify(prompt)) / 4);
}
/** The text of all upstream errors: hundreds of tokens, if it were counted. */
const errorTexts = ["All of this is an error and nobody shall pay for any word of it. ".repeat(40)];

/** One call with its result. */
export interface Left {
  readonly id: string;
  readonly phase: Phase;
  readonly keyId: string;
  readonly route: Route;
  /** The estimate for its prompt. The upstream reports as many, so that totals match. */
  readonly promptTokens: number;
  /** Content tokens that the caller received. */
  readonly seenTokens: number;
}

/** The body of a call whose plan has the prompt tokens that are estimated for it. */
function bodyWith({ endpoint }: Route, { id, phase, model }: Case, { plan }: Leaving) {
  let promptTokens = 0;
  for (let turn = 0; turn < 10; turn++) {
    const call = {
      model,
      isStream: phase.isStream,
      maxTokens,
      plan: { ...plan, promptTokens, id },
      text: words,
    };
    const body = bodyFor(endpoint, call);
    const estimate = promptTokensOf(body);
    if (estimate === promptTokens) return { path: pathOf(endpoint, call), body, promptTokens };
    promptTokens = estimate;
  }
  throw new Error("no prompt size is its own estimate");
}

async function leave(origin: string, one: Case, leaving: Leaving): Promise<Left> {
  const { id, phase, route, key } = one;
  const { path, body, promptTokens } = bodyWith(route, one, leaving);
  const parts: Buffer[] = [];
  const seen = await post({
    url: origin + path,
    key: key.secret,
    body,
    withinMs: 20_000,
    onRequest: (call) => {
      // Counted from sending the request: an unsent request cannot have a row.
      const { afterMs } = leaving;
      if (afterMs !== undefined) call.once("finish", () => pause(afterMs).then(() => call.destroy()));
    },
    onArrival: ({ bytes }, call) => {
      parts.push(bytes);
      if (leaving.until?.(readSeen(Buffer.concat(parts))) === true) call.destroy();
    },
  });
  return { id, phase, keyId: key.id, route, promptTokens, seenTokens: readSeen(seen.body).tokens };
}

/** One call with its row and the upstream's record. */
export interface Accounted {
  readonly left: Left;
  readonly row: RequestSeen;
  /** The upstream's final record; undefined when the call did not reach it. */
  readonly record: CallRecord | undefined;
}

/**
 * True for a row that says exactly what the upstream had done when it ended the stream itself with an error:
 * Gemini's format says with each piece what it did so far.
 */
const isToldToTheEnd = ({ left, row, record }: Accounted): boolean =>
  left.route.spoken === "gemini" &&
  left.phase.isStream &&
  row.source === "exact" &&
  row.input === left.promptTokens &&
  row.output === record?.tokens;

/** Describes what is wrong with a row; undefined = correct. Pure. */
export function judgeRow({ left, row, record }: Accounted): string | undefined {
  const emitted = record?.tokens ?? 0;
  if (record === undefined)
    return row.source === "none" && row.charge === 0n ? undefined : "charged without a call";
  const isTold = isToldToTheEnd({ left, row, record });
  if (!isTold && !left.phase.sources.includes(row.source as Phase["sources"][number]))
    return `source ${row.source}`;
  const cost = row.source === "none" ? 0n : costOf(row);
  if (row.charge !== cost) return `charge ${row.charge} where its tokens cost ${cost}`;
  if (row.source === "none") return row.input + row.output === 0 ? undefined : "tokens without a source";
  if (isTold) return undefined;
  if (row.source === "exact") {
    const usage = readReportedText(record?.usage);
    const isEqual = usage?.input === row.input && usage.output === row.output;
    return isEqual
      ? undefined
      : `exact with ${row.input} + ${row.output} tokens, the upstream said ${record?.usage}`;
  }
  if (row.input !== left.promptTokens) return `a prompt of ${left.promptTokens} estimated as ${row.input}`;
  if (row.output < left.seenTokens) return `${row.output} tokens, the caller saw ${left.seenTokens}`;
  if (row.output > emitted * 1.02) return `${row.output} tokens, the upstream emitted ${emitted}`;
  if (left.phase.isStill && Math.abs(row.output - emitted) > emitted * 0.02) {
    return `${row.output} tokens, the silent upstream had emitted ${emitted}`;
  }
  return undefined;
}

function estimateFigure(all: readonly Accounted[]): Figure {
  const estimated = all.filter(({ row }) => row.source !== "exact");
  let emitted = 0;
  let off = 0;
  for (const { row, record } of estimated) {
    emitted += record?.tokens ?? 0;
    off += Math.abs(row.output - (record?.tokens ?? 0));
  }
  const share = emitted === 0 ? Number.NaN : (off / emitted) * 100;
  return {
    promise: "P06",
    name: "output of rows that are not exact, beside the upstream's count (sum of differences)",
    reached: `${share.toFixed(2)} % of ${emitted} tokens off in ${estimated.length} rows`,
    wanted: "≤ 2 %",
    ok: share <= 2,
    kind: "correct",
  };
}

/** Pairs calls with rows and upstream records; reports calls without exactly one row. */
function account(lefts: readonly Left[], rows: readonly RequestSeen[], calls: readonly CallRecord[]) {
  const rowsOf = Map.groupBy(rows, (row) => row.keyId);
  const callsOf = Map.groupBy(calls, (call) => call.id);
  const all: Accounted[] = [];
  const wrong: string[] = [];
  for (const left of lefts) {
    const own = rowsOf.get(left.keyId) ?? [];
    const [row] = own;
    if (row === undefined || own.length > 1)
      wrong.push(`${left.phase.name}: ${own.length} rows (${left.id})`);
    else all.push({ left, row, record: callsOf.get(left.id)?.at(-1) });
  }
  return { all, wrong };
}

function rowFigures(all: readonly Accounted[]): Figure[] {
  const misses = all.flatMap((one) => {
    const why = judgeRow(one);
    return why === undefined
      ? []
      : [
          `${one.left.phase.name}: ${why} (${one.left.id}, ${one.left.route.endpoint} of ${one.left.route.spoken})`,
        ];
  });
  const errors = all.filter(({ left }) => left.phase.name.includes("an error"));
  const billed = errors.filter(({ row, left, record }) => {
    const most = left.phase.sources.includes("none") ? 0 : (record?.tokens ?? 0);
    return row.output > most || (most === 0 && row.charge !== 0n);
  });
  const unused = phases
    .filter((phase) => !all.some(({ left }) => left.phase === phase))
    .map(({ name }) => name);
  return [
    countFigure("P06", "rows say what was used, and how that is known", all.length, misses),
    zeroFigure(
      "P06",
      "error text billed",
      errors.length,
      billed.map(({ left, row }) => `${left.phase.name}: ${row.output} tokens, ${row.charge} nano-dollars`),
    ),
    countFigure("P06", "phases with calls that reached the upstream", phases.length, unused),
  ];
}

/** A call to be made. */
interface Planned {
  readonly id: string;
  readonly phase: Phase;
  readonly route: Route;
  readonly model: string;
}

interface Case extends Planned {
  readonly key: MoneyKey;
  readonly random: Random;
}

/** Upstream errors that never reached the upstream. */
function unheard(all: readonly Accounted[]): string[] {
  return all
    .filter(({ left, record }) => left.phase.isFresh === true && record === undefined)
    .map(({ left }) => `${left.phase.name} (${left.id})`);
}

const chatOnly: Route = { endpoint: "chat", spoken: "chat" };

/** The calls, and how many upstreams of their own those of each format need. */
function planCalls(rounds: number, seed: number) {
  const fresh: Record<EndpointName, number> = { chat: 0, responses: 0, messages: 0, gemini: 0 };
  const calls = Array.from({ length: rounds * phases.length }, (_, index): Planned => {
    const id = `p06-${index}`;
    const phase = phases[index % phases.length] as Phase;
    const route = phase.isOfChat === true ? chatOnly : routeFor(id, seed);
    const { spoken } = route;
    const usual = spokenName(phase.model ?? "rig-model", spoken);
    return { id, phase, route, model: phase.isFresh === true ? freshModel(usual, fresh[spoken]++) : usual };
  });
  return { calls, fresh };
}

export const run: Rig = ({ size, seed, database }) => {
  const { calls, fresh } = planCalls(size === "long" ? 134 : 10, seed);
  const count = calls.length;
  // Of the format of the call only: a catalog has at most 1,000 upstreams.
  const catalog = (baseUrl: string) =>
    endpointNames.reduce(
      (all, spoken) => addFresh(all, spokenName("rig-model", spoken), fresh[spoken]),
      inAllFormats(moneyCatalog(baseUrl, undefined)),
    );
  return withMoney({ seed, database, leaks: errorTexts, catalog }, async (stage) => {
    const random = seededRandom(seed);
    const plaza = await stage.serve();
    const accountId = await stage.createAccount(1_000_000_000_000n);
    const cases: Case[] = [];
    for (const call of calls)
      cases.push({ ...call, key: await stage.createKey(accountId), random: random.fork(call.id) });
    const lefts = await inParallel(cases, 20, (one) => leave(plaza.origin, one, one.phase.make(one.random)));
    await eventually(async () => (await stage.reader.requests()).length >= count, recordedWithinMs, 100);
    await eventually(async () => (await stage.upstream.state()).active.length === 0, recordedWithinMs, 100);
    const { all, wrong } = account(lefts, await stage.reader.requests(), stage.calls());
    return [
      countFigure("P06", "aborted calls have exactly one row", count, wrong),
      ...rowFigures(all),
      estimateFigure(all),
      zeroFigure("P06", "errors that the upstream was never asked for", all.length, unheard(all)),
      zeroFigure("P06", "the ledger added up again (ledger verify)", 1, await stage.verify()),
      await leakFigure(stage, { size, killed: 0 }),
    ];
  });
};
