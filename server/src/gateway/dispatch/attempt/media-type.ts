/**
 * What an upstream calls its answer, for the operator's log: a media type and
 * nothing else that a header may hold.
 */
import type { UpstreamHeaders } from "../../../protocols/protocol.ts";

/** Like `text/html`, lower case, without parameters; "none" or "odd" where there is none. */
export function mediaTypeOf(headers: UpstreamHeaders): string {
  const contentType = String(headers["content-type"] ?? "").trim();
  if (contentType === "") return "none";
  return /^[a-z]{1,20}\/[a-z0-9.+-]{1,40}(?=$|[\s;])/i.exec(contentType)?.[0].toLowerCase() ?? "odd";
}
