/**
 * Credentials in a catalog file that only this installation can read: `sealed:` and what `lib/secret.ts`
 * made of the text. They are bound to the provider and the address they are for, so that nobody who can edit
 * the file can have one sent elsewhere.
 */
import type { Catalog, Upstream } from "@plaza/contract/catalog.ts";
import { seal, unseal } from "../lib/secret.ts";

const mark = "sealed:";

type Destination = Pick<Upstream, "provider" | "baseUrl">;

function destinationOf({ provider, baseUrl }: Destination): string {
  const origin = baseUrl === "" ? "" : new URL(baseUrl).origin;
  return `credential in a catalog file for ${provider} at ${origin}`;
}

/** The text to write into a catalog file for a credential of an upstream with this provider and address. */
export function sealCredential(plain: string, upstream: Destination, secretKey: Uint8Array): string {
  return `${mark}${seal(plain, secretKey, destinationOf(upstream))}`;
}

/** True when this credential of a catalog file is sealed. */
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

/**
 * The text of a catalog file with its sealed credentials sealed anew with the first of several keys;
 * `catalog` is what the text says. Throws like `openSealedCredentials`.
 */
export function resealText(text: string, catalog: Catalog, keys: Uint8Array): string {
  let resealed = text;
  for (const upstream of catalog.upstreams)
    for (const credential of new Set(upstream.credentials.filter(isSealed))) {
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
 * The catalog of a file with its sealed credentials opened. `secretKey`
 * is asked for only where there are any.
 */
export function openSealedCredentials(catalog: Catalog, secretKey: () => Uint8Array): Catalog {
  if (!catalog.upstreams.some(({ credentials }) => credentials.some(isSealed))) return catalog;
  let key: Uint8Array | undefined;
  const keyOnce = (): Uint8Array => {
    key ??= secretKey();
    return key;
  };
  const upstreams = catalog.upstreams.map((upstream) => ({
    ...upstream,
    credentials: upstream.credentials.map((credential) => open(credential, upstream, keyOnce)),
  }));
  return { ...catalog, upstreams };
}
