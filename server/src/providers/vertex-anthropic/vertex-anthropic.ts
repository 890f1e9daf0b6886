/**
 * The provider `vertex-anthropic`: Claude on Google's Vertex AI. Anthropic's messages through `rawPredict`
 * and `streamRawPredict`, with the model in the path, the version in the body and Google's tokens as
 * credentials. `factsOn` and `fitted` handle what Vertex lacks. Facts from @anthropic-ai/vertex-sdk 1.1.3
 * (2026-11-10) and @ai-sdk/google-vertex 4.0.208.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import { hasValue } from "../../lib/json/spans.ts";
import { isRecord, parseJson, recordOf } from "../../lib/record.ts";
import { messagesDecoder } from "../../protocols/anthropic-messages/decode-answer.ts";
import { encodeRequest } from "../../protocols/anthropic-messages/encode-request.ts";
import { faultOfMessages } from "../../protocols/anthropic-messages/fault.ts";
import type { MessagesBody } from "../../protocols/anthropic-messages/wire.ts";
import { factsOf, type ModelFacts } from "../../protocols/claude/models.ts";
import { faultOfGoogle } from "../../protocols/gemini/fault.ts";
import { messagesPayloads } from "../../protocols/payloads/marks.ts";
import type { Fault, ProviderRequest, UpstreamCall, UpstreamHeaders } from "../../protocols/protocol.ts";
import { allDropped } from "../anthropic/forwarded.ts";
import { readHeaders } from "../call-headers.ts";
import { tokens } from "../google/tokens.ts";
import type { HttpProvider, ProbeCall } from "../provider.ts";
import { callPath, headsFor, version } from "./call.ts";
import { vertexCounter } from "./count-tokens.ts";
import { passingMessages } from "./passing-messages.ts";

/**
 * Vertex supports neither a schema for the answer nor `strict` on tools. A tool that must be called replaces
 * the schema.
 */
const factsOn = (model: string): ModelFacts => ({ ...factsOf(model), takesSchema: false });

/**
 * The body for Vertex: without `service_tier`, which only Anthropic's own API has, and with a cache mark on
 * the whole request moved to where it takes effect: the last block that may carry one.
 */
function fitted({ service_tier: _, cache_control: whole, ...body }: MessagesBody): MessagesBody {
  if (whole === undefined) return body;
  const blocks = body.messages.at(-1)?.content ?? [];
  const last = blocks.findLast((block) => block.type !== "thinking" && block.type !== "redacted_thinking");
  if (last !== undefined && !("cache_control" in last)) Object.assign(last, { cache_control: whole });
  return body;
}

/** Builds the call of one attempt. Throws `Untranslatable`. */
function encodeCall(
  conversation: Conversation,
  request: ProviderRequest,
  upstream: Upstream,
  credential: string,
  model: string,
): UpstreamCall {
  const { body, dropped } = encodeRequest(conversation, request, model, factsOn(model));
  const heads = headsFor(request, upstream, credential);
  return {
    path: callPath(upstream, model, request.isStream),
    headers: heads.headers,
    body: Buffer.from(JSON.stringify({ anthropic_version: version, ...fitted(body) })),
    dropped: allDropped(dropped, heads.dropped),
  };
}

/**
 * Checks the host only: a service account's key must not be sent, and the list may be closed to callers of
 * models.
 */
const encodeProbe = (): ProbeCall => ({ path: "/", headers: readHeaders() });

/** Lists the publisher's models, not all of which the project may use. `credential`: an access token. */
function listCall(upstream: Upstream, credential: string): ProbeCall {
  const { pathname } = new URL(upstream.baseUrl);
  // The list belongs to no project or region, and exists only in the beta version.
  const before = pathname.replace(/\/v1(?:beta1)?\/projects\/.*$/, "");
  const path = `${before === pathname ? "" : before}/v1beta1/publishers/anthropic/models`;
  return { path, headers: [...readHeaders(), "authorization", `Bearer ${credential}`] };
}

/** True for Google's own errors, which have a number or a status name; Anthropic's have a type. */
function isOfGoogle(body: string): boolean {
  const value = parseJson(body);
  if (Array.isArray(value)) return true;
  const error = recordOf(isRecord(value) ? value["error"] : undefined);
  return typeof error["code"] === "number" || typeof error["status"] === "string";
}

/** Classifies an error of the model (Anthropic's format) or of the platform (Google's format). */
function faultOnVertex(status: number, headers: UpstreamHeaders, body: string): Fault {
  return isOfGoogle(body) ? faultOfGoogle(status, headers, body) : faultOfMessages(status, headers, body);
}

export const vertexAnthropic = {
  id: "vertex-anthropic",
  transport: "http",
  formats: [
    {
      format: "anthropic-messages",
      decoder: messagesDecoder(factsOn),
      inlinesMedia: true,
      encode: encodeCall,
      passing: passingMessages,
      counter: vertexCounter,
      // Files at an address have to be fetched for Vertex.
      mayPass: (body) =>
        !messagesPayloads.isIn(body) && !hasValue(body, '"url"', { start: 0, end: body.length }),
    },
  ],
  tokens,
  probe: encodeProbe,
  list: listCall,
  fault: faultOnVertex,
} as const satisfies HttpProvider;
