/**
 * Legacy completions at upstreams with OpenAI's format: the caller's bytes on another path
 * (docs/wire/openai-completions.md section 5). Must not import the gateway.
 */
import type { HttpCodec } from "../provider.ts";
import { encodeTo, pathsTo } from "./encode.ts";

const deepseekPath = pathsTo("/beta/completions");

/** The base URL without a final `/beta` or `/v1`; the path is added below the beta address. */
const beforeBeta = (baseUrl: string): string => baseUrl.replace(/\/(?:beta|v1)\/?$/, "");

const deepseek: HttpCodec = {
  encode: encodeTo((baseUrl) => deepseekPath(beforeBeta(baseUrl)), "max_tokens"),
};

export const openaiCompletions: HttpCodec = {
  encode: encodeTo(pathsTo("/completions"), "max_tokens"),
  forUpstream: ({ preset }) => (preset === "deepseek" ? deepseek : openaiCompletions),
};
