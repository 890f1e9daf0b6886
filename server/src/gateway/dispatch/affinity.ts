/**
 * Who belongs together: requests of one session hash alike, so that they meet the same deployment and its
 * prompt cache. It does not know what is done with the hash.
 */
import type { ProviderRequest } from "../../protocols/protocol.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";

/** Bytes of a session's name that are looked at. */
const nameBytesMax = 256;

const seed = 0x811c9dc5;
const prime = 0x01000193;

/** FNV-1a over 32 bits: cheap, and even enough to spread sessions; nothing secret hangs on it. */
function hashText(text: string, from = seed): number {
  let hash = from;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), prime);
  return hash;
}

/**
 * An unsigned 32-bit hash of the session: what the caller names in the first of `fields` that does, within
 * its account; else the key. Names that are no strings, or empty, do not count.
 */
export function affinityOf(
  { body, spans }: Pick<ProviderRequest, "body" | "spans">,
  fields: Endpoint["sessionFields"],
  key: { readonly id: string; readonly accountId: string },
): number {
  for (const field of fields) {
    const span = spans[field];
    // Quotes included: an empty name has two bytes.
    if (span === undefined || body[span.start] !== 0x22 || span.end - span.start <= 2) continue;
    let hash = hashText(key.accountId);
    const end = Math.min(span.end, span.start + nameBytesMax);
    for (let at = span.start; at < end; at += 1) hash = Math.imul(hash ^ (body[at] ?? 0), prime);
    return hash >>> 0;
  }
  return hashText(key.id) >>> 0;
}
