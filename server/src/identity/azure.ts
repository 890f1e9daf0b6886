/**
 * Azure: a token of the machine's identity, in the order of `DefaultAzureCredential`: federation (AKS), the
 * endpoint of App Service and Container Apps, a virtual machine's metadata. A secret of an application is a
 * credential of the upstream's. https://learn.microsoft.com/azure/developer/javascript/sdk/authentication/
 * credential-chains (2026-11-27).
 */
import { appServiceToken } from "./azure-app-service.ts";
import { federatedToken, tokenFile } from "./azure-federated.ts";
import { instanceToken } from "./azure-instance.ts";
import type { ShortLived } from "./reading.ts";
import type { Surroundings } from "./surroundings.ts";

/** Managed identities take the resource that a scope is of. */
const resourceOf = (scope: string): string => scope.replace(/\/\.default$/, "");

/** Throws an `IdentityFailure`. `scope` and `authority`: as in `IdentityRequest`. */
export async function azureCredentials(
  around: Surroundings,
  scope: string,
  authority: string | undefined,
): Promise<ShortLived> {
  if (around.variable(tokenFile) !== undefined) return await federatedToken(around, scope, authority);
  // By the convention of the SDKs, this names a user-assigned identity.
  const client = around.variable("AZURE_CLIENT_ID");
  const isAppService =
    around.variable("IDENTITY_ENDPOINT") !== undefined && around.variable("IDENTITY_HEADER") !== undefined;
  const ask = isAppService ? appServiceToken : instanceToken;
  return await ask(around, resourceOf(scope), client);
}
