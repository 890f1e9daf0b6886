/**
 * Exchanges an application's secret, written `tenant:client:secret`, for an Entra ID access token (OAuth 2.0
 * client credentials). Builds the request and reads the answer; the gateway does the I/O.
 */
import { type Upstream, workloadIdentity } from "@plaza/contract/catalog.ts";
import { parseJson, recordOf } from "../../lib/record.ts";
import type { TokenScheme } from "../provider.ts";
import { scopeOf } from "./routes.ts";

const authorityOfPublicCloud = "https://login.microsoftonline.com";

/** Entra's ids are UUIDs; a tenant may also be a domain. */
const uuid = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";
const byForm = new RegExp(`^${uuid}:${uuid}:.`);
const credentialForm = /^([A-Za-z0-9][A-Za-z0-9.-]{0,252}):([A-Za-z0-9-]{1,100}):(.+)$/;

/** True when the credential must be exchanged for a token. */
export function isEntra({ options }: Upstream, credential: string): boolean {
  if (credential === workloadIdentity) return true;
  const auth = options?.["auth"];
  return auth === undefined ? byForm.test(credential) : auth === "entra";
}

export const entraTokens: TokenScheme = {
  identity: (upstream) => ({
    cloud: "azure",
    scope: scopeOf(upstream),
    authority: upstream.options?.["authority"],
  }),
  call(credential, upstream) {
    if (!isEntra(upstream, credential)) return undefined;
    const [, tenant, client, secret] = credentialForm.exec(credential) ?? [];
    // Never sent as a key instead. The gateway turns this error into an upstream fault.
    if (tenant === undefined || client === undefined || secret === undefined)
      throw new Error("the credential is not tenant:client:secret");
    const form = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: client,
      client_secret: secret,
      scope: scopeOf(upstream),
    });
    return {
      origin: upstream.options?.["authority"] ?? authorityOfPublicCloud,
      path: `/${tenant}/oauth2/v2.0/token`,
      headers: ["content-type", "application/x-www-form-urlencoded", "accept", "application/json"],
      body: Buffer.from(form.toString()),
    };
  },
  read(body) {
    const { access_token: token, expires_in: given } = recordOf(parseJson(body));
    const seconds = Number(given);
    if (typeof token !== "string" || !/^[!-~]{1,16384}$/.test(token)) return undefined;
    return Number.isFinite(seconds) && seconds > 0 ? { token, expiresInSeconds: seconds } : undefined;
  },
};
