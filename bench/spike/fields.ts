/**
 * Which header fields a relay passes on, and what the others say about the body. RFC 9110 7.6.1: fields about
 * the connection end with the connection.
 */
import type { Head } from "../../server/src/transport/llhttp/head.ts";

/** What the framing of a message says, as far as the other side has to repeat it. */
export interface Passing {
  /** Lines to pass on, with `Content-Length` if it has one. */
  lines: string;
  /** Is the body chunked? `undefined` coding: something else as well, which is not relayed. */
  isChunked: boolean;
  hasLength: boolean;
  isOtherCoding: boolean;
  hosts: number;
  /** The values of `Expect` and `Authorization`; empty if there are none. */
  expect: string;
  authorization: string;
}

const perConnection: Readonly<Record<number, readonly string[]>> = {
  2: ["te"],
  4: ["host"],
  6: ["expect"],
  7: ["upgrade", "trailer"],
  10: ["connection", "keep-alive"],
  16: ["proxy-connection"],
  17: ["transfer-encoding"],
  19: ["proxy-authorization"],
};

/** Reused: one message's fields are read at a time, and used before the next. */
const passing: Passing = {
  lines: "",
  isChunked: false,
  hasLength: false,
  isOtherCoding: false,
  hosts: 0,
  expect: "",
  authorization: "",
};

/** Reads a head's fields; the result is valid until the next call. */
export function readFields(head: Head): Passing {
  passing.lines = "";
  passing.isChunked = false;
  passing.hasLength = false;
  passing.isOtherCoding = false;
  passing.hosts = 0;
  passing.expect = "";
  passing.authorization = "";
  const named = namedByConnection(head);
  let from = 0;
  for (let field = 0; field < head.count; field++) {
    if (!endsHere(head, field) && (named === undefined || !named.has(head.name(field).toLowerCase())))
      continue;
    passing.lines += head.lines(from, field);
    from = field + 1;
  }
  passing.lines += head.lines(from, head.count);
  return passing;
}

/** Notes what a field says; true when it is not passed on. */
function endsHere(head: Head, field: number): boolean {
  const length = head.nameLength(field);
  if (length === 14 && head.isNamed(field, "content-length")) passing.hasLength = true;
  if (length === 13 && head.isNamed(field, "authorization")) passing.authorization = head.value(field);
  const names = perConnection[length];
  if (names === undefined) return false;
  for (const name of names) {
    if (!head.isNamed(field, name)) continue;
    if (name === "host") passing.hosts++;
    else if (name === "expect") passing.expect = head.value(field).toLowerCase();
    else if (name === "transfer-encoding") readCoding(head.value(field));
    return true;
  }
  return false;
}

function readCoding(value: string): void {
  if (passing.isChunked || value.trim().toLowerCase() !== "chunked") passing.isOtherCoding = true;
  passing.isChunked = true;
}

/** Names of further fields that the sender's `Connection` says are not to be passed on. */
function namedByConnection(head: Head): Set<string> | undefined {
  let named: Set<string> | undefined;
  for (let field = 0; field < head.count; field++) {
    if (head.nameLength(field) !== 10 || !head.isNamed(field, "connection")) continue;
    const value = head.value(field).toLowerCase();
    if (value === "keep-alive" || value === "close") continue;
    named ??= new Set();
    for (const name of value.split(",")) named.add(name.trim());
    // These say how long the body is; a sender that names them must not make two readers disagree.
    named.delete("content-length");
  }
  return named;
}
