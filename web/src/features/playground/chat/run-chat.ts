/**
 * One call of a model from the console, from sending to what it cost: the one place that *Try it* and the
 * playground share. It reads the stream, separates complete from cut answers, keeps the text whatever
 * happens, and asks for the charge. Knows no React.
 */

import { createSseReader } from "../../../api/sse-reader.ts";
import {
  CallError,
  type CallFault,
  callEndpoint,
  type Endpoint,
  faultOf,
  findRecord,
  networkLost,
  type RequestRecord,
} from "../endpoint.ts";
import { type ChatAnswer, emptyAnswer, errorIn, readEvent, readWhole, type WireError } from "./answer.ts";
import { type LimitsLeft, limitsLeftIn } from "./limits-left.ts";

/**
 * waiting: nothing came yet. streaming: content comes. complete: all of it is there. stopped: the person
 * stopped it. cut: it broke off after content. failed: there is no content.
 */
export type RunState = "waiting" | "streaming" | "complete" | "stopped" | "cut" | "failed";

/** A call and all that is known of it. */
export interface ChatRun {
  readonly state: RunState;
  readonly model: string;
  readonly keyId: string;
  /** The JSON that was sent, byte for byte. */
  readonly body: string;
  readonly answer: ChatAnswer;
  /** null until the head of the answer is there. */
  readonly requestId: string | null;
  /** Measured here: from sending to the first content. */
  readonly firstTokenMs: number | null;
  /** Measured here: from sending to the end. */
  readonly durationMs: number | null;
  readonly fault: CallFault | null;
  /** What was thrown before anything was sent: no ephemeral key could be made. */
  readonly thrown: unknown;
  /** The balance allowed less output than was asked for. */
  readonly clampedTo: number | null;
  /** Parameters the endpoint left out for this model. */
  readonly dropped: string | null;
  readonly limits: LimitsLeft | null;
  /** asking: not answered yet. null: not to be had, or nothing was sent. */
  readonly record: RequestRecord | "asking" | null;
}

/** What is asked. */
export interface ChatCall {
  readonly model: string;
  readonly keyId: string;
  readonly body: string;
}

/** A call that has not begun. */
export function newRun({ model, keyId, body }: ChatCall): ChatRun {
  return {
    state: "waiting",
    model,
    keyId,
    body,
    answer: emptyAnswer,
    requestId: null,
    firstTokenMs: null,
    durationMs: null,
    fault: null,
    thrown: null,
    clampedTo: null,
    dropped: null,
    limits: null,
    record: null,
  };
}

/** True while something may still come. */
export function isRunning(run: ChatRun): boolean {
  return run.state === "waiting" || run.state === "streaming";
}

function hasContent({ text, reasoning, refusal, toolCalls }: ChatAnswer): boolean {
  return text !== "" || reasoning !== "" || refusal !== "" || toolCalls.length > 0;
}

function headOf(answer: Response): Pick<ChatRun, "requestId" | "limits" | "clampedTo" | "dropped"> {
  const clamped = answer.headers.get("x-plaza-max-tokens");
  return {
    requestId: answer.headers.get("x-request-id"),
    limits: limitsLeftIn(answer.headers),
    clampedTo: clamped !== null && /^\d+$/.test(clamped) ? Number(clamped) : null,
    dropped: answer.headers.get("x-plaza-dropped-params"),
  };
}

type Change = (change: Partial<ChatRun>) => void;

/** Reads a stream to its end. Gives the fault that ended it, or null after `[DONE]`. */
async function readStream(
  answer: Response,
  change: Change,
  current: () => ChatRun,
  sinceMs: () => number,
): Promise<CallFault | null> {
  const inBand = (code: string, error: Partial<WireError> = {}): CallFault => ({
    ...networkLost(),
    ...error,
    code,
    status: answer.status,
    requestId: answer.headers.get("x-request-id"),
  });
  if (answer.body === null) return inBand("cut_off");
  const events = createSseReader();
  const pieces = answer.body.getReader();
  try {
    for (;;) {
      const { done, value } = await pieces.read();
      if (done) return inBand("cut_off");
      for (const data of events.read(value)) {
        const event = readEvent(current().answer, data);
        if (event.kind === "done") return null;
        if (event.kind === "error") return inBand(event.error.code, event.error);
        const isFirst = event.hasContent && current().firstTokenMs === null;
        change({
          answer: event.answer,
          ...(isFirst ? { state: "streaming", firstTokenMs: sinceMs() } : {}),
        });
      }
    }
  } catch (thrown) {
    if (thrown instanceof SyntaxError || thrown instanceof RangeError) return inBand("unreadable_answer");
    throw thrown;
  } finally {
    void pieces.cancel().catch(() => undefined);
  }
}

async function readAnswer(
  answer: Response,
  change: Change,
  current: () => ChatRun,
  sinceMs: () => number,
): Promise<CallFault | null> {
  if ((answer.headers.get("content-type") ?? "").includes("event-stream")) {
    return await readStream(answer, change, current, sinceMs);
  }
  const text = await answer.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { ...networkLost(), code: "unreadable_answer", requestId: current().requestId };
  }
  if (errorIn(body) !== undefined) return await faultOf(new Response(text, answer));
  change({ answer: readWhole(body), firstTokenMs: null });
  return null;
}

function stateAfter(fault: CallFault | null, run: ChatRun): RunState {
  if (fault === null) return "complete";
  return hasContent(run.answer) ? "cut" : "failed";
}

/**
 * Makes the call and reports every change to `onChange`; settles with the last of them, and never
 * rejects. After the answer is over the record is asked for, so the last change may come a
 * little later than the end of the text.
 */
export async function runChat(
  endpoint: Endpoint,
  call: ChatCall,
  signal: AbortSignal,
  onChange: (run: ChatRun) => void,
): Promise<ChatRun> {
  let run = newRun(call);
  const change: Change = (changes) => {
    run = { ...run, ...changes };
    onChange(run);
  };
  const startMs = endpoint.elapsedMs();
  const sinceMs = () => Math.round(endpoint.elapsedMs() - startMs);
  onChange(run);
  try {
    const answer = await callEndpoint(endpoint, call.keyId, "/chat/completions", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: call.body,
      signal,
    });
    change(headOf(answer));
    const fault = answer.ok ? await readAnswer(answer, change, () => run, sinceMs) : await faultOf(answer);
    change({ fault, state: stateAfter(fault, run), durationMs: sinceMs() });
  } catch (thrown) {
    change({ ...endedBy(thrown, signal, run), durationMs: sinceMs() });
  }
  return await withRecord(endpoint, run, change, () => run);
}

function endedBy(thrown: unknown, signal: AbortSignal, run: ChatRun): Partial<ChatRun> {
  if (signal.aborted) return { state: "stopped" };
  if (thrown instanceof CallError) return { state: "failed", fault: thrown.fault };
  // An answer that had begun can only end here by losing its connection.
  if (run.limits !== null) {
    const fault = { ...networkLost(), requestId: run.requestId };
    return { state: stateAfter(fault, run), fault };
  }
  return { state: "failed", thrown };
}

async function withRecord(
  endpoint: Endpoint,
  run: ChatRun,
  change: Change,
  current: () => ChatRun,
): Promise<ChatRun> {
  if (run.requestId === null) return run;
  change({ record: "asking" });
  change({ record: await findRecord(endpoint, run.keyId, run.requestId) });
  return current();
}
