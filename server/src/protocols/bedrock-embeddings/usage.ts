/** The tokens of a call of InvokeModel: Bedrock tells them in a header, whatever the model's body says. */
import type { UpstreamHeaders } from "../protocol.ts";

const name = "x-amzn-bedrock-input-token-count";
/** As in a body: more is a mistake. */
const tokensMax = 1_000_000_000;

/** `told`: what the body says. undefined: neither says a number that can be true. */
export function inputTokensOf(reported: number | undefined, headers: UpstreamHeaders): number | undefined {
  if (reported !== undefined) return Number.isNaN(reported) ? undefined : reported;
  const header = headers[name];
  const text = (typeof header === "string" ? header : header?.[0]) ?? "";
  const tokens = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return tokens <= tokensMax ? tokens : undefined;
}
