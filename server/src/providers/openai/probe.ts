/**
 * A cheap call that shows whether an OpenAI-shaped upstream answers and takes a credential: its list of
 * models. It costs no tokens. Servers without such a list answer 404, which shows that they are there.
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
