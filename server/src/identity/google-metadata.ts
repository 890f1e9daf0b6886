/**
 * Google: an access token of the service account attached to the machine (Compute Engine, GKE, Cloud Run),
 * from the metadata server. https://docs.cloud.google.com/compute/docs/access/authenticate-workloads and
 * https://docs.cloud.google.com/kubernetes-engine/docs/concepts/workload-identity (2026-11-27).
 */
import { message } from "@plaza/contract/messages/message.ts";
import { IdentityFailure, unreadable } from "./failure.ts";
import { accessTokenOf, type ShortLived } from "./reading.ts";
import type { Surroundings } from "./surroundings.ts";

const tokenPath = "/computeMetadata/v1/instance/service-accounts/default/token";
/** Sent with every request, and in every answer: what else listens at the address does not have it. */
const flavor = "metadata-flavor";

/** `scope`: a URL. Throws an `IdentityFailure`. */
export async function metadataToken(around: Surroundings, scope: string): Promise<ShortLived> {
  const place = around.origins.instance;
  const url = new URL(`${tokenPath}?scopes=${encodeURIComponent(scope)}`, place);
  const answer = await around.local({ method: "GET", url, headers: { [flavor]: "Google" } });
  const isGoogle = String(answer.headers[flavor]).toLowerCase() === "google";
  if (isGoogle && answer.status === 404)
    throw new IdentityFailure("refused", message("identity.noRole", { place }), 404);
  if (answer.status === 200 && !isGoogle) throw unreadable(place);
  return accessTokenOf(answer, place);
}
