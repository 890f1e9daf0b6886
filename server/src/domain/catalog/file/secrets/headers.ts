/**
 * Reads the `headers` of an upstream, which are added to every call to it. Uses no provider names: which
 * headers are the provider's own is a parameter.
 */
import { message } from "@plaza/contract/messages/message.ts";
import { quote } from "../../../../lib/quote.ts";
import { fault, type Reading, type Spot } from "../reading.ts";
import { readSecretText } from "./secret-text.ts";

/** Headers of a provider that an upstream cannot have, in lower case. */
export interface KnownHeaders {
  /** Those that carry its credential. They are free for upstreams without one. */
  readonly credential: readonly string[];
  /** Other headers of its protocol. */
  readonly protocol?: readonly string[];
}

/** Most headers of an upstream. */
const headersMax = 16;
/** Longest value in characters. */
const valueLengthMax = 4_096;

/** Names may have no other signs, because some servers drop or join those that do. */
const nameForm = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98}[A-Za-z0-9])?$/;

/** What the transport writes itself, and what means something to each hop on the way. */
const transportHeaders: ReadonlySet<string> = new Set([
  ...["host", "connection", "keep-alive", "upgrade", "te", "trailer", "transfer-encoding", "expect"],
  ...["proxy-authenticate", "proxy-authorization", "proxy-connection", "http2-settings"],
  ...["content-length", "content-type", "content-encoding", "accept", "accept-encoding"],
]);

/** The headers by name in lower case; undefined when there are none. `spot`: the mapping, if there is one. */
export function readHeaders(
  reading: Reading,
  spot: Spot | undefined,
  {
    known,
    isCredentialSent,
  }: { readonly known: KnownHeaders | undefined; readonly isCredentialSent: boolean },
): Readonly<Record<string, string>> | undefined {
  if (spot === undefined) return undefined;
  if (spot.part.kind !== "mapping") {
    fault(reading, spot, message("file.headersNotNames"));
    return undefined;
  }
  const { fields } = spot.part;
  if (fields.size > headersMax)
    fault(reading, spot, message("file.tooManyHeaders", { count: fields.size, max: headersMax }));
  const owned = new Set([...(isCredentialSent ? (known?.credential ?? []) : []), ...(known?.protocol ?? [])]);
  const values = new Map<string, string>();
  for (const [given, { keyStart, value }] of fields) {
    const name = given.toLowerCase();
    const path = `${spot.path}.${given}`;
    const refuse = (found: ReturnType<typeof message>): void => {
      reading.faults.push({ start: keyStart, path, message: found });
    };
    if (!nameForm.test(given)) refuse(message("file.headerNameForm", { name: quote(given) }));
    else if (transportHeaders.has(name)) refuse(message("file.headerOfTransport", { name }));
    else if (owned.has(name)) refuse(message("file.headerOfProvider", { name }));
    else if (values.has(name)) refuse(message("file.headerTwice", { name }));
    const what = message(reading.env === undefined ? "file.aHeaderValue" : "file.aHeaderValueOfFile");
    values.set(name, readSecretText(reading, { part: value, path }, what, valueLengthMax));
  }
  if (values.size === 0) return undefined;
  return Object.fromEntries([...values].sort(([a], [b]) => (a < b ? -1 : 1)));
}
