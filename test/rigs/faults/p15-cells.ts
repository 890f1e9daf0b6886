/**
 * Makes the call of one cell of P15's table and checks the result: the response, the request record, and the
 * upstream's journal. Each cell has its own upstream, because health state persists between calls.
 */
import type { RigCatalog } from "../harness/catalog.ts";
import type { Seen } from "../harness/http-client.ts";
import { costOf, firstModel } from "../harness/money/money.ts";
import { eventJson, inBandError, isComment, isDone, splitEvents } from "../harness/sse.ts";
import type { CallRecord } from "../upstream/journal.ts";
import {
  type Cell,
  cellName,
  type Expected,
  isSound,
  isUnreached,
  isWaiting,
  shortTimers,
} from "./p15-table.ts";

/** Timeouts of deployments that must answer, or fail in another way, even on a busy machine. */
const patientTimers = { connect: "5s", firstToken: "20s", idle: "20s", total: "30s" };
const impatientTimers = {
  connect: `${shortTimers.connect}ms`,
  firstByte: `${shortTimers.firstByte}ms`,
  firstToken: `${shortTimers.firstToken}ms`,
  idle: `${shortTimers.idle}ms`,
  total: `${shortTimers.total}ms`,
};

/** One model and one upstream per cell, and one healthy upstream as fallback for all. */
export function catalogOf(
  cells: readonly Cell[],
  baseUrlOf: (cell: Cell) => string,
  soundUrl: string,
): RigCatalog {
  return {
    upstreams: [
      { id: "sound", baseUrl: soundUrl, timeouts: patientTimers },
      ...cells.map((cell) => ({ id: cellName(cell), baseUrl: baseUrlOf(cell), timeouts: patientTimers })),
    ],
    models: cells.map((cell) => ({
      id: cellName(cell),
      deployments: [
        {
          upstream: cellName(cell),
          model: firstModel,
          ...(isWaiting(cell) ? { timeouts: impatientTimers } : {}),
        },
        ...(cell.hasFallback ? [{ upstream: "sound", model: "upstream-model" }] : []),
      ],
    })),
  };
}

/** A cell with its upstream's instructions. */
export interface CellCall {
  readonly cell: Cell;
  readonly id: string;
  /** Tokens; unique per call, to identify it. */
  readonly prompt: number;
  readonly cached: number;
  readonly tokens: number;
}

const messages = JSON.stringify([{ role: "user", content: "What is wrong with you? ".repeat(20) }]);

export function bodyOf({ cell, id, prompt, cached, tokens }: CellCall): string {
  const rig = {
    id,
    // The counting upstream cannot play these faults.
    fault: isUnreached(cell) || isSound(cell) ? "" : cell.fault,
    faultModel: firstModel,
    promptTokens: prompt,
    cachedTokens: cached,
    tokens,
  };
  const stream = cell.isStream ? `,"stream":true,"stream_options":{"include_usage":true}` : "";
  return `{"model":"${cellName(cell)}","messages":${messages}${stream},"max_tokens":200,"x_rig":${JSON.stringify(rig)}}`;
}

/** The fields of `GET /v1/requests/{id}` that the table checks. */
export interface RowSeen {
  readonly status: number;
  readonly state: string;
  readonly error_code: string | null;
  readonly usage: { readonly source: string } | null;
  readonly charge: string;
  readonly attempts: readonly { readonly outcome: string }[];
}

/** Parses US dollars to NanoUsd. */
export function nanosOf(dollars: string): bigint {
  const match = /^(\d+)(?:\.(\d{1,9}))?$/.exec(dollars);
  if (match === null) throw new RangeError(`not an amount: ${dollars}`);
  return BigInt(match[1] ?? "0") * 1_000_000_000n + BigInt((match[2] ?? "").padEnd(9, "0"));
}

/** Everything observed about one finished call. */
export interface CellSeen {
  readonly call: CellCall;
  readonly seen: Seen;
  /** A text explains why there is no row. */
  readonly row: RowSeen | string;
  /** The calls that the counting upstream recorded for it. */
  readonly calls: readonly CallRecord[];
}

/** The content the caller received: bytes of text, and events with content. */
interface Content {
  readonly bytes: number;
  readonly events: number;
}

interface Choice {
  readonly delta?: { readonly content?: unknown };
  readonly message?: { readonly content?: unknown };
}

function textOf(value: unknown): string {
  const choices = (value as { choices?: unknown } | undefined)?.choices;
  const [choice] = (Array.isArray(choices) ? choices : []) as Choice[];
  const text = choice?.delta?.content ?? choice?.message?.content;
  return typeof text === "string" ? text : "";
}

function contentOf(isStream: boolean, body: Buffer): Content {
  const values = isStream ? splitEvents(body).map(eventJson) : [jsonOf(body)];
  const texts = values.map(textOf).filter((text) => text !== "");
  return { bytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0), events: texts.length };
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** The expected charge: none, the upstream's reported usage, or an estimate as in billing.md. */
function chargeOf({ cell, prompt, cached, tokens }: CellCall, content: Content): bigint {
  const { charge } = cell.expected;
  if (charge === "none") return 0n;
  if (charge === "exact") return costOf({ input: prompt, cachedInput: cached, output: tokens });
  const output = cell.isStream ? content.events : Math.ceil(content.bytes / 4);
  return costOf({ input: Math.ceil(Buffer.byteLength(messages) / 4), output });
}

/** The bytes that the fault `invalid_utf8` writes. */
const brokenUtf8 = Buffer.from([0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80]);

type Compare = (what: string, seen: unknown, wanted: unknown) => void;

function judgeError(compare: Compare, expected: Expected, { headers, body }: Seen): void {
  const events = splitEvents(body);
  const error = expected.isInBand
    ? inBandError(events.at(-1) ?? Buffer.alloc(0))
    : (jsonOf(body) as { error?: Record<string, unknown> } | undefined)?.error;
  compare("error code", error?.code, expected.error?.code);
  compare("error type", error?.type, expected.error?.type);
  compare(
    "error's keys",
    Object.keys(error ?? {})
      .sort()
      .join(),
    "code,message,param,type",
  );
  compare("error has a text", typeof error?.message === "string" && error.message !== "", true);
  if (expected.isInBand) {
    compare("[DONE] after an error", events.some(isDone), false);
    return;
  }
  if (expected.shouldRetry !== undefined) {
    compare("x-should-retry", headers["x-should-retry"], String(expected.shouldRetry));
  }
  judgeWait(compare, expected, headers);
}

function judgeWait(
  compare: Compare,
  { status, shouldRetry, retryAfter }: Expected,
  headers: Seen["headers"],
): void {
  const told = headers["retry-after"];
  if (retryAfter === undefined) {
    // A retryable 503 without an upstream Retry-After has a default of its own (contract/error-wire.ts).
    if (!(status === 503 && shouldRetry === true)) compare("Retry-After", told, undefined);
    return;
  }
  const [least, most] = retryAfter;
  compare(
    `Retry-After ${told} within ${least} to ${most}`,
    Number(told) >= least && Number(told) <= most,
    true,
  );
  compare("retry-after-ms rounded up", Math.ceil(Number(headers["retry-after-ms"]) / 1_000), Number(told));
}

function judgeAnswer(compare: Compare, call: CellCall, seen: Seen, content: Content): void {
  const { cell, tokens } = call;
  const events = splitEvents(seen.body).filter((piece) => !isComment(piece));
  if (cell.fault === "invalid_utf8") compare("bytes as they came", seen.body.includes(brokenUtf8), true);
  if (cell.isStream) {
    compare("[DONE] at the end", isDone(events.at(-1) ?? Buffer.alloc(0)), true);
    // The fault replaces all content, including the empty content of the first event.
    compare("content events", content.events, cell.fault === "invalid_utf8" ? tokens + 1 : tokens);
    compare("errors in the stream", events.filter((piece) => inBandError(piece) !== undefined).length, 0);
  } else {
    compare("content in the answer", content.bytes > 0, true);
    compare("x-plaza-charge", seen.headers["x-plaza-charge"] !== undefined, true);
  }
}

function judgeRow(compare: Compare, { call, seen, row }: CellSeen, content: Content): void {
  const { expected } = call.cell;
  if (typeof row === "string") {
    compare("row", row, "one");
    return;
  }
  compare("row's state", row.state, expected.state);
  compare("row's status", row.status, expected.status);
  compare("row's error", row.error_code, expected.recordedAs ?? expected.error?.code ?? null);
  compare("attempts", row.attempts.length, expected.attempts);
  compare("source of usage", row.usage?.source ?? "none", expected.charge);
  const charge = chargeOf(call, content);
  compare("charge", nanosOf(row.charge), charge);
  const told = seen.headers["x-plaza-charge"];
  if (told !== undefined) compare("charge told", nanosOf(String(told)), charge);
}

/** Milliseconds of delay by the upstreams themselves; the answer cannot end earlier. */
function upstreamMs(calls: readonly CallRecord[]): number {
  return calls.reduce(
    (sum, { end, acceptedAt, endedAt }) =>
      end === "finished" || end === "cut" ? sum + (endedAt ?? acceptedAt) - acceptedAt : sum,
    0,
  );
}

/**
 * Milliseconds by which the answer exceeded the table's deadline plus the upstreams' own time; negative =
 * early.
 */
export function latenessMs({ call, seen, calls }: CellSeen): number {
  return seen.endedAt - seen.sentAt - call.cell.expected.deadlineMs - upstreamMs(calls);
}

/** Describes what is wrong with a cell, except lateness. Pure. */
export function judgeCell(one: CellSeen): string | undefined {
  const { call, seen, calls } = one;
  const { cell } = call;
  const { expected } = cell;
  const wrong: string[] = [];
  const compare: Compare = (what, is, wanted) => {
    if (is !== wanted) wrong.push(`${what}: ${String(is)}, wanted ${String(wanted)}`);
  };
  compare("status", seen.status, expected.status);
  compare("answer ends as HTTP should", seen.isWhole, true);
  compare("before its timer ran out", seen.endedAt - seen.sentAt < expected.earliestMs, false);
  const content = contentOf(cell.isStream, seen.body);
  if (expected.error === undefined) judgeAnswer(compare, call, seen, content);
  else judgeError(compare, expected, seen);
  if (expected.isInBand) compare("content before the error", content.events > 0, true);
  judgeRow(compare, one, content);
  // Attempts without a connection are not in any journal.
  const refused = isUnreached(cell) ? expected.attempts - (expected.status === 200 ? 1 : 0) : 0;
  compare("calls in the upstream's book", calls.length, expected.attempts - refused);
  return wrong.length === 0 ? undefined : `${cellName(cell)}: ${wrong.join("; ")}`;
}
