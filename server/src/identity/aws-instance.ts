/**
 * AWS on an EC2 instance: credentials of the instance's role, from its metadata service in version 2 (a token
 * first, then the role's name, then its keys). Version 1, without the token, is never used.
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html and
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-security-credentials.html
 * (2026-11-27).
 */
import { message } from "@plaza/contract/messages/message.ts";
import { metadataCredentials } from "./aws-keys.ts";
import { badSetting, IdentityFailure, refusedBy, unreadable } from "./failure.ts";
import { isToken, jsonOf, type ShortLived } from "./reading.ts";
import type { Surroundings } from "./surroundings.ts";

/** Asked for anew with every credential, so a minute is enough. */
const tokenSeconds = "60";
const rolesPath = "/latest/meta-data/iam/security-credentials/";
const roleForm = /^[\w+=,.@-]{1,128}$/;
const disabled = "AWS_EC2_METADATA_DISABLED";

async function tokenOf(around: Surroundings): Promise<string> {
  const place = around.origins.instance;
  const answer = await around
    .local({
      method: "PUT",
      url: new URL("/latest/api/token", place),
      headers: { "x-aws-ec2-metadata-token-ttl-seconds": tokenSeconds },
    })
    .catch((error: unknown) => {
      if (!(error instanceof IdentityFailure) || error.messageRef.id !== "identity.noAnswer") throw error;
      // The answer to this call alone has the hop limit.
      const { place: at = place, time = "" } = error.messageRef.params ?? {};
      throw new IdentityFailure("network", message("identity.hops", { place: at, time }));
    });
  if (answer.status !== 200) throw refusedBy(place, answer.status);
  if (!isToken(answer.body)) throw unreadable(place);
  return answer.body;
}

/** Throws an `IdentityFailure`. */
export async function instanceCredentials(around: Surroundings): Promise<ShortLived> {
  if (around.variable(disabled)?.toLowerCase() === "true") throw badSetting(disabled);
  const place = around.origins.instance;
  const headers = { "x-aws-ec2-metadata-token": await tokenOf(around) };
  const get = (path: string) => around.local({ method: "GET", url: new URL(path, place), headers });
  const roles = await get(rolesPath);
  const [role = ""] = roles.body.trim().split(/\s+/);
  if (roles.status === 404 || (roles.status === 200 && role === ""))
    throw new IdentityFailure("refused", message("identity.noRole", { place }));
  if (roles.status !== 200) throw refusedBy(place, roles.status);
  if (!roleForm.test(role)) throw unreadable(place);
  const answer = await get(`${rolesPath}${encodeURIComponent(role)}`);
  const value = jsonOf(answer, place);
  const { Code: code } = value;
  if (code !== undefined && code !== "Success") throw refusedBy(place, answer.status, code);
  return metadataCredentials(value, { answer, place, nowMs: around.nowMs() });
}
