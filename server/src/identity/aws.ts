/**
 * AWS: credentials of the machine, in the order of AWS's own SDKs: environment, web identity (IRSA),
 * container (EKS Pod Identity, ECS), instance. The first that is set up decides; its failure is not passed
 * over. Without profiles and sign-in, which belong to people.
 *
 * https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html and
 * @aws-sdk/credential-provider-node beside @aws-sdk/client-bedrock-runtime 3.1162.0 (2026-11-27).
 */
import { containerCredentials } from "./aws-container.ts";
import { instanceCredentials } from "./aws-instance.ts";
import { joinKeys } from "./aws-keys.ts";
import { webIdentityCredentials } from "./aws-web-identity.ts";
import { badSetting } from "./failure.ts";
import type { ShortLived } from "./reading.ts";
import type { Surroundings } from "./surroundings.ts";

/** The environment of a running process does not change: these keys never have to be asked for again. */
const environmentSeconds = 86_400;

function environmentKeys(around: Surroundings): ShortLived | undefined {
  const id = around.variable("AWS_ACCESS_KEY_ID");
  const secret = around.variable("AWS_SECRET_ACCESS_KEY");
  if (id === undefined || secret === undefined) return undefined;
  const keys = joinKeys(id, secret, around.variable("AWS_SESSION_TOKEN"));
  if (keys === undefined) throw badSetting("AWS_ACCESS_KEY_ID");
  return { secret: keys, expiresInSeconds: environmentSeconds };
}

/** `region`: where roles are assumed if `AWS_REGION` does not say. Throws an `IdentityFailure`. */
export async function awsCredentials(around: Surroundings, region: string): Promise<ShortLived> {
  const fixed = environmentKeys(around);
  if (fixed !== undefined) return fixed;
  if (around.variable("AWS_WEB_IDENTITY_TOKEN_FILE") !== undefined)
    return await webIdentityCredentials(around, region);
  const isContainer =
    around.variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") !== undefined ||
    around.variable("AWS_CONTAINER_CREDENTIALS_FULL_URI") !== undefined;
  return await (isContainer ? containerCredentials(around) : instanceCredentials(around));
}
