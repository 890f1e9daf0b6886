/**
 * The form of a hostile case of P26 and the words it is built from. The tables
 * themselves are in the `p26-*-cases.ts` files.
 */
import type { RawPiece } from "../harness/raw-client.ts";

/** One thing a hostile client does, and what must come of it, written down beforehand. */
export interface HostileCase {
  readonly name: string;
  readonly pieces: (key: string) => readonly RawPiece[];
  /** Allowed statuses of the first final answer; 0 = the connection closes without one. */
  readonly statuses: readonly number[];
  /**
   * Allowed `error.code`s when the answer is an error; absent = any, but the error shape is always required.
   */
  readonly codes?: readonly string[];
  /** True when Plaza must close the connection, and within what time from connecting. */
  readonly closesWithinMs?: number;
  readonly halfClose?: boolean;
}

export const chatPath = "/v1/chat/completions";

/** Latin-1 text as one piece. */
export function text(bytes: string): readonly RawPiece[] {
  return [{ bytes: Buffer.from(bytes, "latin1"), afterMs: 0 }];
}

/** Head lines of a good request, which a case then spoils. */
export function goodHead(key: string): string[] {
  return [
    `POST ${chatPath} HTTP/1.1`,
    "Host: plaza",
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
  ];
}

/** A head from its lines. */
export function head(lines: readonly string[]): string {
  return `${lines.join("\r\n")}\r\n\r\n`;
}

export const goodBody = '{"model":"rig-model","messages":[{"role":"user","content":"hi"}]}';

/** A well-formed POST of these body bytes; further head lines may be given, and the content type replaced. */
export function posted(
  body: Buffer | string,
  more: readonly string[] = [],
  contentType: string | undefined = "application/json",
): HostileCase["pieces"] {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  return (key) => {
    const lines = [`POST ${chatPath} HTTP/1.1`, "Host: plaza", `Authorization: Bearer ${key}`];
    if (contentType !== "") lines.push(`Content-Type: ${contentType}`);
    const top = head([...lines, `Content-Length: ${bytes.length}`, "Connection: close", ...more]);
    return [{ bytes: Buffer.concat([Buffer.from(top, "latin1"), bytes]), afterMs: 0 }];
  };
}

/** A good head with these lines more, and a raw body. */
export function withHead(more: readonly string[], body: string): HostileCase["pieces"] {
  return (key) => text(head([...goodHead(key), ...more]) + body);
}
