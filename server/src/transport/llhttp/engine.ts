/** What the parsers of a process share: llhttp's functions, the memory they read from, and what was found. */
import type { Head } from "./head.ts";

/** A head longer than this is refused. */
export const headBytesMax = 16 * 1024;
/** The most one read takes. Shared by all connections, so its size costs nothing per connection. */
export const areaBytes = 128 * 1024;
export const messageKind = { request: 1, response: 2 } as const;
export type MessageKind = (typeof messageKind)[keyof typeof messageKind];

/** Why a message was refused: llhttp's error number, or one of ours, which are negative. */
export const refusal = { none: 0, headTooLarge: -1, folded: -2, framingTooLarge: -3 } as const;

export interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  _initialize(): void;
  malloc(bytes: number): number;
  free(at: number): void;
  llhttp_alloc(kind: number): number;
  llhttp_free(parser: number): void;
  llhttp_execute(parser: number, at: number, bytes: number): number;
  llhttp_finish(parser: number): number;
  llhttp_resume(parser: number): void;
  llhttp_get_error_pos(parser: number): number;
  llhttp_get_http_major(parser: number): number;
  llhttp_get_http_minor(parser: number): number;
  llhttp_get_method(parser: number): number;
}

/** What llhttp calls while it runs. Each returns 0 to go on. */
export interface Callbacks {
  onTarget(at: number, length: number): number;
  onField(at: number, length: number): number;
  onValue(at: number, length: number): number;
  onHead(status: number, isUpgrade: boolean, keepsAlive: boolean): number;
  onBody(at: number, length: number): number;
  onComplete(): number;
}

export interface Engine {
  readonly exports: Exports;
  /** The parser that runs, whose callbacks are called. */
  readonly running: { parser: Callbacks | undefined };
  readonly area: Buffer;
  readonly areaAt: number;
  /** For heads that come in one read, which is nearly all. */
  readonly shared: Head;
  readonly found: Found;
}

/**
 * What the last call of any parser found. One object for all: with a thousand streams, what belongs to one of
 * them alone has left the processor's cache by its next event.
 */
interface Found {
  hasHead: boolean;
  isComplete: boolean;
  bodyStart: number;
  bodyEnd: number;
  consumed: number;
}
