/**
 * Azure on App Service, Functions and Container Apps: a token of the managed identity, from an endpoint in
 * the environment. https://learn.microsoft.com/azure/app-service/overview-managed-identity
 * #rest-endpoint-reference (2026-11-27).
 */
import { badSetting, unreadable } from "./failure.ts";
import { isToken, jsonOf, type ShortLived, secondsUntil, urlOf } from "./reading.ts";
import type { Surroundings } from "./surroundings.ts";

const apiVersion = "2019-08-01";

/** `resource`: a URL. `client`: of a user-assigned identity. Throws an `IdentityFailure`. */
export async function appServiceToken(
  around: Surroundings,
  resource: string,
  client: string | undefined,
): Promise<ShortLived> {
  const url = urlOf(around.variable("IDENTITY_ENDPOINT"));
  if (url === undefined) throw badSetting("IDENTITY_ENDPOINT");
  const header = around.variable("IDENTITY_HEADER");
  if (!isToken(header)) throw badSetting("IDENTITY_HEADER");
  url.searchParams.set("api-version", apiVersion);
  url.searchParams.set("resource", resource);
  if (client !== undefined) url.searchParams.set("client_id", client);
  const answer = await around.local({ method: "GET", url, headers: { "x-identity-header": header } });
  const place = url.origin;
  const { access_token: token, expires_on: until } = jsonOf(answer, place);
  if (!isToken(token)) throw unreadable(place);
  const untilMs = Number(until ?? Number.NaN) * 1_000;
  return { secret: token, expiresInSeconds: secondsUntil(untilMs, answer, place, around.nowMs()) };
}
