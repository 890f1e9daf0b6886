/** For tests: a body as an endpoint hands it to a codec that passes it on, with the spans of its fields. */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { defaultTimeouts } from "@plaza/contract/catalog.ts";
import { membersOf } from "../../lib/json/spans.ts";
import type { FieldSpans, ProviderRequest, Span } from "../../protocols/protocol.ts";

/** `bounds`: names of the bounds of output, at the top or in `generationConfig`. */
export function passedRequest(
  text: string,
  bounds: readonly string[],
  more: Partial<ProviderRequest> = {},
): ProviderRequest {
  const body = Buffer.from(text);
  const members = membersOf(body, 0);
  const config = members.find(({ name }) => name === "generationConfig");
  const inner = config === undefined ? [] : membersOf(body, config.start);
  const spans: Record<string, Span> = {};
  for (const { name, start, end } of [...members, ...inner]) spans[name] = { start, end };
  const isNumber = ({ start }: Span): boolean => body[start] !== 0x6e;
  const outputs = bounds.flatMap((name) => spans[name] ?? []).filter(isNumber);
  return { body, spans: { ...(spans as FieldSpans), outputs }, isStream: false, ...more };
}

export const upstreamAt = (baseUrl: string, more: Partial<Upstream> = {}): Upstream => ({
  id: "up",
  provider: "any",
  baseUrl,
  credentials: ["secret"],
  timeouts: defaultTimeouts,
  ...more,
});
