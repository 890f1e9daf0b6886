/**
 * Classifies Bedrock's errors (docs/wire/bedrock-converse.md section 4, docs/wire/upstream-errors.md section
 * 2): by exception, then status, then text.
 */

import type { FaultKind } from "../../domain/routing/fault.ts";
import { isRecord, parseJson } from "../../lib/record.ts";
import { kindOfStatus } from "../faults/fault-codes.ts";
import type { Fault, UpstreamHeaders } from "../protocol.ts";
import { scrub } from "../scrub/scrub.ts";
import { upstreamWaitMs } from "../wait.ts";
import { isMalformed } from "./decode-answer.ts";

/** Kinds by exception name, in lower case without `Exception`. */
const kinds: Readonly<Record<string, FaultKind>> = {
  validation: "bad_request",
  serialization: "bad_request",
  accessdenied: "upstream_auth",
  unrecognizedclient: "upstream_auth",
  expiredtoken: "upstream_auth",
  invalidsignature: "upstream_auth",
  signaturedoesnotmatch: "upstream_auth",
  incompletesignature: "upstream_auth",
  invalidclienttokenid: "upstream_auth",
  missingauthenticationtoken: "upstream_auth",
  notauthorized: "upstream_auth",
  optinrequired: "upstream_auth",
  requestexpired: "upstream_auth",
  requesttimetooskewed: "upstream_auth",
  resourcenotfound: "model_unavailable",
  servicequotaexceeded: "upstream_quota",
  throttling: "rate_limit",
  toomanyrequests: "rate_limit",
  modelnotready: "overloaded",
  serviceunavailable: "overloaded",
  modeltimeout: "timeout",
  modelerror: "server",
  modelstreamerror: "server",
  internalserver: "server",
  internalfailure: "server",
};

const callerKinds: ReadonlySet<FaultKind> = new Set([
  "bad_request",
  "context_length",
  "content_filter",
  "too_large",
]);

/** Lower-case parts of texts that mean the prompt is too long. */
const overflowTexts = [
  "input is too long",
  "prompt is too long",
  "too many input tokens",
  "too many tokens",
  "maximum context",
  "context length",
  "context window",
  "exceeds the maximum number of tokens",
  "exceed context limit",
];
const filterTexts = ["content filtering policy", "blocked by content filter"];

/** These match only a text's start, where a caller's echoed words cannot be. */
const unknownModel = /^the provided model identifier is invalid/i;
const unavailableTexts = [
  unknownModel,
  /^invocation of model id \S{1,2100} with on-demand throughput isn.t supported/i,
  /^this model version has reached the end of its life/i,
];

/** The prefix of errors that come from the model itself. */
const modelSaid = /^the model returned the following errors: /i;

interface Shape {
  /** Lower case, without `Exception`; empty when there is none. */
  readonly name: string;
  readonly message: string;
}

const header = (headers: UpstreamHeaders, name: string): string => {
  const value = headers[name];
  return (typeof value === "string" ? value : value?.[0]) ?? "";
};

/** `Name:https://…` in the header, `prefix#Name` in the body. */
const exceptionName = (text: string): string =>
  (text.split(":")[0]?.split("#").at(-1) ?? "")
    .trim()
    .toLowerCase()
    .replace(/(?:exception|error)$/, "")
    .slice(0, 100);

function readShape(headers: UpstreamHeaders, body: string): Shape {
  const value = parseJson(body);
  const record = isRecord(value) ? value : {};
  const type = record["__type"] ?? record["code"];
  const message = record["message"] ?? record["Message"];
  return {
    name: exceptionName(header(headers, "x-amzn-errortype") || (typeof type === "string" ? type : "")),
    message: (typeof message === "string" ? message : "").slice(0, 16_000),
  };
}

const holds = (text: string, parts: readonly string[]): boolean => parts.some((part) => text.includes(part));

/** Refines by text only kinds the caller may have caused, and what a limit or a refusal is about. */
function refine(kind: FaultKind, message: string): FaultKind {
  const text = message.toLowerCase();
  if (kind === "bad_request") {
    if (unavailableTexts.some((pattern) => pattern.test(message))) return "model_unavailable";
    if (holds(text, overflowTexts)) return "context_length";
    return holds(text, filterTexts) ? "content_filter" : kind;
  }
  if (kind === "rate_limit" && text.includes("per day")) return "upstream_quota";
  // The credential works for other models.
  const isAboutModel = kind === "upstream_auth" && text.includes("access to the model");
  return isAboutModel ? "model_unavailable" : kind;
}

/** Without a known exception: the kind of the status. An error inside a 200 counts as 500. */
function kindOf({ name, message }: Shape, status: number): FaultKind {
  const named = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
  const isInBand = status >= 200 && status < 300;
  return refine(named ?? kindOfStatus(isInBand ? 500 : status), message);
}

const isName = (name: string): boolean => /^[a-z]{1,40}$/.test(name);

/** Classifies an error answer, or a stream's exception (status 200, no headers). */
export function faultOfAnswer(status: number, headers: UpstreamHeaders, body: string): Fault {
  if (status >= 300 && status < 400)
    return { kind: "server", status, note: `${status}: redirect, not followed` };
  const value = parseJson(body);
  if (status === 200 && isRecord(value) && isMalformed(value["stopReason"])) {
    return { kind: "server", status, note: "the model wrote what Bedrock could not read" };
  }
  const shape = readShape(headers, body);
  const kind = kindOf(shape, status);
  if (callerKinds.has(kind)) {
    return { kind, status, message: scrub(shape.message.replace(modelSaid, "")) || undefined };
  }
  const shapeName = isName(shape.name) ? ` ${shape.name}` : "";
  return {
    kind,
    status,
    ...(kind === "model_unavailable" && unknownModel.test(shape.message) ? { isModelUnknown: true } : {}),
    retryAfterMs: upstreamWaitMs(headers, shape.message),
    note: `${status}${shapeName}: ${shape.message === "" ? "no text" : `a text of ${shape.message.length} characters`}`,
  };
}
