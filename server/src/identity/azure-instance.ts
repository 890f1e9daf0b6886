/**
 * Azure on a virtual machine: a token of its managed identity, from the Instance Metadata Service.
 * https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/
 * how-to-use-vm-token#get-a-token-using-http (2026-11-27).
 */
import { message } from "@plaza/contract/messages/message.ts";
import { parseJson, recordOf } from "../lib/record.ts";
import { IdentityFailure } from "./failure.ts";
import { accessTokenOf, type ShortLived } from "./reading.ts";
import type { Surroundings } from "./surroundings.ts";

const tokenPath = "/metadata/identity/oauth2/token";
const apiVersion = "2018-02-01";

/** `resource`: a URL. `client`: of a user-assigned identity. Throws an `IdentityFailure`. */
export async function instanceToken(
  around: Surroundings,
  resource: string,
  client: string | undefined,
): Promise<ShortLived> {
  const place = around.origins.instance;
  const url = new URL(tokenPath, place);
  url.searchParams.set("api-version", apiVersion);
  url.searchParams.set("resource", resource);
  if (client !== undefined) url.searchParams.set("client_id", client);
  const answer = await around.local({ method: "GET", url, headers: { metadata: "true" } });
  const { error } = recordOf(parseJson(answer.body));
  // "Identity not found": none is assigned to the machine, or not this one.
  if (answer.status === 400 && error === "invalid_request")
    throw new IdentityFailure("refused", message("identity.noRole", { place }), 400);
  return accessTokenOf(answer, place);
}
