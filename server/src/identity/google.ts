/**
 * Google: Application Default Credentials of a machine, in their order: the file that
 * `GOOGLE_APPLICATION_CREDENTIALS` names (a service account's key, federation, a user's sign-in), then the
 * metadata server. Without the file of `gcloud` in a home directory, which belongs to a person.
 * https://docs.cloud.google.com/docs/authentication/application-default-credentials and
 * https://google.aip.dev/auth/4110 (2026-11-27).
 */
import { isRecord, parseJson, textIn } from "../lib/record.ts";
import { badFile } from "./failure.ts";
import { externalAccountToken, type NamedFile } from "./google-external-account.ts";
import { metadataToken } from "./google-metadata.ts";
import { accessTokenOf, type ShortLived } from "./reading.ts";
import type { Surroundings } from "./surroundings.ts";

const variable = "GOOGLE_APPLICATION_CREDENTIALS";
const userIssuer = new URL("https://oauth2.googleapis.com/token");

/** A user's sign-in with `gcloud auth application-default login`: a refresh token for an access token. */
async function userToken(around: Surroundings, { value, name }: NamedFile): Promise<ShortLived> {
  const [client, secret, refresh] = ["client_id", "client_secret", "refresh_token"].map((field) => {
    const text = textIn(value[field]);
    if (text === undefined) throw badFile(name, field);
    return text;
  }) as [string, string, string];
  const form = new URLSearchParams({
    grant_type: "refresh_token",
    client_id: client,
    client_secret: secret,
    refresh_token: refresh,
  });
  const headers = ["content-type", "application/x-www-form-urlencoded", "accept", "application/json"];
  return accessTokenOf(await around.post(userIssuer, headers, form.toString()), userIssuer.origin);
}

/**
 * `scope`: a URL. A service account's key is returned as it is: it is a credential that the provider itself
 * exchanges. Throws an `IdentityFailure`.
 */
export async function googleCredentials(
  around: Surroundings,
  scope: string,
): Promise<ShortLived | { readonly credential: string }> {
  if (around.variable(variable) === undefined) return await metadataToken(around, scope);
  const text = await around.read(variable);
  const value = parseJson(text);
  if (!isRecord(value)) throw badFile(variable, "JSON");
  const file: NamedFile = { value, name: variable };
  switch (value["type"]) {
    case "service_account":
      return { credential: text };
    case "external_account":
      return await externalAccountToken(around, file, scope);
    case "authorized_user":
      return await userToken(around, file);
    default:
      throw badFile(variable, "type");
  }
}
