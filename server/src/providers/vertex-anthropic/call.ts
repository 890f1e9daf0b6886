/** Where calls of Claude on Vertex AI go and what they carry beside the body. */
import type { Upstream } from "@plaza/contract/catalog.ts";
import type { ProviderRequest } from "../../protocols/protocol.ts";
import { betasOf } from "../anthropic/forwarded.ts";
import { googleHeaders, methodPath } from "../google/endpoint.ts";

/** Stands in the body, where Anthropic's own API has a header. */
export const version = "vertex-2023-10-16";

/** `model`: its name, with its version behind an @. */
export const callPath = ({ baseUrl }: Upstream, model: string, isStream: boolean): string =>
  methodPath(baseUrl, model, isStream ? "streamRawPredict" : "rawPredict");

/** Betas that Vertex takes; an unknown one is a 400 (docs/wire/anthropic-messages.md section 15). */
const takenBetas: ReadonlySet<string> = new Set([
  "compact",
  "computer-use",
  "context-1m",
  "context-management",
  "dangerous-tool-use",
  "interleaved-thinking",
  "per-turn-control",
  "thinking-binding-controls",
  "thinking-display-updates",
  "tool-search-tool",
  "web-search",
]);

/** Vertex's name of a beta; undefined when it does not take it. */
function betaOnVertex(beta: string): string | undefined {
  const name = beta.replace(/-\d{4}-\d{2}-\d{2}$/, "");
  if (name === "advanced-tool-use") return "tool-search-tool-2025-10-19";
  return takenBetas.has(name) ? beta : undefined;
}

/** Headers of a call, and the caller's betas that are left out. `credential`: an access token. */
export function headsFor(
  request: ProviderRequest,
  upstream: Upstream,
  credential: string,
): { readonly headers: string[]; readonly betas: readonly string[]; readonly dropped: readonly string[] } {
  const { sent, dropped } = betasOf(request, upstream, betaOnVertex);
  const headers = googleHeaders("vertex", credential, request.isStream);
  if (sent.length > 0) headers.push("anthropic-beta", sent.join(","));
  return { headers, betas: sent, dropped };
}
