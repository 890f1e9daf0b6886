/**
 * Which paths are for callers with a key, and which wire format is spoken under each: what is refused before
 * an endpoint is known is told in the format that the client of that path reads.
 */

import type { RequestHeaders } from "../../lib/net/exchange.ts";
import { anthropicMessages } from "../../protocols/anthropic-messages/answers/answers.ts";
import { gemini } from "../../protocols/gemini/answers/answers.ts";
import { openaiResponses } from "../../protocols/openai-responses/answers/answers.ts";
import type { WireProtocol } from "../../protocols/wire-protocol.ts";

/** Paths of one format, where that is not OpenAI's of chat completions. */
interface PathFamily {
  /** As the path is, and all below it. */
  readonly path: string;
  readonly format: WireProtocol;
}

const families: readonly PathFamily[] = [
  { path: "/v1/messages", format: anthropicMessages },
  // A client that was given a base URL with /v1, which it adds itself.
  { path: "/v1/v1/messages", format: anthropicMessages },
  { path: "/anthropic", format: anthropicMessages },
  { path: "/v1/complete", format: anthropicMessages },
  { path: "/v1/responses", format: openaiResponses },
  { path: "/v1beta", format: gemini },
  // Vertex AI's, and files.
  { path: "/v1beta1", format: gemini },
  { path: "/upload/v1beta", format: gemini },
];

/** Where callers' paths begin; everything else is the console's, or the operator's. */
const roots = [
  ...["/v1/", "/v1beta/", "/v1alpha/", "/v1beta1/", "/upload/v1beta/"],
  ...["/openai/", "/anthropic/"],
] as const;

/** Prefixes that clients of Azure and of Google's other versions and routes put before paths of ours. */
export const otherPrefixes: readonly (readonly [prefix: string, meant: string])[] = [
  ["/openai/v1/", "/v1/"],
  ["/v1beta/openai/", "/v1/"],
  ["/v1alpha/", "/v1beta/"],
  // Azure's dated API has these two beside its deployments.
  ["/openai/models", "/v1/models"],
  ["/openai/responses", "/v1/responses"],
];

/** The path of ours that is meant by another spelling of it; most paths are themselves. */
export function canonicalPath(path: string): string {
  if (!path.startsWith("/openai/") && !path.startsWith("/v1beta/openai/") && !path.startsWith("/v1alpha/"))
    return path;
  for (const [prefix, meant] of otherPrefixes) {
    if (!path.startsWith(prefix)) continue;
    const rest = path.slice(prefix.length);
    if (prefix.endsWith("/") || rest === "" || rest[0] === "/") return meant + rest;
  }
  return path;
}

/** Methods of a model, as Gemini's clients write them behind its name; under `/v1` too. */
const geminiMethod =
  /^\/v1\/models\/.+(?::|%3a)(?:generateContent|streamGenerateContent|countTokens|embedContent|batchEmbedContents)\/?$/i;

/** Endings by which a client's format is known, whatever its base URL has before them. */
const endings: readonly (readonly [RegExp, WireProtocol])[] = [
  [/\/messages(?:\/count_tokens)?\/?$/, anthropicMessages],
  [/\/responses\/?$/, openaiResponses],
  [
    /\/models\/[^/]+(?::|%3a)(?:generateContent|streamGenerateContent|countTokens|embedContent|batchEmbedContents)\/?$/i,
    gemini,
  ],
];

/**
 * The format of a client that calls a path which is not served, because its base URL is wrong; undefined
 * where that cannot be told.
 */
export function formatMeant(path: string): WireProtocol | undefined {
  return endings.find(([ending]) => ending.test(path))?.[1];
}

/**
 * Claude Code reads any 404 as a model that does not exist, and does not show what it says. Of a wrong base
 * URL it is told with another status.
 */
export const hidesNotFound = (path: string): boolean => formatMeant(path) === anthropicMessages;

/** True for a path under which callers send a key. Pages of other origins may call these. */
export function isCallersPath(path: string): boolean {
  for (const root of roots) if (path.startsWith(root)) return true;
  return false;
}

/**
 * The format in which `/v1/models` and what is below it answers a client, by the headers of its format;
 * undefined: OpenAI's. Anthropic's clients read OpenAI's list too, but errors of their own.
 */
export function formatOfModels(headers: RequestHeaders): WireProtocol | undefined {
  if (headers["x-goog-api-key"] !== undefined) return gemini;
  return headers["anthropic-version"] === undefined ? undefined : anthropicMessages;
}

/** The list of models, which clients of all formats read. */
const modelsPath = "/v1/models";

/** The format spoken under a path to a client with these headers; undefined: OpenAI's chat completions. */
export function formatOfPath(given: string, headers: RequestHeaders): WireProtocol | undefined {
  const path = canonicalPath(given);
  for (const family of families) {
    const { length } = family.path;
    if (path.startsWith(family.path) && (path.length === length || path[length] === "/"))
      return family.format;
  }
  if (!path.startsWith(modelsPath)) return undefined;
  if (path.length > modelsPath.length && path[modelsPath.length] !== "/") return undefined;
  return geminiMethod.test(path) ? gemini : formatOfModels(headers);
}
