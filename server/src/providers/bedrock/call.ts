/**
 * Builds calls of Converse and ConverseStream: path, headers, body and the operator's guardrail. Pure; calls
 * are signed later.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import { streamType } from "../../protocols/bedrock-converse/decode-answer.ts";
import { encodeRequest } from "../../protocols/bedrock-converse/encode-request.ts";
import type { ConverseBody } from "../../protocols/bedrock-converse/wire.ts";
import type { ProviderRequest, UpstreamCall } from "../../protocols/protocol.ts";
import { allDropped } from "../anthropic/forwarded.ts";
import { callHeaders } from "../call-headers.ts";
import { modelPath, readCredential } from "./address.ts";
import { withBetas } from "./betas.ts";

/** The unsigned headers of a call. `accept`: the media type wanted for the answer. */
export function headersFor(credential: string, accept: string): string[] {
  const headers = callHeaders(accept);
  const given = readCredential(credential);
  if (given.kind === "bearer" && credential !== "") headers.push("authorization", `Bearer ${given.key}`);
  return headers;
}

function guardrailOf({ options }: Upstream): Pick<ConverseBody, "guardrailConfig"> {
  const guardrailIdentifier = options?.["guardrail"];
  if (guardrailIdentifier === undefined) return {};
  const guardrailVersion = options?.["guardrailVersion"] ?? "DRAFT";
  return { guardrailConfig: { guardrailIdentifier, guardrailVersion } };
}

/**
 * Builds the call of one attempt, still unsigned when the credential is a pair of AWS keys. Throws
 * `Untranslatable`.
 */
export function encodeCall(
  conversation: Conversation,
  request: ProviderRequest,
  upstream: Upstream,
  credential: string,
  model: string,
): UpstreamCall {
  const encoded = encodeRequest(conversation, request, model, guardrailOf(upstream));
  const { body, dropped } = withBetas(encoded.body, request, upstream, model);
  return {
    path: modelPath(upstream, model, request.isStream ? "converse-stream" : "converse"),
    headers: headersFor(credential, request.isStream ? streamType : "application/json"),
    body: Buffer.from(JSON.stringify(body)),
    dropped: allDropped(encoded.dropped, dropped),
  };
}
