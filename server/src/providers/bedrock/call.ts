/**
 * The call of Converse or ConverseStream: where it goes, what it carries, and the operator's
 * guardrail. Pure; signing comes later.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { streamType } from "../../protocols/bedrock-converse/decode-answer.ts";
import { encodeRequest } from "../../protocols/bedrock-converse/encode-request.ts";
import type { ConverseBody } from "../../protocols/bedrock-converse/wire.ts";
import { decodeRequest } from "../../protocols/openai-chat/decode-request.ts";
import type { ProviderRequest, UpstreamCall } from "../../protocols/protocol.ts";
import { callHeaders } from "../call-headers.ts";
import { conversePath, readCredential } from "./address.ts";

function headersFor(credential: string, isStream: boolean): string[] {
  const headers = callHeaders(isStream ? streamType : "application/json");
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

/** The call of one attempt; unsigned where the credential is a pair of AWS keys. Throws `Untranslatable`. */
export function encodeCall(
  request: ProviderRequest,
  upstream: Upstream,
  credential: string,
  model: string,
): UpstreamCall {
  const { body, dropped } = encodeRequest(decodeRequest(request.body), request, model, guardrailOf(upstream));
  return {
    path: conversePath(upstream, model, request.isStream),
    headers: headersFor(credential, request.isStream),
    body: Buffer.from(JSON.stringify(body)),
    dropped,
  };
}
