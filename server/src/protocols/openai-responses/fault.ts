/**
 * Classifies errors of Responses upstreams (docs/wire/openai-responses.md section 6). An error event, a
 * failed response and a failed whole answer are converted to the one shape the common table knows, which then
 * decides.
 */
import { upstreamRequestCodes } from "@plaza/contract/errors.ts";
import { isRecord, type JsonRecord, parseJson, recordOf } from "../../lib/record.ts";
import { faultOfAnswer } from "../faults/fault.ts";
import type { Fault, UpstreamHeaders } from "../protocol.ts";

/**
 * Codes of failed responses that the common table does not have, with the status they would have come with.
 */
const statuses: Readonly<Record<string, number>> = {
  server_error: 500,
  vector_store_timeout: 504,
  invalid_prompt: 400,
  bio_policy: 400,
  cyber_policy: 400,
  misalignment_policy_violation: 400,
  data_residency_mismatch: 400,
  invalid_image: 400,
  invalid_base64_image: 400,
  image_too_large: 400,
  image_too_small: 400,
  invalid_image_mode: 400,
  image_file_too_large: 400,
  unsupported_image_media_type: 400,
  empty_image_file: 400,
  failed_to_download_image: 400,
  image_file_not_found: 400,
};

/** Codes of a prompt that is not allowed. */
const filtered = new Set([
  "image_content_policy_violation",
  "bio_policy",
  "cyber_policy",
  "misalignment_policy_violation",
]);

/** The error in any of the shapes; undefined when there is none. */
function errorIn(value: unknown): JsonRecord | undefined {
  const body = recordOf(value);
  const { response, error, type } = body;
  if (isRecord(error)) return error;
  if (isRecord(response)) {
    const said = response["error"];
    return isRecord(said) ? said : { code: "server_error", message: "" };
  }
  // An error event has code, message and param beside its type.
  if (type === "error") {
    const { code, message, param } = body;
    return { code, message, param };
  }
  return undefined;
}

/** The error in a truncated failed response. It comes early, before the repeated request. */
function errorInCut(body: string): JsonRecord | undefined {
  const found = /"error"\s*:\s*(\{[^{}]{0,4000}\})/.exec(body.slice(0, 64 * 1024))?.[1];
  const error = found === undefined ? undefined : parseJson(found);
  return isRecord(error) ? error : undefined;
}

/** Strings only: other values may be nested too deeply to serialize. */
function plainOf({ code, message, param, type }: JsonRecord): JsonRecord {
  const name = typeof code === "string" ? code : "";
  const known = Object.hasOwn(statuses, name) ? statuses[name] : undefined;
  const status = known ?? (upstreamRequestCodes.has(name) ? 400 : undefined);
  return {
    ...(typeof type === "string" ? { type } : {}),
    ...(name === "" ? {} : { code: filtered.has(name) ? "content_policy_violation" : name }),
    ...(typeof message === "string" ? { message } : {}),
    ...(typeof param === "string" ? { param } : {}),
    ...(status === undefined ? {} : { status }),
  };
}

/** Classifies an error answer, a stream's error event, or a 200 that is not an answer. */
export function faultOfResponses(status: number, headers: UpstreamHeaders, body: string): Fault {
  const parsed = parseJson(body);
  const error = parsed === undefined ? errorInCut(body) : errorIn(parsed);
  const isInBand = status >= 200 && status < 300;
  if (error === undefined || !isInBand) return faultOfAnswer(status, headers, body);
  return faultOfAnswer(status, headers, JSON.stringify({ error: plainOf(error) }));
}
