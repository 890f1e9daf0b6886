/**
 * `POST /v1/messages/count_tokens` (docs/wire/anthropic-messages.md section 14): the request is one of
 * Messages without what is about the answer. A count is the upstream's or none: nobody is given a guess, and
 * where nobody counts the path is not there, upon which clients estimate by themselves.
 */
import { isRecord, parseJson } from "../../../lib/record.ts";
import { createRequestReader } from "../decode-request.ts";
import { plainSeal, type Seal } from "../thought-payload.ts";

/** What Anthropic takes in a request to count; other fields of a call are refused there. */
export const countedFields: readonly string[] = [
  "model",
  "messages",
  "system",
  "tools",
  "tool_choice",
  "thinking",
  "output_config",
  "output_format",
  "cache_control",
  "context_management",
  "compaction",
  "mcp_servers",
  "speed",
];

/** Reads requests to count, for upstreams of other formats: all that is prompt is in the conversation. */
export const createCountReader = (seal: Seal = plainSeal) => createRequestReader({ seal, isCount: true });

export const countBody = (tokens: number): Buffer => Buffer.from(JSON.stringify({ input_tokens: tokens }));

/** The count in an upstream's answer; undefined where it holds none that can be true. */
export function readCount(body: Buffer): number | undefined {
  const answer = parseJson(body.toString("utf8"));
  const tokens = isRecord(answer) ? answer["input_tokens"] : undefined;
  const isCount = typeof tokens === "number" && Number.isSafeInteger(tokens) && tokens >= 0;
  return isCount ? tokens : undefined;
}
