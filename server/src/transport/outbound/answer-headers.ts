/** The header fields of an answer as the gateway reads them: a plain record with lower-case names. */
import { createFieldNames, type Head } from "../llhttp/head.ts";

/** What `AnswerHandler.onResponseStart` gets: a repeated field is a list, in order. */
export type AnswerHeaders = Record<string, string | string[] | undefined>;

/** Names that answers usually have: recognised by their bytes, so that no string is made for them. */
const nameOf = createFieldNames([
  "content-type",
  "content-length",
  "content-encoding",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "date",
  "server",
  "vary",
  "via",
  "cf-ray",
  "cf-cache-status",
  "cache-control",
  "set-cookie",
  "retry-after",
  "x-request-id",
  "request-id",
  "access-control-allow-origin",
  "strict-transport-security",
  "x-content-type-options",
  "alt-svc",
]);

/** Copies the fields out of the head, which is valid only until the next message is read. */
export function headersOf(head: Head): AnswerHeaders {
  const headers: AnswerHeaders = {};
  for (let field = 0; field < head.count; field++) {
    const name = nameOf(head, field);
    if (name === "__proto__") continue;
    const value = head.trimmedValue(field);
    const before = headers[name];
    if (before === undefined || !Object.hasOwn(headers, name)) headers[name] = value;
    else if (typeof before === "string") headers[name] = [before, value];
    else before.push(value);
  }
  return headers;
}
