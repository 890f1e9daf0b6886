/**
 * Classifies Anthropic's errors (docs/wire/anthropic-messages.md section 10, docs/wire/upstream-errors.md
 * section 2). Anthropic's own codes and headers are translated to those of the common table
 * (`faults/fault.ts`), which then decides.
 */

import type { FaultKind } from "../../domain/routing/fault.ts";
import { isRecord, type JsonRecord, parseJson, recordOf } from "../../lib/record.ts";
import { faultOfAnswer } from "../faults/fault.ts";
import type { Fault, UpstreamHeaders } from "../protocol.ts";

/** Types the common table does not have, with the status they come with. */
const statuses: Readonly<Record<string, number>> = {
  billing_error: 402,
  conflict_error: 409,
  api_error: 500,
};

/**
 * Texts of 400s that are not about the request's shape; lower case, at the start or (`isAnywhere`) anywhere.
 */
const texts: readonly { readonly text: string; readonly isAnywhere: boolean; readonly kind: FaultKind }[] = [
  { text: "exceed context limit", isAnywhere: true, kind: "context_length" },
  { text: "output blocked by content filtering policy", isAnywhere: false, kind: "content_filter" },
  { text: "this organization has been disabled", isAnywhere: false, kind: "upstream_auth" },
];

/** The body with the error's code where all protocols have it, and a status for its type. */
function plainBody(body: string): string {
  const parsed = parseJson(body);
  const error = isRecord(parsed) ? parsed["error"] : undefined;
  if (!isRecord(error)) return body;
  const { type, message, details } = error;
  const code = recordOf(details)["error_code"];
  const status = typeof type === "string" && Object.hasOwn(statuses, type) ? statuses[type] : undefined;
  // Strings only: other values may be nested too deeply to serialize.
  const plain: JsonRecord = {
    ...(typeof type === "string" ? { type } : {}),
    ...(typeof message === "string" ? { message } : {}),
    ...(typeof code === "string" ? { code } : {}),
    ...(status === undefined ? {} : { status }),
  };
  return JSON.stringify({ error: plain });
}

/**
 * Anthropic's limit headers and the names the common reader knows. It reads `-requests`, `-tokens` and no
 * suffix.
 */
const limits: readonly (readonly [own: string, plain: string])[] = [
  ["requests", "-requests"],
  ["tokens", "-tokens"],
  ["input-tokens", "-tokens"],
  ["output-tokens", ""],
];

function plainHeaders(headers: UpstreamHeaders): UpstreamHeaders {
  const plain: Record<string, string | string[] | undefined> = { ...headers };
  for (const [own, suffix] of limits) {
    if (headers[`anthropic-ratelimit-${own}-remaining`] !== "0") continue;
    plain[`x-ratelimit-remaining${suffix}`] = "0";
    plain[`x-ratelimit-reset${suffix}`] = headers[`anthropic-ratelimit-${own}-reset`];
  }
  return plain;
}

/** The kind that a 400's text stands for, if the common table classified it as a bad request. */
function refined(fault: Fault, body: string): FaultKind {
  const said = recordOf(recordOf(parseJson(body))["error"])["message"];
  const message = typeof said === "string" ? said.toLowerCase() : "";
  const found = texts.find(({ text, isAnywhere }) =>
    isAnywhere ? message.includes(text) : message.startsWith(text),
  );
  return found?.kind ?? fault.kind;
}

/** Classifies an error answer, or a stream's error event (status 200). */
export function faultOfMessages(status: number, headers: UpstreamHeaders, body: string): Fault {
  const fault = faultOfAnswer(status, plainHeaders(headers), plainBody(body));
  const isConflict = status === 409 || (status === 200 && fault.note?.includes("conflict_error") === true);
  if (isConflict) return { ...fault, kind: "rate_limit" };
  if (fault.kind !== "bad_request") return fault;
  const kind = refined(fault, body);
  if (kind !== "upstream_auth") return { ...fault, kind };
  return { kind, status, note: `${status}: an account that is closed` };
}
