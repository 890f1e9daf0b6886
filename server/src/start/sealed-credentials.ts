/**
 * Encrypted credentials in a catalog file (`sealed:` followed by the output of `lib/secret.ts`), readable
 * only by this installation. Each is bound to its provider and host, so that editing the file cannot send it
 * to another server.
 */
import type { Catalog, Upstream } from "@plaza/contract/catalog.ts";
import { sealSteadily, unseal } from "../lib/secret.ts";

const mark = "sealed:";

type Destination = Pick<Upstream, "provider" | "baseUrl">;

function destinationOf({ provider, baseUrl }: Destination): string {
  const origin = baseUrl === "" ? "" : new URL(baseUrl).origin;
  return `credential in a catalog file for ${provider} at ${origin}`;
}

/**
 * Encrypts a credential for a catalog file, bound to this provider and base URL. The same credential always
 * gives the same text, so that a file changes only where the configuration does.
 */
export function sealCredential(plain: string, upstream: Destination, secretKey: Uint8Array): string {
  return `${mark}${sealSteadily(plain, secretKey, destinationOf(upstream))}`;
}

/** True when this credential is sealed. */
export const isSealed = (credential: string): boolean => credential.startsWith(mark);

function open(credential: string, upstream: Upstream, secretKey: () => Uint8Array): string {
  if (!isSealed(credential)) return credential;
  try {
    return unseal(credential.slice(mark.length), secretKey(), destinationOf(upstream));
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new Error(
      `upstream ${upstream.id}: its sealed credential cannot be opened here: ${reason}. It opens only with the key it was sealed with and for the provider and host it was sealed for; connect the upstream again, or give the credential as \${VARIABLE}`,
      { cause },
    );
  }
}

/** Everything of an upstream that may be sealed in a file: its credentials and the values of its headers. */
const secretsOf = ({ credentials, headers = {} }: Upstream): string[] => [
  ...credentials,
  ...Object.values(headers),
];

const openHeaders = (
  headers: Readonly<Record<string, string>>,
  upstream: Upstream,
  secretKey: () => Uint8Array,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, open(value, upstream, secretKey)]),
  );

/**
 * Returns the file's text with its sealed credentials encrypted again, with the first of several keys.
 * `catalog`: the parsed text. Throws like `openSealedCredentials`.
 */
export function resealText(text: string, catalog: Catalog, keys: Uint8Array): string {
  let resealed = text;
  for (const upstream of catalog.upstreams)
    for (const credential of new Set(secretsOf(upstream).filter(isSealed))) {
      const anew = sealCredential(
        open(credential, upstream, () => keys),
        upstream,
        keys,
      );
      resealed = resealed.replaceAll(credential, () => anew);
    }
  return resealed;
}

/**
 * Returns the catalog with its sealed credentials decrypted. `secretKey` is called only when there are any.
 * Throws an Error naming the upstream when one cannot be opened.
 */
export function openSealedCredentials(catalog: Catalog, secretKey: () => Uint8Array): Catalog {
  if (!catalog.upstreams.some((upstream) => secretsOf(upstream).some(isSealed))) return catalog;
  let key: Uint8Array | undefined;
  const keyOnce = (): Uint8Array => {
    key ??= secretKey();
    return key;
  };
  const upstreams = catalog.upstreams.map((upstream) => ({
    ...upstream,
    credentials: upstream.credentials.map((credential) => open(credential, upstream, keyOnce)),
    ...(upstream.headers === undefined ? {} : { headers: openHeaders(upstream.headers, upstream, keyOnce) }),
  }));
  return { ...catalog, upstreams };
}
