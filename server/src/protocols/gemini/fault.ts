/**
 * Classifies Google's errors (docs/wire/gemini.md section 9). The shape is read by the common code; what is
 * specific to Google is decided here, first by the structured details.
 */

import type { FaultKind } from "../../domain/routing/fault.ts";
import { isRecord, type JsonRecord, parseJson, recordOf } from "../../lib/record.ts";
import { faultOfAnswer } from "../faults/fault.ts";
import type { Fault, UpstreamHeaders } from "../protocol.ts";

/** `reason` of an ErrorInfo → kind. */
const reasons: Readonly<Record<string, FaultKind>> = {
  API_KEY_INVALID: "upstream_auth",
  API_KEY_EXPIRED: "upstream_auth",
  API_KEY_SERVICE_BLOCKED: "upstream_auth",
  API_KEY_IP_ADDRESS_BLOCKED: "upstream_auth",
  API_KEY_HTTP_REFERRER_BLOCKED: "upstream_auth",
  ACCESS_TOKEN_EXPIRED: "upstream_auth",
  ACCESS_TOKEN_TYPE_UNSUPPORTED: "upstream_auth",
  ACCOUNT_STATE_INVALID: "upstream_auth",
  CREDENTIALS_MISSING: "upstream_auth",
  SERVICE_DISABLED: "upstream_auth",
  CONSUMER_INVALID: "upstream_auth",
  CONSUMER_SUSPENDED: "upstream_auth",
  BILLING_DISABLED: "upstream_quota",
};

const waitMsMax = 3_600_000;

/** The error object of a body: `{error}`, or a list with one. */
function errorOf(body: string): JsonRecord | undefined {
  const value = parseJson(body);
  const only: unknown = Array.isArray(value) ? value[0] : value;
  const error = recordOf(only)["error"];
  return isRecord(error) ? error : undefined;
}

interface Details {
  readonly reason: FaultKind | undefined;
  /** True when exceeded quotas are named. */
  readonly hasQuota: boolean;
  readonly waitMs: number | undefined;
}

/** "12s", "0.5s" in whole milliseconds. */
function durationMs(text: unknown): number | undefined {
  const seconds = typeof text === "string" ? /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(text)?.[1] : undefined;
  return seconds === undefined ? undefined : Math.min(Math.ceil(Number(seconds) * 1_000), waitMsMax);
}

function detailsOf(error: JsonRecord): Details {
  const list = Array.isArray(error["details"]) ? error["details"].slice(0, 50).map(recordOf) : [];
  const waits = list.map((detail) => durationMs(detail["retryDelay"])).filter((wait) => wait !== undefined);
  // Strings only: other values may be nested too deeply to serialize.
  const named = list.map((detail) => detail["reason"]).filter((reason) => typeof reason === "string");
  const reason = named.find((name) => Object.hasOwn(reasons, name));
  return {
    reason: reason === undefined ? undefined : reasons[reason],
    hasQuota: list.some(({ violations }) => Array.isArray(violations) && violations.length > 0),
    waitMs: waits.length === 0 ? undefined : Math.max(...waits),
  };
}

/**
 * The kind by Google's own terms, before status and text are considered; undefined when they do not decide.
 */
function kindOf(status: number, error: JsonRecord, details: Details): FaultKind | undefined {
  if (details.reason !== undefined) return details.reason;
  const name = error["status"];
  // Billing is disabled or the region is not served; the caller cannot fix that.
  if (name === "FAILED_PRECONDITION" && status === 400) return "upstream_auth";
  if (name === "CANCELLED" || status === 499) return "server";
  if (status !== 429 && name !== "RESOURCE_EXHAUSTED") return undefined;
  // Every limit's text mentions billing. It is only about money when neither a quota nor a wait is named. (A
  // day's quota is handled by the common code.)
  const text = typeof error["message"] === "string" ? error["message"].slice(0, 4_000) : "";
  const isMoney = details.waitMs === undefined && !details.hasQuota && /\bbilling|\bcredits\b/i.test(text);
  return isMoney ? "upstream_quota" : undefined;
}

/** The status in the body, for errors inside a 200. */
const innerStatus = (status: number, error: JsonRecord): number => {
  const { code } = error;
  return status === 200 && typeof code === "number" ? code : status;
};

/** Classifies an error answer, a stream's error event, or a 200 that is not an answer. */
export function faultOfGoogle(status: number, headers: UpstreamHeaders, body: string): Fault {
  const fault = faultOfAnswer(status, headers, body);
  const error = errorOf(body);
  if (error === undefined) return fault;
  const details = detailsOf(error);
  const kind = kindOf(innerStatus(status, error), error, details) ?? fault.kind;
  const waits = [fault.retryAfterMs, details.waitMs].filter((wait) => wait !== undefined);
  const retryAfterMs = waits.length === 0 ? undefined : Math.max(...waits);
  if (kind === fault.kind) return { ...fault, retryAfterMs };
  return { kind, status, retryAfterMs, note: fault.note ?? `${status}: ${kind} by Google's own reason` };
}
