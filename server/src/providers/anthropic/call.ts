/** Path and headers of calls to Anthropic's API. */
import type { Upstream } from "@plaza/contract/catalog.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import { encodeRequest } from "../../protocols/anthropic-messages/encode-request.ts";
import type { ProviderRequest, UpstreamCall } from "../../protocols/protocol.ts";
import { acceptFor, callHeaders, pathBelow, readHeaders } from "../call-headers.ts";
import type { ProbeCall } from "../provider.ts";

/** Below the base URL. */
export const messagesPath = ({ baseUrl }: Upstream): string => pathBelow(baseUrl, "/messages");

/** Everything an upstream is sent beside the body. */
export const headersFor = (upstream: Upstream, credential: string, isStream: boolean): string[] => [
  ...callHeaders(acceptFor(isStream)),
  ...ownHeaders(upstream, credential),
];

/** `beta`: flags of features not open to everyone, from the upstream's options. */
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
    path: messagesPath(upstream),
    headers: headersFor(upstream, credential, request.isStream),
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
