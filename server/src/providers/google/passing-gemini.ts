/**
 * Callers of Gemini at upstreams that speak it: their bytes as they are, outside the output that is paid for.
 * The model and how the answer comes stand in the path, not in the body. It must not parse the body.
 */
import { type BoundPlaces, bodyWith, boundEdits, listEdits, memberEdit } from "../named-edits.ts";
import type { HttpCodec } from "../provider.ts";
import { apiOf, callPath, googleHeaders } from "./endpoint.ts";

type Places = Parameters<typeof boundEdits>[0]["spans"];

/** The bound stands in an object that need not be there. */
const boundPlaces = ({ maxOutputTokens, generationConfig: config }: Places): BoundPlaces => ({
  known: [maxOutputTokens],
  insert(body, text) {
    const member = `"maxOutputTokens":${text}`;
    if (config === undefined) return memberEdit(body, 0, `"generationConfig":{${member}}`);
    const isObject = body[config.start] === 0x7b;
    if (isObject) return memberEdit(body, config.start, member);
    return { start: config.start, end: config.end, text: `{${member}}` };
  },
});

export const passingGemini: HttpCodec = {
  encode(request, upstream, credential, model) {
    const { body, spans, isStream } = request;
    return {
      path: callPath(upstream.baseUrl, model, isStream),
      headers: googleHeaders(apiOf(upstream), credential, isStream),
      body: bodyWith(body, [...boundEdits(request, boundPlaces(spans)), ...listEdits(body, spans)]),
    };
  },
};
