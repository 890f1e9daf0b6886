/**
 * Judges the caller's side of a cut answer in every format: an error in the shape of the endpoint, nothing by
 * which the answer would be complete, nothing that the upstream did not say, and a record that tells how the
 * charge is known. Pure.
 */
import { isTerminal, readErrorBody, readFailure } from "../harness/endings.ts";
import type { Seen } from "../harness/http-client.ts";
import { costOf } from "../harness/money/money.ts";
import { nanosOf, type RequestRow } from "../harness/money/request-row.ts";
import { addedText, readSeen } from "../harness/seen-tokens.ts";
import { eventJson, isComment, splitEvents } from "../harness/sse.ts";
import { isTextKind, tokensText } from "../harness/streams/tokens.ts";
import { defaultPlan } from "../upstream/plan.ts";
import { type CutCase, owedFor, wholeEvents } from "./p09-cases.ts";

type Answer = Pick<Seen, "status" | "body" | "isWhole">;

/** Is it text that the counting upstream made, a token an event? */
const isCounted = ({ plan, isStream }: CutCase): boolean =>
  isStream && plan.tools === undefined && plan.replay === undefined;

const tokensIn = ({ steps }: CutCase, events: number): number =>
  steps.slice(0, events).reduce((sum, { tokens }) => sum + tokens, 0);

/** Does HTTP end in order? */
const isEnded = ({ how }: CutCase): boolean => how === "end" || how === "fin";

const isPassed = ({ route }: CutCase): boolean => route.endpoint === route.spoken;

/**
 * Some servers of chat leave out what follows the finish reason: where that is translated and HTTP ends in
 * order, the answer is complete.
 */
export const mayBeComplete = (one: CutCase): boolean =>
  one.isStream &&
  one.route.spoken === "chat" &&
  !isPassed(one) &&
  isEnded(one) &&
  one.steps.slice(0, wholeEvents(one)[1]).some(({ isFinish }) => isFinish);

/** Equal but for the line ends after the last event. */
const isSameText = (one: Buffer, other: Buffer): boolean =>
  one.toString("latin1").trimEnd() === other.toString("latin1").trimEnd();

/** What the caller got of the answer: of a format that passes its bytes, of another its text. */
function judgeContent(one: CutCase, pieces: readonly Buffer[]): string | undefined {
  const [least, most] = wholeEvents(one);
  if (isPassed(one)) {
    const relayed = Buffer.concat(pieces);
    // Where all of an event's data came before the end, Plaza writes the blank line itself.
    if (most > least && isSameText(relayed, owedFor(one, most))) return undefined;
    const whole = owedFor(one, one.steps.length);
    if (!relayed.equals(whole.subarray(0, relayed.length))) return "bytes the upstream never sent";
    if (one.how === "rst") return undefined;
    const owed = owedFor(one, least).length;
    return relayed.length === owed ? undefined : `${relayed.length} bytes relayed of ${owed}`;
  }
  if (!isCounted(one)) return undefined;
  const text = pieces.map(addedText).join("");
  const { text: kind = defaultPlan.text } = one.plan;
  const said = (events: number): string => tokensText(isTextKind(kind) ? kind : "en", tokensIn(one, events));
  if (one.how === "rst") return said(most).startsWith(text) ? undefined : "text the upstream never sent";
  return text === said(least) || text === said(most)
    ? undefined
    : `${JSON.stringify(text)} of ${said(least)}`;
}

function judgeFault(one: CutCase, { status, body }: Answer): string | undefined {
  const error = readErrorBody(one.route.endpoint, body);
  if (error === undefined) return `status ${status} without the endpoint's error shape`;
  if (error.status !== undefined && error.status !== status) return `status ${status}, told ${error.status}`;
  const isLost = isCounted(one) && one.how !== "rst" && tokensIn(one, wholeEvents(one)[0]) > 0;
  return isLost ? `status ${status} after content` : undefined;
}

/** Describes what is wrong with the caller's bytes; undefined = correct. */
export function judgeCut(one: CutCase, seen: Answer): string | undefined {
  const { endpoint } = one.route;
  if (seen.status >= 500) return judgeFault(one, seen);
  if (seen.status !== 200) return `status ${seen.status}`;
  if (!one.isStream) return "a cut body is answered with 200";
  if (!seen.isWhole) return "the caller's own connection was cut";
  const pieces = splitEvents(seen.body);
  const told = pieces.filter((piece) => !isComment(piece));
  const end = pieces.findIndex((piece) => isTerminal(endpoint, piece));
  if (end !== -1) return mayBeComplete(one) ? undefined : "complete after a cut";
  const failure = readFailure(endpoint, told);
  if (failure === undefined) return "the last event is no error";
  const content = pieces.slice(0, -failure.events);
  if (readFailure(endpoint, content) !== undefined) return "two errors";
  return judgeContent(one, content);
}

function reportsUsage(piece: Buffer): boolean {
  const { usage, x_groq: groq } = (eventJson(piece) ?? {}) as { usage?: unknown; x_groq?: unknown };
  const { usage: ofGroq } = (groq ?? {}) as { usage?: unknown };
  return [usage, ofGroq].some((one) => typeof one === "object" && one !== null);
}

/** How the row may know its tokens. Gemini's reports grow with the answer until its end. */
function sourcesOf(one: CutCase): readonly string[] {
  if (one.how === "rst") return ["exact", "estimated"];
  return wholeEvents(one).map((events) => {
    const sent = one.steps.slice(0, events);
    const isReported =
      one.plan.replay === undefined
        ? one.route.spoken !== "gemini" && sent.some(({ hasUsage }) => hasUsage)
        : sent.some(({ bytes }) => reportsUsage(bytes));
    return isReported ? "exact" : "estimated";
  });
}

function judgeTokens(one: CutCase, { usage }: RequestRow, seen: Answer): string | undefined {
  if (!isCounted(one) || usage === null) return undefined;
  const { promptTokens, tokens } = { ...defaultPlan, ...one.plan };
  const { tokens: read } = readSeen(seen.body);
  const output = usage.source === "exact" ? tokens : read;
  if (usage.output !== output) return `${usage.output} tokens recorded of ${output}`;
  // Gemini tells the prompt with every object, Messages with the first event.
  const [least] = wholeEvents(one);
  const isToldOnTheWay = ["gemini", "messages"].includes(one.route.spoken) && least > 0 && one.how !== "rst";
  const isTold = usage.source === "exact" || isToldOnTheWay;
  return isTold && usage.input !== promptTokens ? `a prompt of ${usage.input}` : undefined;
}

/** Describes what is wrong with the row; undefined = correct. */
export function judgeRow(one: CutCase, seen: Answer, row: RequestRow | string): string | undefined {
  if (typeof row === "string") return `no row: ${row}`;
  const { usage } = row;
  if (row.status !== seen.status) return `recorded with status ${row.status}`;
  if (seen.status !== 200) {
    if (row.state !== "failed") return `recorded as ${row.state}`;
    return usage === null && nanosOf(row.charge) === 0n ? undefined : `charged ${row.charge} for nothing`;
  }
  const isComplete = splitEvents(seen.body).some((piece) => isTerminal(one.route.endpoint, piece));
  if (row.state !== (isComplete ? "complete" : "incomplete")) return `recorded as ${row.state}`;
  if (usage === null) return "recorded without usage";
  const sources = sourcesOf(one);
  if (!sources.includes(usage.source)) return `usage is ${usage.source}, not ${sources[0]}`;
  const { input: fresh = 0, cached_input: cachedInput = 0, output = 0 } = usage;
  const cost = costOf({ input: fresh + cachedInput, cachedInput, output });
  if (nanosOf(row.charge) !== cost) return `charged ${row.charge} where its tokens cost ${cost}`;
  return judgeTokens(one, row, seen);
}
