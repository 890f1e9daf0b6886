/**
 * AWS with a token of another issuer (IRSA on EKS): a file that is replaced before it expires, exchanged for
 * credentials of a role at the regional endpoint of STS.
 * https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html and
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-assume-role-credentials.html (2026-11-27).
 */
import { roleCredentials } from "./aws-keys.ts";
import { badFile, badSetting, refusedBy } from "./failure.ts";
import { isToken, type ShortLived } from "./reading.ts";
import type { Surroundings } from "./surroundings.ts";

const tokenFile = "AWS_WEB_IDENTITY_TOKEN_FILE";
const regionForm = /^[a-z]{2,3}(?:-[a-z]{2,12}){1,3}-\d{1,2}$/;
const roleForm = /^arn:[\w-]{1,20}:iam::\d{12}:role\/\S{1,600}$/;
const sessionForm = /^[\w+=,.@-]{2,64}$/;

function endpointOf(around: Surroundings, fallback: string): URL {
  const named = ["AWS_REGION", "AWS_DEFAULT_REGION"].find((name) => around.variable(name) !== undefined);
  const region = (named === undefined ? undefined : around.variable(named)) ?? fallback;
  if (!regionForm.test(region)) throw badSetting(named ?? "AWS_REGION");
  return new URL(`https://sts.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}/`);
}

/** The text of an XML element; STS's values need no unescaping. */
const textIn = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}>([^<&]{1,16384})</${name}>`).exec(xml)?.[1];

/** Throws an `IdentityFailure`. */
export async function webIdentityCredentials(around: Surroundings, region: string): Promise<ShortLived> {
  const url = endpointOf(around, region);
  const role = around.variable("AWS_ROLE_ARN");
  if (role === undefined || !roleForm.test(role)) throw badSetting("AWS_ROLE_ARN");
  const session = around.variable("AWS_ROLE_SESSION_NAME") ?? "plaza";
  if (!sessionForm.test(session)) throw badSetting("AWS_ROLE_SESSION_NAME");
  const token = await around.read(tokenFile);
  if (!isToken(token)) throw badFile(tokenFile, "token");
  const form = new URLSearchParams({
    Action: "AssumeRoleWithWebIdentity",
    Version: "2011-06-15",
    RoleArn: role,
    RoleSessionName: session,
    WebIdentityToken: token,
  });
  const headers = ["content-type", "application/x-www-form-urlencoded", "accept", "text/xml"];
  const answer = await around.post(url, headers, form.toString());
  const place = url.origin;
  if (answer.status !== 200) throw refusedBy(place, answer.status, textIn(answer.body, "Code"));
  const of = { answer, place, nowMs: around.nowMs() };
  const part = (name: string): string | undefined => textIn(answer.body, name);
  const keys = {
    id: part("AccessKeyId"),
    secret: part("SecretAccessKey"),
    session: part("SessionToken"),
  };
  return roleCredentials(keys, part("Expiration"), of);
}
