/**
 * Azure on AKS and elsewhere (workload identity federation): a token of the cluster, from a file that is
 * replaced before it expires, presented to Entra ID in place of a secret.
 * https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow (third case) and
 * https://azure.github.io/azure-workload-identity/docs/installation/mutating-admission-webhook.html
 * (2026-11-27).
 */
import { badFile, badSetting } from "./failure.ts";
import { accessTokenOf, isToken, type ShortLived, urlOf } from "./reading.ts";
import type { Surroundings } from "./surroundings.ts";

const authorityOfPublicCloud = "https://login.microsoftonline.com";
const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const idForm = /^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/;
export const tokenFile = "AZURE_FEDERATED_TOKEN_FILE";

function idIn(around: Surroundings, name: string): string {
  const id = around.variable(name);
  if (id === undefined || !idForm.test(id)) throw badSetting(name);
  return id;
}

/** `authority`: an origin; undefined: as the environment says. Throws an `IdentityFailure`. */
export async function federatedToken(
  around: Surroundings,
  scope: string,
  authority: string | undefined,
): Promise<ShortLived> {
  const client = idIn(around, "AZURE_CLIENT_ID");
  const tenant = idIn(around, "AZURE_TENANT_ID");
  const base = urlOf(authority ?? around.variable("AZURE_AUTHORITY_HOST") ?? authorityOfPublicCloud);
  // The option may be plain on this machine; the variable may not.
  if (base === undefined || (authority === undefined && base.protocol !== "https:"))
    throw badSetting("AZURE_AUTHORITY_HOST");
  const assertion = await around.read(tokenFile);
  if (!isToken(assertion)) throw badFile(tokenFile, "token");
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: client,
    client_assertion_type: assertionType,
    client_assertion: assertion,
    scope,
  });
  const url = new URL(`/${tenant}/oauth2/v2.0/token`, base);
  const headers = ["content-type", "application/x-www-form-urlencoded", "accept", "application/json"];
  return accessTokenOf(await around.post(url, headers, form.toString()), url.origin);
}
