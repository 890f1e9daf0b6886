/**
 * `POST /v1/messages/count_tokens` (docs/wire/anthropic-messages.md section 14): a Messages request without
 * the fields about the answer. Only an upstream's own count is returned, never an estimate. Where no upstream
 * counts, the path does not exist, and clients then estimate by themselves.
 */
import { countIn } from "../../counting.ts";
import { createRequestReader } from "../decode-request.ts";

/** Fields Anthropic accepts in a count request; other fields of a call are refused. */
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

/**
 * Reads count requests for upstreams of other formats. The conversation holds everything that is part of the
 * prompt.
 */
export const createCountReader = () => createRequestReader({ isCount: true });

export const countBody = (tokens: number): Buffer => Buffer.from(JSON.stringify({ input_tokens: tokens }));

/** The count in an upstream's answer; undefined when it has no plausible one. */
export const readCount = (body: Buffer): number | undefined => countIn(body, "input_tokens");
