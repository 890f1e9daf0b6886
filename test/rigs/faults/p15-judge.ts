/**
 * Judges the call of one cell of P15's table: the response in its endpoint's own error shape and ending, the
 * request record, and the upstream's journal. Pure.
 */

import { isTerminal, readErrorBody, readFailure } from "../harness/endings.ts";
import { type EndpointName, saysFailed } from "../harness/endpoints.ts";
import type { Seen } from "../harness/http-client.ts";
import { costOf } from "../harness/money/money.ts";
import { nanosOf, type RequestRow } from "../harness/money/request-row.ts";
import { addedText } from "../harness/seen-tokens.ts";
import { isComment, splitEvents } from "../harness/sse.ts";
import type { CallRecord } from "../upstream/journal.ts";
import { type CellCall, promptBytes } from "./p15-cells.ts";
import type { Cell } from "./p15-formats.ts";
import { cellName, type Expected, isUnreached } from "./p15-table.ts";

/** Everything observed about one finished call. */
export interface CellSeen {
  readonly call: CellCall;
  readonly seen: Seen;
  /** A text explains why there is no row. */
  readonly row: RequestRow | string;
  /** The calls that the counting upstream recorded for it. */
  readonly calls: readonly CallRecord[];
}

/** A cell and its route, for people. */
export function describeCell(cell: Cell): string {
  const { endpoint, spoken } = cell.route;
  return `${cellName(cell)} at ${endpoint} of ${spoken}`;
}

/** The content the caller received: bytes of text, and events with content. */
interface Content {
  readonly bytes: number;
  readonly events: number;
}

type Fields = Readonly<Record<string, unknown>>;
const listIn = (value: unknown): readonly Fields[] => (Array.isArray(value) ? (value as Fields[]) : []);

/** The texts of a whole answer, by format. */
const wholeTexts: Readonly<Record<EndpointName, (body: Fields) => readonly unknown[]>> = {
  chat: ({ choices }) => listIn(choices).map(({ message }) => (message as Fields | undefined)?.["content"]),
  responses: ({ output }) => listIn(output).flatMap(({ content }) => listIn(content).map(({ text }) => text)),
  messages: ({ content }) => listIn(content).map(({ text }) => text),
  gemini: ({ candidates }) =>
    listIn(candidates).flatMap(({ content }) =>
      listIn((content as Fields | undefined)?.["parts"]).map(({ text }) => text),
    ),
};

function textsOf({ isStream, route }: Cell, body: Buffer): readonly unknown[] {
  if (isStream) return splitEvents(body).map(addedText);
  try {
    return wholeTexts[route.endpoint](JSON.parse(body.toString("utf8")) as Fields);
  } catch {
    return [];
  }
}

function contentOf(cell: Cell, body: Buffer): Content {
  const texts = textsOf(cell, body).filter((text) => typeof text === "string" && text !== "") as string[];
  return { bytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0), events: texts.length };
}

/** The expected charge: none, the upstream's reported usage, or an estimate as in billing.md. */
function chargeOf(call: CellCall, content: Content): bigint {
  const { cell, prompt, cached, tokens } = call;
  const { charge } = cell.expected;
  if (charge === "none") return 0n;
  if (charge === "exact") return costOf({ input: prompt, cachedInput: cached, output: tokens });
  const output = cell.isStream ? content.events : Math.ceil(content.bytes / 4);
  if (charge === "told") return costOf({ input: prompt, cachedInput: cached, output });
  return costOf({ input: Math.ceil(promptBytes(call) / 4), output });
}

/** The bytes that the fault `invalid_utf8` writes. */
const brokenUtf8 = Buffer.from([0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80]);

type Compare = (what: string, seen: unknown, wanted: unknown) => void;

/** Messages' own families, by status; the rest are OpenAI's. */
function familyOf(endpoint: EndpointName, type: string | undefined, status: number): string | undefined {
  if (endpoint !== "messages" || type !== "server_error") return type;
  if (status === 503) return "overloaded_error";
  return status === 504 ? "timeout_error" : "api_error";
}

/** Responses tell the code of a stream's error in a name that Codex repeats the call for. */
const codeIn = ({ route, expected }: Cell): string | undefined =>
  expected.isInBand && route.endpoint === "responses" ? "server_error" : expected.error?.code;

function judgeError(compare: Compare, cell: Cell, { headers, body }: Seen): void {
  const { expected } = cell;
  const { endpoint } = cell.route;
  const pieces = splitEvents(body).filter((piece) => !isComment(piece));
  const error = expected.isInBand ? readFailure(endpoint, pieces)?.error : readErrorBody(endpoint, body);
  // An error in a stream has the status of its code.
  const status = expected.isInBand ? 502 : expected.status;
  compare("error in the endpoint's shape", error !== undefined, true);
  compare("error code", error?.code, codeIn(cell));
  compare("error type", error?.type, familyOf(endpoint, expected.error?.type, status));
  if (error?.status !== undefined) compare("status in the error", error.status, status);
  if (expected.isInBand) {
    compare(
      "a mark of completeness beside an error",
      pieces.some((piece) => isTerminal(endpoint, piece)),
      false,
    );
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

/**
 * Events with content. The bytes of `invalid_utf8` also stand where the format writes an empty text: with
 * Messages' where a block begins, which is no event of its own there.
 */
function contentEvents({ fault, route: { endpoint, spoken } }: Cell, tokens: number): number {
  const hasEmptyText = spoken !== "responses" && (spoken !== "messages" || endpoint !== "messages");
  return fault === "invalid_utf8" && hasEmptyText ? tokens + 1 : tokens;
}

/** Where nothing marks the end, an upstream's last object passes twice if it was sent twice. */
const marksOf = ({ fault, route: { endpoint, spoken } }: Cell): number =>
  fault === "done_twice" && endpoint === "gemini" && spoken === "gemini" ? 2 : 1;

function judgeAnswer(compare: Compare, call: CellCall, seen: Seen, content: Content): void {
  const { cell, tokens } = call;
  const { endpoint, spoken } = cell.route;
  const pieces = splitEvents(seen.body).filter((piece) => !isComment(piece));
  if (cell.fault === "invalid_utf8" && endpoint === spoken)
    compare("bytes as they came", seen.body.includes(brokenUtf8), true);
  if (cell.isStream) {
    const marks = marksOf(cell);
    compare("marks of completeness", pieces.filter((piece) => isTerminal(endpoint, piece)).length, marks);
    const last = pieces.slice(-marks);
    compare("they are the end", last.filter((piece) => isTerminal(endpoint, piece)).length, marks);
    compare("content events", content.events, contentEvents(cell, tokens));
    compare("errors in the stream", saysFailed(seen.body), false);
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
  const source = expected.charge === "told" ? "estimated" : expected.charge;
  compare("source of usage", row.usage?.source ?? "none", source);
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
  const content = contentOf(cell, seen.body);
  if (expected.error === undefined) judgeAnswer(compare, call, seen, content);
  else judgeError(compare, cell, seen);
  if (expected.isInBand) compare("content before the error", content.events > 0, true);
  judgeRow(compare, one, content);
  // Attempts without a connection are not in any journal.
  const refused = isUnreached(cell) ? expected.attempts - (expected.status === 200 ? 1 : 0) : 0;
  compare("calls in the upstream's book", calls.length, expected.attempts - refused);
  return wrong.length === 0 ? undefined : `${describeCell(cell)}: ${wrong.join("; ")}`;
}
