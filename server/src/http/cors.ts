/**
 * CORS: what pages of other origins may do under `/v1`. Keys are sent by hand and not as cookies, so nothing is given away by `*`, nor by
 * granting whatever headers a preflight asks for.
 */

const maxAgeSeconds = "86400";

/** Asked for by OpenAI's SDKs in browsers; sent to a preflight that names no headers, or none that could be repeated safely. */
const defaultAllowedHeaders =
  "authorization, x-api-key, api-key, content-type, accept, idempotency-key, openai-organization, openai-project";

/** Names spelled out because `*` does not cover credentials. */
const exposedHeaders =
  "x-request-id, retry-after, retry-after-ms, x-should-retry, x-plaza-charge, x-plaza-max-tokens, x-plaza-model, " +
  "x-plaza-dropped-params, " +
  "idempotent-replayed, x-plaza-original-request, " +
  "x-ratelimit-limit-requests, x-ratelimit-remaining-requests, x-ratelimit-reset-requests, " +
  "x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens, x-ratelimit-reset-tokens";

/** What to grant a page of this origin; undefined = nothing. */
function allowedOrigin(allowed: string, origin: string | undefined): string | undefined {
  if (origin === undefined || allowed === "") return undefined;
  if (allowed === "*") return "*";
  return allowed.split(",").some((one) => one.trim() === origin) ? origin : undefined;
}

/**
 * Headers of every answer to a page, flat; undefined where its origin may not call. `allowed`: `*`, a comma-separated list of origins, or
 * empty for none; `origin`: what the page's browser says.
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

/** What a preflight is granted besides, flat. `asked`: its `Access-Control-Request-Headers`. */
export function preflightHeaders(asked: string | undefined): readonly string[] {
  return [
    "access-control-allow-methods",
    "GET, POST, OPTIONS",
    "access-control-allow-headers",
    asked !== undefined && /^[\w\-, ]{1,2000}$/.test(asked) ? asked : defaultAllowedHeaders,
    "access-control-max-age",
    maxAgeSeconds,
  ];
}
