/**
 * Plays a script on a connection: pauses, back-pressure, cuts, and detection of disconnects. Counts what was
 * written to the socket.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { monotonicMs, pause } from "../harness/measure/clock.ts";
import type { CallEnding } from "./journal.ts";
import { type Script, type Step, stampHole } from "./script.ts";

/** Long enough for the peer to read what was written, before a reset discards queued bytes. */
const beforeResetMs = 15;

type Counts = { events: number; tokens: number; bytes: number; usage?: string | undefined };

/** A connection to play on, with a promise that resolves when the peer has disconnected. */
interface Stage {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly gone: Promise<"gone">;
  isGone(): boolean;
}

/** Watches for the peer closing before the end of the answer. */
export function openStage(request: IncomingMessage, response: ServerResponse): Stage {
  let isGone = false;
  const gone = new Promise<"gone">((resolve) => {
    response.once("close", () => {
      isGone = !response.writableFinished;
      if (isGone) resolve("gone");
    });
  });
  request.on("error", () => {});
  response.on("error", () => {});
  return { request, response, gone, isGone: () => isGone };
}

/** Waits, unless the peer disconnects first; true = still connected. */
export async function waitOn(stage: Stage, milliseconds: number): Promise<boolean> {
  if (stage.isGone()) return false;
  if (milliseconds <= 0) return true;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), milliseconds);
  });
  const first = await Promise.race([late, stage.gone]);
  clearTimeout(timer);
  return first === "late";
}

/** Plays the whole script; resolves with how it ended. */
export async function playScript(script: Script, stage: Stage, coalesce: number): Promise<CallEnding> {
  const counts: Counts = { events: 0, tokens: 0, bytes: 0 };
  const { response } = stage;
  if (script.ending === "fin") response.removeHeader("transfer-encoding");
  response.writeHead(script.status, {
    ...script.headers,
    ...(script.ending === "fin" ? { connection: "close" } : {}),
  });
  response.flushHeaders();
  const isThere =
    script.split === undefined
      ? await writeSteps(script.steps, stage, coalesce, counts)
      : await writePieces(script.steps, stage, script.split, counts);
  if (!isThere) return { end: "cancelled", endedAt: monotonicMs(), ...counts };
  return finish(script, stage, counts);
}

async function finish(script: Script, stage: Stage, counts: Counts): Promise<CallEnding> {
  const { response } = stage;
  const { socket } = response;
  if (script.ending === "hang") {
    await stage.gone;
    return { end: "cancelled", endedAt: monotonicMs(), ...counts };
  }
  if (script.ending === "rst") {
    await waitOn(stage, beforeResetMs);
    socket?.resetAndDestroy();
    return { end: "cut", endedAt: monotonicMs(), ...counts };
  }
  if (script.ending === "truncate") {
    socket?.end();
    return { end: "cut", endedAt: monotonicMs(), ...counts };
  }
  const isOut = await new Promise<boolean>((resolve) => {
    response.once("close", () => resolve(response.writableFinished));
    response.end(() => resolve(true));
  });
  return { end: isOut ? "finished" : "cancelled", endedAt: monotonicMs(), ...counts };
}

function stamped(one: Step): Buffer {
  if (!one.stamped) return one.bytes;
  const at = one.bytes.indexOf(stampHole);
  const copy = Buffer.from(one.bytes);
  copy.write(monotonicMs().toFixed(3).padStart(stampHole.length, "0"), at, "latin1");
  return copy;
}

function count(counts: Counts, one: Step): void {
  counts.events++;
  counts.tokens += one.tokens;
  if (one.hasUsage) counts.usage = one.report ?? usageIn(one.bytes);
}

/** The last usage object in the bytes; its members contain no deeper objects. */
function usageIn(bytes: Buffer): string | undefined {
  return [...bytes.toString("utf8").matchAll(/"usage":\s?(\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})/g)].at(-1)?.[1];
}

async function writeSteps(
  steps: readonly Step[],
  stage: Stage,
  coalesce: number,
  counts: Counts,
): Promise<boolean> {
  let waiting: Buffer[] = [];
  const flush = async (): Promise<boolean> => {
    const bytes = waiting.length === 1 ? waiting[0] : Buffer.concat(waiting);
    waiting = [];
    return bytes === undefined || bytes.length === 0 || (await write(stage, bytes, counts));
  };
  for (const one of steps) {
    if (one.afterMs > 0) {
      if (!(await flush()) || !(await waitOn(stage, one.afterMs))) return false;
    }
    for (let time = 0; time < one.repeat; time++) {
      if (stage.isGone()) return false;
      waiting.push(stamped(one));
      count(counts, one);
      if (waiting.length >= coalesce && !(await flush())) return false;
    }
  }
  return flush();
}

async function writePieces(
  steps: readonly Step[],
  stage: Stage,
  sizes: readonly number[],
  counts: Counts,
): Promise<boolean> {
  const whole = Buffer.concat(steps.map((one) => one.bytes));
  if (!(await waitOn(stage, steps[0]?.afterMs ?? 0))) return false;
  let start = 0;
  for (let turn = 0; start < whole.length; turn++) {
    const size = sizes[turn % sizes.length] ?? whole.length;
    if (!(await write(stage, whole.subarray(start, start + size), counts))) return false;
    start += size;
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const one of steps) count(counts, one);
  return true;
}

async function write(stage: Stage, bytes: Buffer, counts: Counts): Promise<boolean> {
  if (stage.isGone()) return false;
  counts.bytes += bytes.length;
  if (stage.response.write(bytes)) return true;
  const drained = new Promise<"drained">((resolve) => stage.response.once("drain", () => resolve("drained")));
  return (await Promise.race([drained, stage.gone])) === "drained";
}

/** Writes raw bytes with the answer's own framing and closes; for faults that break HTTP. */
export async function playRaw(
  stage: Stage,
  bytes: Buffer,
  ending: "fin" | "rst" | "hang",
  report: string | undefined,
): Promise<CallEnding> {
  const counts: Counts = { events: 0, tokens: 0, bytes: bytes.length, usage: report ?? usageIn(bytes) };
  const { socket } = stage.request;
  if (bytes.length > 0) socket.write(bytes);
  if (ending === "hang") {
    await stage.gone;
    return { end: "cancelled", endedAt: monotonicMs(), ...counts };
  }
  if (ending === "rst") {
    if (bytes.length > 0) await pause(beforeResetMs);
    socket.resetAndDestroy();
  } else socket.end();
  return { end: "cut", endedAt: monotonicMs(), ...counts };
}
