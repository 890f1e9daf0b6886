/**
 * Address and credentials of a call: the Gemini API with a key, or Vertex AI with an access token
 * (docs/wire/gemini.md section 1).
 */
import { type Upstream, workloadIdentity } from "@plaza/contract/catalog.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import { encodeRequest } from "../../protocols/gemini/encode-request.ts";
import type { Api } from "../../protocols/gemini/wire.ts";
import type { ProviderRequest, UpstreamCall } from "../../protocols/protocol.ts";
import { acceptFor, callHeaders, readHeaders } from "../call-headers.ts";
import type { ProbeCall } from "../provider.ts";

/** Hosts of Vertex AI: global, one region, or an area of several regions. */
const vertexHost = /(?:^|[.-])aiplatform(?:\.[a-z]+\.rep)?\.googleapis\.com$/;

/** True for an address of Vertex AI, or of a proxy in front of it. */
function isVertexAddress(baseUrl: string): boolean {
  const { hostname, pathname } = new URL(baseUrl);
  return vertexHost.test(hostname) || pathname.includes("/publishers/google");
}

/** Which API an upstream has: from the option `api`, else from its address. */
export function apiOf(upstream: Upstream): Api {
  const api = upstream.options?.["api"];
  if (api === "gemini" || api === "vertex") return api;
  return isVertexAddress(upstream.baseUrl) ? "vertex" : "gemini";
}

/** Collections a model's name may start with. Names without one are in `models/`. */
const collection = /^(?:models|tunedModels|endpoints|publishers|projects)\//;

/** The model's resource name, with its collection. `model`: as in the catalog, with or without `models/`. */
export const resourceOf = (model: string): string => (collection.test(model) ? model : `models/${model}`);

/** Encodes one path segment. An @, which versions are written with, stays as it is. */
const segment = (text: string): string => encodeURIComponent(text.toWellFormed()).replaceAll("%40", "@");

/** Path and query of a method of a model. */
export function methodPath(
  baseUrl: string,
  model: string,
  method: string,
  more: Readonly<Record<string, string>> = {},
): string {
  const { pathname, search } = new URL(baseUrl);
  const resource = resourceOf(model).split("/").map(segment).join("/");
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  const rest = query.size === 0 ? "" : `?${query}`;
  return `${pathname.replace(/\/$/, "")}/${resource}:${method}${rest}`;
}

/** Path and query of a call of `generateContent`. */
export const callPath = (baseUrl: string, model: string, isStream: boolean): string =>
  isStream
    ? methodPath(baseUrl, model, "streamGenerateContent", { alt: "sse" })
    : methodPath(baseUrl, model, "generateContent");

/** How Google's access tokens start. Any other credential is sent as the API's usual kind. */
const accessToken = /^ya29\./;
const apiKey = /^(?:AIza|AQ\.)/;

/** The header for a credential. A key is never put in the URL, because URLs are logged. */
function authOf(api: Api, credential: string): string[] {
  if (credential === "") return [];
  const isKey = api === "gemini" ? !accessToken.test(credential) : apiKey.test(credential);
  return isKey ? ["x-goog-api-key", credential] : ["authorization", `Bearer ${credential}`];
}

/** The headers of a call with this credential. */
export const googleHeaders = (api: Api, credential: string, isStream: boolean): string[] => [
  ...callHeaders(acceptFor(isStream)),
  ...authOf(api, credential),
];

/**
 * Builds the call of one attempt. `credential`: a key or an access token; may be empty. Throws
 * `Untranslatable`.
 */
export function encodeCall(
  conversation: Conversation,
  request: ProviderRequest,
  upstream: Upstream,
  credential: string,
  model: string,
): UpstreamCall {
  const api = apiOf(upstream);
  const { body, dropped } = encodeRequest(conversation, request, api, model);
  return {
    path: callPath(upstream.baseUrl, model, request.isStream),
    headers: googleHeaders(api, credential, request.isStream),
    body: Buffer.from(JSON.stringify(body)),
    ...(dropped === undefined ? {} : { dropped }),
  };
}

/** True when it has to be exchanged for a token, and is never sent itself. */
const isExchanged = (credential: string): boolean =>
  credential === workloadIdentity || credential.trimStart().startsWith("{");

/**
 * Lists the models, which is free. Vertex has no list at its base URL and a service account's key must not be
 * sent, so only the host is checked there.
 */
export function encodeProbe(upstream: Upstream, credential: string): ProbeCall {
  const api = apiOf(upstream);
  const headers = readHeaders();
  if (api === "vertex" || isExchanged(credential)) return { path: "/", headers };
  const { pathname, search } = new URL(upstream.baseUrl);
  const query = new URLSearchParams(search);
  query.set("pageSize", "1");
  return {
    path: `${pathname.replace(/\/$/, "")}/models?${query}`,
    headers: [...headers, ...authOf(api, credential)],
  };
}
