/**
 * For tests: how a provider's upstream writes an answer, the beginning of one, and an error, as bytes. Each
 * provider's `testing/wire.ts` is written from the pages of docs/wire; it knows nothing of the product.
 */

/** What an upstream sends. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
  /** `cut`: the connection breaks after the body; `hang`: nothing more ever comes. Default a clean end. */
  readonly ending?: "end" | "cut" | "hang";
}

/**
 * An upstream's protocol, as far as tests of faults need it. Texts are `said`; usage is 10 tokens in, 5 out.
 */
export interface Wire {
  /** Id of the provider. */
  readonly id: string;
  /** What follows the origin and a case's own segment in the base URL. */
  readonly basePath: string;
  readonly credential: string;
  readonly options?: Readonly<Record<string, string>>;
  whole(said: string): string;
  /** A stream's bytes: up to the last piece of text, and the rest, with the protocol's own end. */
  stream(said: string): { readonly begin: Buffer; readonly rest: Buffer };
  /**
   * How much of `rest` belongs to the end itself, after usage was told; undefined where the
   * two come together and nothing lacks.
   */
  readonly endBytes?: number;
  readonly streamType: string;
  /** Does a call of this path and body ask for a stream? Absent: as most do, by `stream` in one of them. */
  asksForStream?(path: string, body: string): boolean;
  /** An error's body. `type`: the protocol's own name of it. */
  error(status: number, type: string, message: string, more?: object): string;
  /** Headers that name the error too; absent where the body alone does. */
  errorHeaders?(type: string): Readonly<Record<string, string>>;
  /** An error inside a stream. */
  streamError(status: number, type: string, message: string): Buffer;
}

export const json = (value: unknown): string => JSON.stringify(value);

/** Does a call ask this upstream for a stream? */
export const asksForStream = (wire: Wire | undefined, path: string, body: string): boolean =>
  wire?.asksForStream?.(path, body) ?? (/stream/i.test(path) || /"stream":\s*true/.test(body));

/** Server-sent events of data alone; a string is sent as it is. */
export const sse = (...events: readonly unknown[]): Buffer =>
  Buffer.from(events.map((event) => `data: ${typeof event === "string" ? event : json(event)}\n\n`).join(""));

/** Server-sent events that are named by their `type` too. */
export const namedSse = (...events: readonly { readonly type: string }[]): Buffer =>
  Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${json(event)}\n\n`).join(""));
