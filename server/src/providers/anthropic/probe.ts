/** A cheap call that shows whether an upstream answers and takes a credential: its list of models. It costs no tokens. */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { headersFor, pathBelow } from "../../protocols/anthropic-messages/encode.ts";
import type { ProbeCall } from "../provider.ts";

/** `credential` may be empty. */
export function encodeProbe(upstream: Upstream, credential: string): ProbeCall {
  return {
    path: pathBelow(upstream.baseUrl, "/models"),
    headers: headersFor(upstream, credential, "application/json"),
  };
}
