/**
 * The form of P26's hostile cases, and functions to build them. The tables are in the `p26-*-cases.ts` files.
 */
import type { EndpointName } from "../harness/endpoints.ts";
import type { RawPiece } from "../harness/raw-client.ts";

/** A hostile request and its expected result. */
export interface HostileCase {
  readonly name: string;
  readonly pieces: (key: string) => readonly RawPiece[];
  /** Allowed statuses of the first final response; 0 = the connection closes without one. */
  readonly statuses: readonly number[];
  /** The endpoint in whose shape an error must be; absent = any, as of what is no call yet. */
  readonly endpoint?: EndpointName;
  /** Allowed `error.code`s of an error response; absent = any, but the error format is always required. */
  readonly codes?: readonly string[];
  /** When set, Plaza must close the connection within this time from connecting. */
  readonly closesWithinMs?: number;
  readonly halfClose?: boolean;
}

export const chatPath = "/v1/chat/completions";

/** Latin-1 text as one chunk. */
export function text(bytes: string): readonly RawPiece[] {
  return [{ bytes: Buffer.from(bytes, "latin1"), afterMs: 0 }];
}

/** Header lines of a valid request, to be modified by a case. */
export function goodHead(key: string): string[] {
  return [
    `POST ${chatPath} HTTP/1.1`,
    "Host: plaza",
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
  ];
}

/** Joins header lines. */
export function head(lines: readonly string[]): string {
  return `${lines.join("\r\n")}\r\n\r\n`;
}

export const goodBody = '{"model":"rig-model","messages":[{"role":"user","content":"hi"}]}';

/**
 * The same at another path: for what is refused before a field is read, so that the body may stay as it is.
 * The bytes after the head are kept.
 */
export function elsewhere(one: HostileCase, path: string): HostileCase {
  const line = Buffer.from(`POST ${chatPath} `);
  return {
    ...one,
    name: `${one.name}, at ${path}`,
    pieces: (key) =>
      one.pieces(key).map((piece) => {
        const { bytes } = piece;
        if (!bytes.subarray(0, line.length).equals(line)) return piece;
        return {
          ...piece,
          bytes: Buffer.concat([Buffer.from(`POST ${path} `), bytes.subarray(line.length)]),
        };
      }),
  };
}

/** How a body is posted where it is not as JSON at chat completions. */
export interface Posting {
  /** Further head lines. */
  readonly more?: readonly string[];
  /** Empty: none is said. */
  readonly contentType?: string;
  readonly path?: string;
}

/** A well-formed POST of these body bytes. */
export function posted(
  body: Buffer | string,
  { more = [], contentType = "application/json", path = chatPath }: Posting = {},
): HostileCase["pieces"] {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  return (key) => {
    const lines = [`POST ${path} HTTP/1.1`, "Host: plaza", `Authorization: Bearer ${key}`];
    if (contentType !== "") lines.push(`Content-Type: ${contentType}`);
    const top = head([...lines, `Content-Length: ${bytes.length}`, "Connection: close", ...more]);
    return [{ bytes: Buffer.concat([Buffer.from(top, "latin1"), bytes]), afterMs: 0 }];
  };
}

/** Valid headers with these lines added, and a raw body. */
export function withHead(more: readonly string[], body: string): HostileCase["pieces"] {
  return (key) => text(head([...goodHead(key), ...more]) + body);
}
