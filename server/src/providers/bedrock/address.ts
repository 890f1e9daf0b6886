/** Where a Bedrock upstream is and what a credential of it is. Pure: it reads texts and signs nothing. */
import type { Upstream } from "@plaza/contract/catalog.ts";

/** `bearer`: a Bedrock API key, presented as it is. `keys`: AWS keys, with which each call is signed. */
export type Credential =
  | { readonly kind: "bearer"; readonly key: string }
  | {
      readonly kind: "keys";
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly sessionToken: string | undefined;
    };

/**
 * AWS keys are written `ACCESS_KEY_ID:SECRET` or `ACCESS_KEY_ID:SECRET:SESSION_TOKEN`;
 * none of the three has a colon in it.
 */
const awsKeys = /^(\w{16,128}):([^:\s]+)(?::([^:\s]+))?$/;

export function readCredential(credential: string): Credential {
  const [, accessKeyId, secretAccessKey, sessionToken] = awsKeys.exec(credential) ?? [];
  if (accessKeyId === undefined || secretAccessKey === undefined) return { kind: "bearer", key: credential };
  return { kind: "keys", accessKeyId, secretAccessKey, sessionToken };
}

const regionInHost = /(?:^|\.)bedrock-runtime(?:-fips)?\.([a-z]{2,3}(?:-[a-z]{2,12}){1,3}-\d{1,2})\./i;
/** What a signature names where nobody says a region: the one AWS's own tools begin with. */
const fallbackRegion = "us-east-1";

/** The region that a signature names: what the operator says, or what the host's name says. */
export function regionOf(upstream: Upstream): string {
  const region = upstream.options?.["region"];
  return region ?? regionInHost.exec(new URL(upstream.baseUrl).hostname)?.[1] ?? fallbackRegion;
}

/**
 * A text as one segment of a path: `:` and `/` of model ids and ARNs too, and
 * what `encodeURIComponent` leaves alone.
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
