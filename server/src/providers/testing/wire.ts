/**
 * For tests: writes an upstream's answers, partial answers and errors as bytes. Each provider's
 * `testing/wire.ts` is written from docs/wire, independently of the product code.
 */

/** What an upstream sends. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
  /** `cut`: the connection breaks after the body; `hang`: nothing more is sent. Default: a clean end. */
  readonly ending?: "end" | "cut" | "hang";
}

/**
 * An upstream's protocol, as far as fault tests need it. The text is `said`; usage is 10 input and 5 output
 * tokens.
 */
export interface Wire {
  /** Id of the provider. */
  readonly id: string;
  /** The part of the base URL after the origin and the test case's own segment. */
  readonly basePath: string;
  readonly credential: string;
  readonly options?: Readonly<Record<string, string>>;
  whole(said: string): string;
  /** A stream in two parts: up to the last text, and the rest including the protocol's end. */
  stream(said: string): { readonly begin: Buffer; readonly rest: Buffer };
  /**
   * Bytes of `rest` that form the end marker after usage was reported; undefined when usage and end come
   * together.
   */
  readonly endBytes?: number;
  readonly streamType: string;
  /** True when a call with this path and body asks for a stream. Absent: `stream` in one of them decides. */
  asksForStream?(path: string, body: string): boolean;
  /** An error body. `type`: the protocol's own name for the error. */
  error(status: number, type: string, message: string, more?: object): string;
  /** Headers that also name the error; absent when only the body does. */
  errorHeaders?(type: string): Readonly<Record<string, string>>;
  /** An error inside a stream. */
  streamError(status: number, type: string, message: string): Buffer;
}

export const json = (value: unknown): string => JSON.stringify(value);

/** True when a call asks this upstream for a stream. */
export const asksForStream = (wire: Wire | undefined, path: string, body: string): boolean =>
  wire?.asksForStream?.(path, body) ?? (/stream/i.test(path) || /"stream":\s*true/.test(body));

/** Server-sent events with data only; a string is sent as it is. */
export const sse = (...events: readonly unknown[]): Buffer =>
  Buffer.from(events.map((event) => `data: ${typeof event === "string" ? event : json(event)}\n\n`).join(""));

/** Server-sent events that also have their `type` as event name. */
export const namedSse = (...events: readonly { readonly type: string }[]): Buffer =>
  Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${json(event)}\n\n`).join(""));
