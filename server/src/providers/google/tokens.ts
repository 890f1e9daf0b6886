/**
 * Exchanges a service account's key for an access token: a grant signed with the account's private key (RFC
 * 7523). The gateway posts it to Google and caches the token. The private key must not leave this file.
 */
import { createPrivateKey, createSign, type KeyObject } from "node:crypto";
import type { Upstream } from "@plaza/contract/catalog.ts";
import { isRecord, parseJson, recordOf } from "../../lib/record.ts";
import { readHeaders } from "../call-headers.ts";
import type { TokenScheme } from "../provider.ts";

const scope = "https://www.googleapis.com/auth/cloud-platform";
const grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const lifeSeconds = 3_600;
/** Allows for clock differences, because Google refuses a grant issued in the future. */
const skewSeconds = 30;
const lifeSecondsMax = 7 * 24 * 3_600;

const base64url = (value: string | Buffer): string => Buffer.from(value).toString("base64url");

/**
 * The URL to get tokens from: set by the operator, or the key's own if it is one of Google's. Throws for any
 * other.
 */
function issuerOf(written: unknown, upstream: Upstream): URL {
  const wanted = upstream.options?.["tokenUri"];
  const address = URL.parse(String(wanted ?? written ?? "https://oauth2.googleapis.com/token"));
  if (address === null) throw new Error("the service account's token_uri is not an address");
  if (wanted !== undefined) return address;
  const isGoogle = /(?:^|\.)googleapis\.com$/.test(address.hostname) && address.port === "";
  if (address.protocol === "https:" && isGoogle) return address;
  throw new Error("the service account's token_uri is not an https address of googleapis.com");
}

function privateKeyOf(pem: unknown): KeyObject {
  if (typeof pem !== "string") throw new Error("the service account has no private_key");
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new Error("the service account's private_key cannot be read");
  }
  if (key.asymmetricKeyType !== "rsa") throw new Error("the service account's private_key is no RSA key");
  return key;
}

interface Grant {
  readonly issuer: URL;
  readonly assertion: string;
}

function grantOf(credential: string, upstream: Upstream, nowMs: number): Grant {
  const account = parseJson(credential);
  if (!isRecord(account))
    throw new Error("the credential begins like a service account's key and is no JSON");
  const { type, client_email: email, private_key: pem, private_key_id: keyId, token_uri: uri } = account;
  if (type !== "service_account") throw new Error("the credential is no service account's key");
  if (typeof email !== "string" || email === "") throw new Error("the service account has no client_email");
  const issuer = issuerOf(uri, upstream);
  const key = privateKeyOf(pem);
  const issuedAt = Math.floor(nowMs / 1000) - skewSeconds;
  const head = { alg: "RS256", typ: "JWT", ...(typeof keyId === "string" ? { kid: keyId } : {}) };
  const claims = { iss: email, scope, aud: issuer.href, iat: issuedAt, exp: issuedAt + lifeSeconds };
  const signed = `${base64url(JSON.stringify(head))}.${base64url(JSON.stringify(claims))}`;
  const signature = createSign("RSA-SHA256").update(signed).sign(key);
  return { issuer, assertion: `${signed}.${base64url(signature)}` };
}

export const tokens: TokenScheme = {
  identity: () => ({ cloud: "google", scope }),
  /**
   * A credential that is a JSON object is a service account's key. Anything else (an API key, a token) is
   * sent as it is. Throws for a broken key.
   */
  call(credential, upstream, nowMs) {
    if (!credential.trimStart().startsWith("{")) return undefined;
    const { issuer, assertion } = grantOf(credential, upstream, nowMs);
    const form = new URLSearchParams({ grant_type: grantType, assertion });
    return {
      origin: issuer.origin,
      path: `${issuer.pathname}${issuer.search}`,
      headers: ["content-type", "application/x-www-form-urlencoded", ...readHeaders()],
      body: Buffer.from(form.toString()),
    };
  },
  read(body) {
    const { access_token: token, expires_in: seconds } = recordOf(parseJson(body));
    // The token goes into a header, so it must be visible ASCII.
    if (typeof token !== "string" || !/^[\x21-\x7e]{1,16384}$/.test(token)) return undefined;
    if (typeof seconds !== "number" || !(seconds > 0)) return undefined;
    return { token, expiresInSeconds: Math.min(seconds, lifeSecondsMax) };
  },
};
