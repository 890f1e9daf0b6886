/** A caller over node:net that sends exact bytes at a given pace and records the response. */
import { connect, type Socket } from "node:net";
import { monotonicMs, pause } from "./measure/clock.ts";

/** A chunk to send after a pause. */
export interface RawPiece {
  readonly bytes: Buffer;
  readonly afterMs: number;
}

/** The bytes received on one connection. */
export interface RawSeen {
  readonly bytes: Buffer;
  /** Milliseconds from connecting to the peer's close; NaN when this side timed out first. */
  readonly closedAfterMs: number;
  readonly firstByteAfterMs: number;
  readonly answers: readonly RawAnswer[];
  readonly problem: string;
}

/** One HTTP answer found in the bytes. */
export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
}

export interface RawAsk {
  readonly port: number;
  readonly pieces: readonly RawPiece[];
  /** Timeout; default 8,000 ms. */
  readonly withinMs?: number | undefined;
  /** Sends FIN after the last piece. */
  readonly halfClose?: boolean | undefined;
  /** Stops waiting after this many complete responses. */
  readonly answersMax?: number | undefined;
}

/** Sends the chunks and reads until the peer closes, enough responses have arrived, or the time is up. */
export async function sendRaw(ask: RawAsk): Promise<RawSeen> {
  const startedAt = monotonicMs();
  const parts: Buffer[] = [];
  let problem = "";
  let firstByteAt = Number.NaN;
  let closedAt = Number.NaN;
  let isOver = false;
  let enough: () => void = () => {};
  const isEnough = new Promise<void>((resolve) => {
    enough = resolve;
  });
  const socket = connect({ port: ask.port, host: "127.0.0.1", noDelay: true });
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => {
      if (!isOver) closedAt = monotonicMs();
      resolve();
    });
  });
  socket.on("error", (error) => {
    problem = error.message;
  });
  socket.on("data", (bytes: Buffer) => {
    if (Number.isNaN(firstByteAt)) firstByteAt = monotonicMs();
    parts.push(bytes);
    if (readAnswers(Buffer.concat(parts)).length >= (ask.answersMax ?? Number.POSITIVE_INFINITY)) enough();
  });
  const sending = sendPieces(socket, ask, closed);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ask.withinMs ?? 8000);
  });
  await Promise.race([closed, isEnough, late]);
  clearTimeout(timer);
  isOver = true;
  socket.destroy();
  await sending;
  const bytes = Buffer.concat(parts);
  return {
    bytes,
    closedAfterMs: closedAt - startedAt,
    firstByteAfterMs: firstByteAt - startedAt,
    answers: readAnswers(bytes),
    problem,
  };
}

async function sendPieces(socket: Socket, ask: RawAsk, closed: Promise<void>): Promise<void> {
  for (const piece of ask.pieces) {
    if (piece.afterMs > 0) await Promise.race([pause(piece.afterMs), closed]);
    if (socket.destroyed || !socket.writable) return;
    socket.write(piece.bytes);
  }
  if (ask.halfClose === true) socket.end();
}

/** All complete HTTP/1.1 responses in the bytes (Content-Length, chunked, or until close). */
export function readAnswers(bytes: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let start = 0;
  while (start < bytes.length) {
    const headEnd = bytes.indexOf("\r\n\r\n", start);
    if (headEnd === -1) break;
    const head = bytes.toString("latin1", start, headEnd);
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? 0);
    if (status === 0) break;
    const at = headEnd + 4;
    const body = status === 100 ? { bytes: Buffer.alloc(0), end: at } : readBody(bytes, at, head);
    if (body === undefined) break;
    answers.push({ status, head, body: body.bytes });
    start = body.end;
  }
  return answers;
}

function readBody(bytes: Buffer, at: number, head: string): { bytes: Buffer; end: number } | undefined {
  const length = /^content-length: *(\d+)$/im.exec(head)?.[1];
  if (length !== undefined) {
    const end = at + Number(length);
    return end <= bytes.length ? { bytes: bytes.subarray(at, end), end } : undefined;
  }
  if (!/^transfer-encoding: *chunked$/im.test(head)) return { bytes: bytes.subarray(at), end: bytes.length };
  const parts: Buffer[] = [];
  let position = at;
  for (;;) {
    const lineEnd = bytes.indexOf("\r\n", position);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", position, lineEnd), 16);
    const next = lineEnd + 2 + size + 2;
    if (!Number.isInteger(size) || next > bytes.length) return undefined;
    if (size === 0) return { bytes: Buffer.concat(parts), end: next };
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    position = next;
  }
}

interface ErrorSeen {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly details?: readonly { readonly metadata?: { readonly code?: unknown } }[];
}

/** The `error.code` of a JSON body; undefined when it is not the one error shape. */
export function errorCode(body: Buffer): string | undefined {
  try {
    const { error } = JSON.parse(body.toString("utf8")) as { error?: ErrorSeen };
    // Gemini's errors have the status there, and the code among the details.
    const code = typeof error?.code === "number" ? error.details?.[0]?.metadata?.code : error?.code;
    return typeof error?.message === "string" && typeof code === "string" ? code : undefined;
  } catch {
    return undefined;
  }
}
