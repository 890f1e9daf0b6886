/**
 * Where a call goes and how it shows who we are: the Gemini API with a key, or Vertex AI with an access token
 * (docs/wire/gemini.md section 1).
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { encodeRequest } from "../../protocols/gemini/encode-request.ts";
import type { Api } from "../../protocols/gemini/wire.ts";
import { decodeRequest } from "../../protocols/openai-chat/decode-request.ts";
import type { ProviderRequest, UpstreamCall } from "../../protocols/protocol.ts";
import { acceptFor, callHeaders, readHeaders } from "../call-headers.ts";
import type { ProbeCall } from "../provider.ts";

/** Hosts of Vertex AI: global, of a region, of an area of several. */
const vertexHost = /(?:^|[.-])aiplatform(?:\.[a-z]+\.rep)?\.googleapis\.com$/;

/** Is it an address of Vertex AI's, or of something in front of it? */
function isVertexAddress(baseUrl: string): boolean {
  const { hostname, pathname } = new URL(baseUrl);
  return vertexHost.test(hostname) || pathname.includes("/publishers/google");
}

/** Whose API it is: told by the option `api`, else by the address. */
export function apiOf(upstream: Upstream): Api {
  const api = upstream.options?.["api"];
  if (api === "gemini" || api === "vertex") return api;
  return isVertexAddress(upstream.baseUrl) ? "vertex" : "gemini";
}

/** Collections a model's name may begin with; without one it is one of `models/`. */
const collection = /^(?:models|tunedModels|endpoints|publishers|projects)\//;

/** The model with its collection. `model` as the catalog says it, with or without `models/` in front. */
export const resourceOf = (model: string): string => (collection.test(model) ? model : `models/${model}`);

/** A name as one segment of a path; versions are written with an @, which may stand there. */
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
const callPath = (baseUrl: string, model: string, isStream: boolean): string =>
  isStream
    ? methodPath(baseUrl, model, "streamGenerateContent", { alt: "sse" })
    : methodPath(baseUrl, model, "generateContent");

/** How Google's own tokens and keys begin; what begins otherwise is what the API usually takes. */
const accessToken = /^ya29\./;
const apiKey = /^(?:AIza|AQ\.)/;

/** The header a credential goes into. A key never goes into the address: addresses are logged. */
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
 * The call of one attempt. `credential`: a key, or an access token; may be empty. Throws `Untranslatable`.
 */
export function encodeCall(
  request: ProviderRequest,
  upstream: Upstream,
  credential: string,
  model: string,
): UpstreamCall {
  const api = apiOf(upstream);
  const { body, dropped } = encodeRequest(decodeRequest(request.body), request, api, model);
  return {
    path: callPath(upstream.baseUrl, model, request.isStream),
    headers: googleHeaders(api, credential, request.isStream),
    body: Buffer.from(JSON.stringify(body)),
    ...(dropped === undefined ? {} : { dropped }),
  };
}

/**
 * The list of models, which is free. Vertex has no such list at its base URL, and a service account's key is
 * not for showing: there only the host is looked at.
 */
export function encodeProbe(upstream: Upstream, credential: string): ProbeCall {
  const api = apiOf(upstream);
  const headers = readHeaders();
  if (api === "vertex" || credential.trimStart().startsWith("{")) return { path: "/", headers };
  const { pathname, search } = new URL(upstream.baseUrl);
  const query = new URLSearchParams(search);
  query.set("pageSize", "1");
  return {
    path: `${pathname.replace(/\/$/, "")}/models?${query}`,
    headers: [...headers, ...authOf(api, credential)],
  };
}
