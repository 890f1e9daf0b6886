/**
 * Builds the call of an OpenAI-compatible upstream. The body is the caller's, byte for byte, except for five
 * named edits. None of the caller's headers is sent. Must not parse the body.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { createJsonScannerFactory, findField } from "../../lib/json/scan.ts";
import type { Edit } from "../../lib/json/splice.ts";
import { parseJson, recordOf } from "../../lib/record.ts";
import type { FieldSpans, ProviderRequest, Span, UpstreamCall } from "../../protocols/protocol.ts";
import { acceptFor, callHeaders, pathBelow } from "../call-headers.ts";
import {
  type BoundSpans,
  bodyWith,
  boundEdits,
  firstMemberAt,
  listEdits,
  memberEdit,
  modelEdit,
} from "../named-edits.ts";

/**
 * Most base URLs whose path is cached. Far more than any catalog has; the bound keeps memory constant over
 * years of catalog edits.
 */
const pathsMax = 1_000;

/**
 * Path and query of one endpoint below any base URL. `end` is like `/chat/completions`. A query in the base
 * URL (`?api-version=…`) stays at the end.
 */
export function pathsTo(end: string): (baseUrl: string) => string {
  const paths = new Map<string, string>();
  return (baseUrl) => {
    const known = paths.get(baseUrl);
    if (known !== undefined) return known;
    const path = pathBelow(baseUrl, end);
    if (paths.size >= pathsMax) paths.clear();
    paths.set(baseUrl, path);
    return path;
  };
}

/** Path of the chat endpoint. */
export const chatPath = pathsTo("/chat/completions");

/** All headers of a call. Without a credential (local servers) there is no authorization header. */
export function headersFor(credential: string, isStream: boolean): string[] {
  const headers = callHeaders(acceptFor(isStream));
  if (credential !== "") headers.push("authorization", `Bearer ${credential}`);
  return headers;
}

const scanOptions = createJsonScannerFactory(["include_usage"], { depthMax: 64, valuesMax: 200_000 });

/** Sets `include_usage` to true in a `stream_options` object and keeps its other members as written. */
function optionsEdit(body: Buffer, span: Span): Edit {
  const bytes = body.subarray(span.start, span.end);
  const scanner = scanOptions();
  scanner.push(bytes);
  const scan = scanner.end();
  const isPlain = scan.reason === undefined && scan.duplicate === undefined && scan.misspelt === undefined;
  if (!isPlain || scan.firstMemberAt < 0) {
    const options = { ...recordOf(parseJson(bytes.toString())), include_usage: true };
    return { ...span, text: JSON.stringify(options) };
  }
  const field = findField(scan, "include_usage");
  if (field !== undefined) {
    return { start: span.start + field.start, end: span.start + field.end, text: "true" };
  }
  const at = span.start + scan.firstMemberAt;
  return { start: at, end: at, text: scan.isEmpty ? '"include_usage":true' : '"include_usage":true,' };
}

/** True when the caller asked for usage in its stream (`stream_options.include_usage: true`). */
export function asksForUsage(body: Buffer, spans: FieldSpans): boolean {
  const span = spans.stream_options;
  if (span === undefined) return false;
  return recordOf(parseJson(body.toString("utf8", span.start, span.end))).include_usage === true;
}

/** Asks the upstream for usage even if the caller did not, because the charge is computed from it. */
function usageEdit({ body, spans }: ProviderRequest): Edit | undefined {
  const span = spans.stream_options;
  if (span === undefined) {
    const at = firstMemberAt(body);
    return { start: at, end: at, text: '"stream_options":{"include_usage":true},' };
  }
  if (asksForUsage(body, spans)) return undefined;
  const isNull = body[span.start] === 0x6e;
  return isNull ? { ...span, text: '{"include_usage":true}' } : optionsEdit(body, span);
}

/** Hosts whose newer models refuse `max_tokens`. All other compatible servers know that older name. */
const knowsCompletionTokens = /^https:\/\/(?:[\w-]+\.)*(?:openai\.com|openai\.azure\.(?:com|us|cn))[:/]/i;

/**
 * The name of an endpoint's output limit. Undefined for chat, which has two; the host decides which one is
 * used.
 */
export type BoundName = "max_tokens" | undefined;

/** The places of the output limits of an endpoint with one name for them, or of chat's two. */
function boundSpans({ spans }: ProviderRequest, upstream: Upstream, bound: BoundName): BoundSpans {
  return {
    known: bound === undefined ? [spans.max_completion_tokens, spans.max_tokens] : [spans[bound]],
    insert: (body, text) => memberEdit(body, 0, `"${bound ?? chatBoundOf(upstream)}":${text}`),
  };
}

/** The name of the bound that a chat upstream knows. */
export const chatBoundOf = ({ baseUrl }: Upstream): "max_completion_tokens" | "max_tokens" =>
  knowsCompletionTokens.test(`${baseUrl}/`) ? "max_completion_tokens" : "max_tokens";

/**
 * The edits every upstream's body gets: model name, `include_usage` for streams, output limit, and no
 * `models` list.
 */
export function editsOf(
  request: ProviderRequest,
  upstream: Upstream,
  model: string,
  bound?: BoundName,
): Edit[] {
  const edits: Edit[] = [];
  const edit = modelEdit(request.body, request.spans.model, model);
  if (edit !== undefined) edits.push(edit);
  const usage = request.isStream ? usageEdit(request) : undefined;
  if (usage !== undefined) edits.push(usage);
  if (request.outputTokensMax !== undefined)
    edits.push(...boundEdits(request, boundSpans(request, upstream, bound)));
  edits.push(...listEdits(request.body, request.spans));
  return edits;
}

/**
 * Encodes calls of one endpoint. `credential` may be empty. Without changes the body is the caller's own
 * buffer.
 */
export const encodeTo =
  (pathOf: (baseUrl: string) => string, bound?: BoundName) =>
  (request: ProviderRequest, upstream: Upstream, credential: string, model: string): UpstreamCall => ({
    path: pathOf(upstream.baseUrl),
    headers: headersFor(credential, request.isStream),
    body: bodyWith(request.body, editsOf(request, upstream, model, bound)),
  });

export const encodeChat = encodeTo(chatPath);
