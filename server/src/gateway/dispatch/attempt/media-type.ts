/** The media type of an upstream's answer, safe to write to the operator's log. */
import type { UpstreamHeaders } from "../../../protocols/protocol.ts";

/**
 * Returns a media type such as `text/html` in lower case, without parameters; "none" without a header, "odd"
 * when it is not one.
 */
export function mediaTypeOf(headers: UpstreamHeaders): string {
  const contentType = String(headers["content-type"] ?? "").trim();
  if (contentType === "") return "none";
  return /^[a-z]{1,20}\/[a-z0-9.+-]{1,40}(?=$|[\s;])/i.exec(contentType)?.[0].toLowerCase() ?? "odd";
}
