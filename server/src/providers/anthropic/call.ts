/** Path and headers of calls to Anthropic's API. */
import type { Upstream } from "@plaza/contract/catalog.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import { encodeRequest } from "../../protocols/anthropic-messages/encode-request.ts";
import type { ProviderRequest, UpstreamCall } from "../../protocols/protocol.ts";
import { acceptFor, callHeaders, pathBelow, readHeaders } from "../call-headers.ts";
import type { ProbeCall } from "../provider.ts";

/** The `beta` option of the upstream lists flags for features that are not generally available. */
function ownHeaders(upstream: Upstream, credential: string): string[] {
  const headers = ["anthropic-version", "2023-06-01"];
  const beta = upstream.options?.["beta"];
  if (beta !== undefined) headers.push("anthropic-beta", beta);
  if (credential !== "") headers.push("x-api-key", credential);
  return headers;
}

/** Builds the call of one attempt. Throws `Untranslatable`. */
export function encodeCall(
  conversation: Conversation,
  request: ProviderRequest,
  upstream: Upstream,
  credential: string,
  model: string,
): UpstreamCall {
  const { body, dropped } = encodeRequest(conversation, request, model);
  return {
    path: pathBelow(upstream.baseUrl, "/messages"),
    headers: [...callHeaders(acceptFor(request.isStream)), ...ownHeaders(upstream, credential)],
    body: Buffer.from(JSON.stringify({ model, ...body })),
    dropped,
  };
}

/**
 * Lists the upstream's models, to check that it answers and accepts the credential (which may be empty). Uses
 * no tokens.
 */
export const encodeProbe = (upstream: Upstream, credential: string): ProbeCall => ({
  path: pathBelow(upstream.baseUrl, "/models"),
  headers: [...readHeaders(), ...ownHeaders(upstream, credential)],
});
