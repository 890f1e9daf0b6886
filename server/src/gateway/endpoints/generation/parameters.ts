/** Parameters that chat and completions share: usage in the stream, sampling. */
import { message } from "@plaza/contract/messages/message.ts";
import type { JsonField, JsonScan } from "../../../lib/json/scan-shapes.ts";
import { invalid, typed } from "../shared-fields.ts";
import { readMembers } from "./spending.ts";

const read: ReadonlyMap<string, string> = new Map([["include_usage", "include_usage"]]);

export interface StreamOptions {
  readonly span: JsonField | undefined;
  readonly showsUsage: boolean;
}

/** Throws `invalid_request` when it is not an object, or when the request does not stream. */
export function readStreamOptions(scan: JsonScan, body: Buffer, isStream: boolean): StreamOptions {
  const span = typed(scan, "stream_options", ["object", "null"], "object");
  if (span?.kind !== "object") return { span, showsUsage: false };
  if (!isStream) throw invalid(message("call.streamOptionsAlone"), "stream_options");
  const { name: path, start, end } = span;
  const [member] = readMembers(body, { path, start, end }, read);
  return { span, showsUsage: member !== undefined && body[member.start] === 0x74 };
}

/**
 * Sampling parameters under all their names. Leaving one out changes neither the meaning of the answer nor
 * its cost.
 */
export const samplingParams: readonly string[] = [
  "temperature",
  "top_p",
  "top_k",
  "top_a",
  "min_p",
  "typical_p",
  "presence_penalty",
  "frequency_penalty",
  "repetition_penalty",
  "logit_bias",
  "seed",
];
