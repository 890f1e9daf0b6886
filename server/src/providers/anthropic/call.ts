/** Path and headers of calls to Anthropic's API. */
import type { Upstream } from "@plaza/contract/catalog.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import { encodeRequest } from "../../protocols/anthropic-messages/encode-request.ts";
import type { ProviderRequest, UpstreamCall } from "../../protocols/protocol.ts";
import { acceptFor, callHeaders, pathBelow, readHeaders } from "../call-headers.ts";
import type { ProbeCall } from "../provider.ts";
import { allDropped, betasOf, versionOf } from "./forwarded.ts";

/** Below the base URL. */
export const messagesPath = ({ baseUrl }: Upstream): string => pathBelow(baseUrl, "/messages");

/** The headers of a call. */
interface Heads {
  readonly headers: string[];
  /** As they are sent. */
  readonly betas: readonly string[];
  /** The caller's betas that are left out. */
  readonly dropped: readonly string[];
}

/** Returns all headers of a call. */
export function headsFor(request: ProviderRequest, upstream: Upstream, credential: string): Heads {
  const own = ownHeaders(request, upstream, credential);
  return { ...own, headers: [...callHeaders(acceptFor(request.isStream)), ...own.headers] };
}

function ownHeaders(
  asked: Pick<ProviderRequest, "forwarded" | "contextTokens">,
  upstream: Upstream,
  credential: string,
): Heads {
  const { sent, dropped } = betasOf(asked, upstream);
  const headers = ["anthropic-version", versionOf(asked)];
  if (sent.length > 0) headers.push("anthropic-beta", sent.join(","));
  if (credential !== "") headers.push("x-api-key", credential);
  return { headers, betas: sent, dropped };
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
  const heads = headsFor(request, upstream, credential);
  return {
    path: messagesPath(upstream),
    headers: heads.headers,
    body: Buffer.from(JSON.stringify({ model, ...body })),
    dropped: allDropped(dropped, heads.dropped),
  };
}

/**
 * Lists the upstream's models, to check that it answers and accepts the credential (which may be empty). Uses
 * no tokens.
 */
export const encodeProbe = (upstream: Upstream, credential: string): ProbeCall => ({
  path: pathBelow(upstream.baseUrl, "/models"),
  headers: [...readHeaders(), ...ownHeaders({}, upstream, credential).headers],
});
