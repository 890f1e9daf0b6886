/**
 * CORS for pages that call `/v1`. Keys are sent in headers, not cookies, so neither `*` nor granting every
 * requested header gives a page any additional rights.
 */

const maxAgeSeconds = "86400";

/**
 * The headers OpenAI's browser SDKs use. Granted to a preflight that names none, or whose header is not a
 * list of names.
 */
const defaultAllowedHeaders =
  "authorization, x-api-key, api-key, x-goog-api-key, content-type, accept, idempotency-key, " +
  "openai-organization, openai-project, openai-beta, anthropic-version, anthropic-beta, " +
  "anthropic-dangerous-direct-browser-access, x-goog-api-client, x-goog-user-project, " +
  "x-stainless-lang, x-stainless-package-version, x-stainless-os, x-stainless-arch, x-stainless-runtime, " +
  "x-stainless-runtime-version, x-stainless-retry-count, x-stainless-timeout, x-stainless-helper-method";

/** Listed by name, because `*` does not apply to requests with credentials. */
const exposedHeaders =
  "x-request-id, request-id, retry-after, retry-after-ms, x-should-retry, x-plaza-charge, x-plaza-max-tokens, x-plaza-model, " +
  "x-plaza-dropped-params, " +
  "idempotent-replayed, x-plaza-original-request, " +
  "x-ratelimit-limit-requests, x-ratelimit-remaining-requests, x-ratelimit-reset-requests, " +
  "x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens, x-ratelimit-reset-tokens";

/** Returns Access-Control-Allow-Origin for this origin; undefined = not allowed. */
function allowedOrigin(allowed: string, origin: string | undefined): string | undefined {
  if (origin === undefined || allowed === "") return undefined;
  if (allowed === "*") return "*";
  return allowed.split(",").some((one) => one.trim() === origin) ? origin : undefined;
}

/**
 * Returns the CORS headers of an answer, flat; undefined when the origin is not allowed. `allowed`: `*`, a
 * comma-separated list of origins, or empty for none; `origin`: the request's Origin header.
 */
export function corsHeaders(allowed: string, origin: string | undefined): readonly string[] | undefined {
  const granted = allowedOrigin(allowed, origin);
  if (granted === undefined) return undefined;
  return [
    "access-control-allow-origin",
    granted,
    "access-control-expose-headers",
    exposedHeaders,
    "vary",
    "origin",
  ];
}

/**
 * Returns the additional headers of a preflight answer, flat. `asked`: its `Access-Control-Request-Headers`.
 */
export function preflightHeaders(asked: string | undefined): readonly string[] {
  return [
    "access-control-allow-methods",
    "GET, POST, DELETE, OPTIONS",
    "access-control-allow-headers",
    asked !== undefined && /^[\w\-, ]{1,2000}$/.test(asked) ? asked : defaultAllowedHeaders,
    "access-control-max-age",
    maxAgeSeconds,
  ];
}
