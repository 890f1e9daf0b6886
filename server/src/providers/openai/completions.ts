/**
 * Legacy completions at upstreams that speak OpenAI's format: the caller's bytes at another path
 * (docs/wire/openai-completions.md section 5). It must not know the gateway.
 */
import type { HttpCodec } from "../provider.ts";
import { encodeTo, pathsTo } from "./encode.ts";

const deepseekPath = pathsTo("/beta/completions");

/** Behind the beta address itself, and behind the older one that ends in `/v1`. */
const beforeBeta = (baseUrl: string): string => baseUrl.replace(/\/(?:beta|v1)\/?$/, "");

const deepseek: HttpCodec = {
  encode: encodeTo((baseUrl) => deepseekPath(beforeBeta(baseUrl)), "max_tokens"),
};

export const openaiCompletions: HttpCodec = {
  encode: encodeTo(pathsTo("/completions"), "max_tokens"),
  forUpstream: ({ preset }) => (preset === "deepseek" ? deepseek : openaiCompletions),
};
