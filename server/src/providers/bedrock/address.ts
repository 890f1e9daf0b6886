/** Parses Bedrock credentials and builds its paths. Pure: signs nothing. */
import type { Upstream } from "@plaza/contract/catalog.ts";

/** `bearer`: a Bedrock API key, sent as it is. `keys`: AWS keys, which sign each call. */
export type Credential =
  | { readonly kind: "bearer"; readonly key: string }
  | {
      readonly kind: "keys";
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly sessionToken: string | undefined;
    };

/**
 * AWS keys are written `ACCESS_KEY_ID:SECRET` or `ACCESS_KEY_ID:SECRET:SESSION_TOKEN`. None of the three may
 * contain a colon.
 */
const awsKeys = /^(\w{16,128}):([^:\s]+)(?::([^:\s]+))?$/;

export function readCredential(credential: string): Credential {
  const [, accessKeyId, secretAccessKey, sessionToken] = awsKeys.exec(credential) ?? [];
  if (accessKeyId === undefined || secretAccessKey === undefined) return { kind: "bearer", key: credential };
  return { kind: "keys", accessKeyId, secretAccessKey, sessionToken };
}

const regionInHost = /(?:^|\.)bedrock-runtime(?:-fips)?\.([a-z]{2,3}(?:-[a-z]{2,12}){1,3}-\d{1,2})\./i;
/** The default region of AWS's own tools. */
const fallbackRegion = "us-east-1";

/** The region for signatures: from the upstream's options, else from the host name, else the default. */
export function regionOf(upstream: Upstream): string {
  const region = upstream.options?.["region"];
  return region ?? regionInHost.exec(new URL(upstream.baseUrl).hostname)?.[1] ?? fallbackRegion;
}

/**
 * Encodes one path segment, including `:` and `/` of model ids and ARNs and the characters
 * `encodeURIComponent` leaves.
 */
const segment = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Path and query of a call (docs/wire/bedrock-converse.md section 1). */
export function modelPath(
  { baseUrl }: Upstream,
  model: string,
  action: "converse" | "converse-stream" | "invoke",
): string {
  const { pathname, search } = new URL(baseUrl);
  return `${pathname.replace(/\/$/, "")}/model/${segment(model)}/${action}${search}`;
}
