/**
 * Legacy completions at upstreams with OpenAI's format: the caller's bytes on another path
 * (docs/wire/openai-completions.md section 5). Must not import the gateway.
 */
import type { HttpCodec } from "../provider.ts";
import { deviationsOf } from "./deviations.ts";
import { encodeTo, pathsTo } from "./encode.ts";

/** The base URL without a final `/beta` or `/v1`. */
const withoutVersion = (baseUrl: string): string => baseUrl.replace(/\/(?:beta|v1)\/?$/, "");

/** The codec of a service with a path of its own. */
function codecAt(path: string): HttpCodec {
  const pathOf = pathsTo(path);
  return { encode: encodeTo((baseUrl) => pathOf(withoutVersion(baseUrl)), "max_tokens") };
}

export const openaiCompletions: HttpCodec = {
  encode: encodeTo(pathsTo("/completions"), "max_tokens"),
  forUpstream({ preset }) {
    const path = deviationsOf(preset)?.completionsPath;
    return path === undefined ? openaiCompletions : codecAt(path);
  },
};
