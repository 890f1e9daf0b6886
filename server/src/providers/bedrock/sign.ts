/**
 * Signs a finished call with AWS keys (Signature Version 4). The time is a parameter; no clock is read here.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { SignatureV4 } from "@smithy/signature-v4";
import { SigningHash } from "../../lib/signing-hash.ts";
import type { UpstreamCall } from "../../protocols/protocol.ts";
import { type Credential, readCredential, regionOf } from "./address.ts";

type AwsKeys = Extract<Credential, { kind: "keys" }>;

/** Headers to sign. Only headers that no proxy changes are listed. */
const signedNames: ReadonlySet<string> = new Set(["content-type"]);

function queryOf(search: string): Record<string, string[]> {
  const query: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(search)) query[name] = [...(query[name] ?? []), value];
  return query;
}

/** The headers of the signature as a flat list: name, value, name, value … */
async function signatureOf(
  { path, headers, body }: UpstreamCall,
  upstream: Upstream,
  keys: AwsKeys,
  nowMs: number,
): Promise<string[]> {
  const { accessKeyId, secretAccessKey, sessionToken } = keys;
  const signer = new SignatureV4({
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
    region: regionOf(upstream),
    service: "bedrock",
    sha256: SigningHash,
  });
  const { protocol, host, hostname, port } = new URL(upstream.baseUrl);
  const signable: Record<string, string> = { host };
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? "";
    if (signedNames.has(name)) signable[name] = headers[index + 1] ?? "";
  }
  const [pathname = "", search = ""] = path.split("?", 2);
  const asked = { method: "POST", protocol, hostname, path: pathname, query: queryOf(search) };
  const signed = await signer.sign(
    { ...asked, headers: signable, body, ...(port === "" ? {} : { port: Number(port) }) },
    { signingDate: new Date(nowMs) },
  );
  return Object.entries(signed.headers)
    .filter(([name]) => name !== "host" && !signedNames.has(name))
    .flat();
}

/**
 * Returns the call with its signature, or unchanged when the credential is an API key. `nowMs`: Unix
 * milliseconds.
 */
export async function signCall(
  call: UpstreamCall,
  upstream: Upstream,
  credential: string,
  nowMs: number,
): Promise<UpstreamCall> {
  const keys = readCredential(credential);
  if (keys.kind === "bearer") return call;
  return { ...call, headers: [...call.headers, ...(await signatureOf(call, upstream, keys, nowMs))] };
}
