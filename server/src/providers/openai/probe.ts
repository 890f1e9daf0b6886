/**
 * Lists the models of an OpenAI-compatible upstream, to check that it answers and accepts a credential. Uses
 * no tokens. Servers without a list answer 404, which still shows that they are reachable.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { readHeaders } from "../call-headers.ts";
import type { ProbeCall } from "../provider.ts";

/** `credential` may be empty. */
export function encodeProbe(upstream: Upstream, credential: string): ProbeCall {
  const { pathname, search } = new URL(upstream.baseUrl);
  const headers = readHeaders();
  if (credential !== "") headers.push("authorization", `Bearer ${credential}`);
  return { path: `${pathname.replace(/\/$/, "")}/models${search}`, headers };
}
