/** Reads credentials out of answers, and the times in them. */
import { message } from "@plaza/contract/messages/message.ts";
import { type JsonRecord, parseJson, recordOf } from "../lib/record.ts";
import { IdentityFailure, refusedBy, unreadable } from "./failure.ts";
import type { Answer } from "./surroundings.ts";

/** A credential in the form the upstream's provider takes it, and how long it is good for. */
export interface ShortLived {
  readonly secret: string;
  readonly expiresInSeconds: number;
}

/** Tokens go into a header, so they must be visible ASCII. */
const tokenForm = /^[!-~]{1,16384}$/;

export const isToken = (value: unknown): value is string =>
  typeof value === "string" && tokenForm.test(value);

/** The JSON object of an answer of status 200. Throws an `IdentityFailure` for any other. */
export function jsonOf(answer: Answer, place: string): JsonRecord {
  const value = recordOf(parseJson(answer.body));
  if (answer.status === 200) return value;
  // AWS has `code`, OAuth a text in `error`, Google's APIs an object there.
  const { error, code } = value;
  throw refusedBy(
    place,
    answer.status,
    typeof error === "string" ? error : (recordOf(error)["status"] ?? code),
  );
}

/**
 * Seconds until a moment that an answer names, on the clock of who sent the answer where it has a `Date`: so
 * a machine whose clock is off still knows how long. Throws for one that is over.
 */
export function secondsUntil(untilMs: number, answer: Answer, place: string, nowMs: number): number {
  if (!Number.isFinite(untilMs)) throw unreadable(place);
  const { date } = answer.headers;
  const sentMs = typeof date === "string" ? Date.parse(date) : Number.NaN;
  const seconds = (untilMs - (Number.isNaN(sentMs) ? nowMs : sentMs)) / 1_000;
  if (seconds <= 0) throw new IdentityFailure("server", message("identity.expired", { place }));
  return seconds;
}

/** An OAuth answer: `access_token` with `expires_in` seconds, which some write as a text. */
export function accessTokenOf(answer: Answer, place: string): ShortLived {
  const { access_token: token, expires_in: given } = jsonOf(answer, place);
  const seconds = Number(given);
  if (!isToken(token) || given === null || !(seconds > 0) || !Number.isFinite(seconds))
    throw unreadable(place);
  return { secret: token, expiresInSeconds: seconds };
}

/** The URL that a setting or a file gives; undefined unless it is http or https without a password. */
export function urlOf(text: unknown): URL | undefined {
  const url = typeof text === "string" ? URL.parse(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  return url.username === "" && url.password === "" ? url : undefined;
}
