/**
 * The head of an answer, as text. The fields that the transport adds are those that node:http adds, in its
 * order, so that a caller cannot tell which of the two answered.
 */
import { STATUS_CODES } from "node:http";

/** What node:http refuses too: such a value could end its line and begin another. */
const invalidInValue = /[^\t\x20-\x7e\x80-\xff]/;
const invalidInName = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/;

const contentLength = "content-length";

/** What the connection says of itself in its answers. */
export interface AnsweringConnection {
  /** True when the connection closes after this answer. */
  closesAfter(): boolean;
  readonly date: string;
  readonly keepAliveSeconds: number;
}

/** Answers with these statuses have no body, whatever their fields say. */
const isBodyless = (status: number): boolean => status === 204 || status === 304;

function requireValid(name: string, value: string): void {
  if (name === "" || invalidInName.test(name)) throw new TypeError(`invalid name of a header: ${name}`);
  if (invalidInValue.test(value)) throw new TypeError(`invalid value of header ${name}`);
}

/**
 * `headers`: flat list of names and values, without those that are about the connection. Throws a TypeError
 * for what must not stand in a head.
 */
export function answerHead(
  status: number,
  headers: readonly string[],
  connection: AnsweringConnection,
): { readonly text: string; readonly isChunked: boolean } {
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "unknown"}\r\n`;
  let isSized = isBodyless(status);
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string;
    const value = headers[index + 1] as string;
    requireValid(name, value);
    if (name.length === contentLength.length && name.toLowerCase() === contentLength) isSized = true;
    text += `${name}: ${value}\r\n`;
  }
  text += `Date: ${connection.date}\r\n`;
  text += connection.closesAfter()
    ? "Connection: close\r\n"
    : `Connection: keep-alive\r\nKeep-Alive: timeout=${connection.keepAliveSeconds}\r\n`;
  return { text: isSized ? `${text}\r\n` : `${text}Transfer-Encoding: chunked\r\n\r\n`, isChunked: !isSized };
}
