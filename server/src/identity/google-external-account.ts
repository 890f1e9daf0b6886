/**
 * Google for machines elsewhere (workload identity federation): a token of another issuer, from a file or a
 * URL, exchanged at Google's Security Token Service, then for a service account's if the configuration names
 * one. https://google.aip.dev/auth/4117 and
 * https://docs.cloud.google.com/iam/docs/reference/sts/rest/v1/TopLevel/token (2026-11-27).
 */
import { type JsonRecord, parseJson, recordOf, textIn } from "../lib/record.ts";
import { badFile, refusedBy, unreadable } from "./failure.ts";
import { accessTokenOf, isToken, jsonOf, type ShortLived, secondsUntil, urlOf } from "./reading.ts";
import type { Surroundings } from "./surroundings.ts";

const cloudPlatform = "https://www.googleapis.com/auth/cloud-platform";
const lifeSeconds = 3_600;
const lifeSecondsMax = 43_200;

/** The configuration, and the variable that named its file. */
export interface NamedFile {
  readonly value: JsonRecord;
  readonly name: string;
}

/** Tokens go to Google and to nobody else, whatever the file says. */
function googleUrl({ value, name }: NamedFile, field: string): URL {
  const url = urlOf(value[field]);
  const isGoogle = url?.protocol === "https:" && url.port === "" && url.hostname.endsWith(".googleapis.com");
  if (url === undefined || !isGoogle) throw badFile(name, field);
  return url;
}

/** The text of the source: a file, or what a URL answers. */
async function readSource(around: Surroundings, source: JsonRecord, name: string): Promise<string> {
  const path = textIn(source["file"]);
  if (path !== undefined) return await around.read(name, path);
  const url = urlOf(source["url"]);
  // Neither a program to run nor AWS keys to sign with.
  if (url === undefined) throw badFile(name, "credential_source");
  const given = Object.entries(recordOf(source["headers"]));
  const headers = Object.fromEntries(given.filter((pair): pair is [string, string] => isToken(pair[1])));
  const answer = await around.local({ method: "GET", url, headers });
  if (answer.status !== 200) throw refusedBy(url.origin, answer.status);
  return answer.body.trim();
}

async function subjectToken(around: Surroundings, { value, name }: NamedFile): Promise<string> {
  const source = recordOf(value["credential_source"]);
  const text = await readSource(around, source, name);
  const format = recordOf(source["format"]);
  if (format["type"] !== "json") {
    if (!isToken(text)) throw badFile(name, "credential_source");
    return text;
  }
  const token = recordOf(parseJson(text))[String(format["subject_token_field_name"])];
  if (!isToken(token)) throw badFile(name, "credential_source.format");
  return token;
}

/** A service account's token, for one that may act as it. */
async function impersonate(
  around: Surroundings,
  { value, name }: NamedFile,
  token: string,
  scope: string,
): Promise<ShortLived> {
  const url = googleUrl({ value, name }, "service_account_impersonation_url");
  const wanted = Number(recordOf(value["service_account_impersonation"])["token_lifetime_seconds"]);
  const seconds = wanted > 0 ? Math.min(Math.floor(wanted), lifeSecondsMax) : lifeSeconds;
  const headers = ["content-type", "application/json", "accept", "application/json"];
  const answer = await around.post(
    url,
    [...headers, "authorization", `Bearer ${token}`],
    JSON.stringify({ scope: [scope], lifetime: `${seconds}s` }),
  );
  const place = url.origin;
  const { accessToken, expireTime } = jsonOf(answer, place);
  if (!isToken(accessToken)) throw unreadable(place);
  const untilMs = Date.parse(String(expireTime));
  return {
    secret: accessToken,
    expiresInSeconds: secondsUntil(untilMs, answer, place, around.nowMs()),
  };
}

/** `scope`: a URL. Throws an `IdentityFailure`. */
export async function externalAccountToken(
  around: Surroundings,
  file: NamedFile,
  scope: string,
): Promise<ShortLived> {
  const { value, name } = file;
  const url = googleUrl(file, "token_url");
  const audience = textIn(value["audience"]);
  const tokenType = textIn(value["subject_token_type"]);
  if (audience === undefined) throw badFile(name, "audience");
  if (tokenType === undefined) throw badFile(name, "subject_token_type");
  const isOther = value["service_account_impersonation_url"] !== undefined;
  const form = new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
    audience,
    scope: isOther ? cloudPlatform : scope,
    subject_token_type: tokenType,
    subject_token: await subjectToken(around, file),
  });
  const headers = ["content-type", "application/x-www-form-urlencoded", "accept", "application/json"];
  const federated = accessTokenOf(await around.post(url, headers, form.toString()), url.origin);
  return isOther ? await impersonate(around, file, federated.secret, scope) : federated;
}
