/**
 * AWS in a container: credentials of the task (ECS) or the pod (EKS Pod Identity).
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html (2026-11-27); the hosts
 * allowed without TLS are those of @aws-sdk/credential-provider-http.
 */
import { metadataCredentials } from "./aws-keys.ts";
import { badFile, badSetting } from "./failure.ts";
import { isToken, jsonOf, type ShortLived, urlOf } from "./reading.ts";
import type { Surroundings } from "./surroundings.ts";

const relativeUri = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
const fullUri = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
const tokenFile = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE";
const tokenVariable = "AWS_CONTAINER_AUTHORIZATION_TOKEN";

/** This machine, the agent of ECS and that of EKS: a program that can listen there has the credentials. */
const plainHosts = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|169\.254\.170\.(?:2|23)|\[fd00:ec2::23\])$/;

function addressOf(around: Surroundings): URL {
  const relative = around.variable(relativeUri);
  if (relative !== undefined) {
    const url = relative.startsWith("/") ? urlOf(`${around.origins.ecsTask}${relative}`) : undefined;
    if (url === undefined) throw badSetting(relativeUri);
    return url;
  }
  const url = urlOf(around.variable(fullUri));
  if (url === undefined || (url.protocol === "http:" && !plainHosts.test(url.hostname)))
    throw badSetting(fullUri);
  return url;
}

/** The file is read every time: its content is replaced before it expires. */
async function authorizationOf(around: Surroundings): Promise<Readonly<Record<string, string>>> {
  if (around.variable(tokenFile) !== undefined) {
    const token = await around.read(tokenFile);
    if (!isToken(token)) throw badFile(tokenFile, "token");
    return { authorization: token };
  }
  const token = around.variable(tokenVariable);
  if (token === undefined) return {};
  if (!isToken(token.replaceAll(" ", ""))) throw badSetting(tokenVariable);
  return { authorization: token };
}

/** Throws an `IdentityFailure`. */
export async function containerCredentials(around: Surroundings): Promise<ShortLived> {
  const url = addressOf(around);
  const headers = { accept: "application/json", ...(await authorizationOf(around)) };
  const answer = await around.local({ method: "GET", url, headers });
  const place = url.origin;
  return metadataCredentials(jsonOf(answer, place), { answer, place, nowMs: around.nowMs() });
}
