/**
 * The token count of an InvokeModel call, which Bedrock returns in a header, whatever the model's body says.
 */
import type { UpstreamHeaders } from "../protocol.ts";

const name = "x-amzn-bedrock-input-token-count";
/** Larger counts are implausible, as in a body. */
const tokensMax = 1_000_000_000;

/** `reported`: the count in the body. Undefined when neither body nor header has a plausible count. */
export function inputTokensOf(reported: number | undefined, headers: UpstreamHeaders): number | undefined {
  if (reported !== undefined) return Number.isNaN(reported) ? undefined : reported;
  const header = headers[name];
  const text = (typeof header === "string" ? header : header?.[0]) ?? "";
  const tokens = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return tokens <= tokensMax ? tokens : undefined;
}
