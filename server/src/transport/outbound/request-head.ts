/** The head of a request to an upstream, as text. Refuses what could end a line or begin another one. */

/** Characters that cannot be in a request target. */
const strangeTarget = /[^\x21-\xff]/;
const strangeName = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/;
const strangeValue = /[^\t\x20-\x7e\x80-\xff]/;

/** Fields that the transport decides. A call that sets one of them is a bug, or an attempt to smuggle. */
const ownNames = new Set(["transfer-encoding", "keep-alive", "upgrade", "expect", "connection"]);

/** A request's first line and what its host field says unless the call has its own. */
export interface RequestLine {
  readonly method: "GET" | "POST";
  /** Path and query. */
  readonly target: string;
  /** Host, and port where it is not the scheme's. */
  readonly host: string;
}

/** The head up to its content-length, or undefined when something of it must not be sent. */
function headStart({ method, target, host }: RequestLine, headers: readonly string[]): string | undefined {
  if (target[0] !== "/" || strangeTarget.test(target)) return undefined;
  let named = host;
  let fields = "";
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string;
    const value = headers[index + 1];
    if (value === undefined) continue;
    if (name === "" || strangeName.test(name) || strangeValue.test(value)) return undefined;
    // Most names are longer or shorter than the four to seventeen letters of those that matter here.
    if (isHost(name)) named = value;
    else if (isContentLength(name)) continue;
    else if (ownNames.has(name.toLowerCase())) return undefined;
    else fields += `${name}: ${value}\r\n`;
  }
  return `${method} ${target} HTTP/1.1\r\nhost: ${named}\r\nconnection: keep-alive\r\n${fields}`;
}

const isHost = (name: string): boolean => name.length === 4 && name.toLowerCase() === "host";

const isContentLength = (name: string): boolean =>
  name.length === 14 && name.toLowerCase() === "content-length";

/** Starts of heads that a client keeps: its upstreams' paths, whole answers and streams, credentials. */
const startsMax = 8;

interface KeptStart extends Pick<RequestLine, "method" | "target"> {
  readonly headers: readonly string[];
  text: string;
  /** True once the text is in one piece, so that a request does not put its parts together again. */
  isJoined: boolean;
}

/**
 * `headers`: a flat list of names and values. `bodyBytes`: undefined without a body. Returns undefined when
 * something of it must not be sent. A `content-length` of the caller's is replaced by the true one.
 */
export type RequestHeads = (
  line: Pick<RequestLine, "method" | "target">,
  headers: readonly string[],
  bodyBytes: number | undefined,
) => string | undefined;

/** True when both have the same texts; most of them are the very same strings. */
function isSameList(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index++) if (one[index] !== other[index]) return false;
  return true;
}

/**
 * Heads of the requests to one host. Calls to an upstream differ in little more than their length, so what
 * comes before it is checked and put together once.
 */
export function createRequestHeads(host: string): RequestHeads {
  const kept: KeptStart[] = [];
  let next = 0;

  function startOf({ method, target }: Pick<RequestLine, "method" | "target">, headers: readonly string[]) {
    for (const one of kept) {
      if (one.method !== method || one.target !== target || !isSameList(one.headers, headers)) continue;
      // Only what is sent again: calls that are signed, or carry a trace, differ each time.
      if (!one.isJoined) one.text = Buffer.from(one.text, "latin1").toString("latin1");
      one.isJoined = true;
      return one.text;
    }
    const text = headStart({ method, target, host }, headers);
    if (text === undefined) return undefined;
    kept[next] = { method, target, headers: [...headers], text, isJoined: false };
    next = (next + 1) % startsMax;
    return text;
  }

  return (line, headers, bodyBytes) => {
    const start = startOf(line, headers);
    if (start === undefined) return undefined;
    return bodyBytes === undefined ? `${start}\r\n` : `${start}content-length: ${bodyBytes}\r\n\r\n`;
  };
}
