/**
 * Session affinity: requests of one session get the same hash, so that they reach the same deployment and its
 * prompt cache.
 */
import type { ProviderRequest } from "../../protocols/protocol.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";

/** Maximum bytes of a session name that are hashed. */
const nameBytesMax = 256;

const seed = 0x811c9dc5;
const prime = 0x01000193;

/** FNV-1a, 32 bits: fast and evenly spread. It does not need to be secure. */
function hashText(text: string, from = seed): number {
  let hash = from;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), prime);
  return hash;
}

/**
 * Returns an unsigned 32-bit hash of the session: the first of `fields` that holds a non-empty string,
 * combined with the account. Without one, the hash of the API key.
 */
export function affinityOf(
  { body, spans }: Pick<ProviderRequest, "body" | "spans">,
  fields: Endpoint["sessionFields"],
  key: { readonly id: string; readonly accountId: string },
): number {
  for (const field of fields) {
    const span = spans[field];
    // The span includes the quotes, so an empty name has two bytes.
    if (span === undefined || body[span.start] !== 0x22 || span.end - span.start <= 2) continue;
    let hash = hashText(key.accountId);
    const end = Math.min(span.end, span.start + nameBytesMax);
    for (let at = span.start; at < end; at += 1) hash = Math.imul(hash ^ (body[at] ?? 0), prime);
    return hash >>> 0;
  }
  return hashText(key.id) >>> 0;
}
