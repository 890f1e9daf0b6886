/**
 * Callers of Gemini at upstreams that speak it: their bytes as they are, outside the output that is paid for
 * and a model's name. The model and how the answer comes stand in the path; few callers repeat it in the
 * body. It must not parse the body.
 */
import type { Edit } from "../../lib/json/splice.ts";
import { type BoundPlaces, bodyWith, boundEdits, listEdits, memberEdit, modelEdit } from "../named-edits.ts";
import type { HttpCodec } from "../provider.ts";
import { apiOf, callPath, googleHeaders, resourceOf } from "./endpoint.ts";

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

function nameEdits(body: Buffer, spans: Places, model: string): Edit[] {
  const named = spans.model === undefined ? undefined : modelEdit(body, spans.model, resourceOf(model));
  return named === undefined ? [] : [named];
}

export const passingGemini: HttpCodec = {
  encode(request, upstream, credential, model) {
    const { body, spans, isStream } = request;
    return {
      path: callPath(upstream.baseUrl, model, isStream),
      headers: googleHeaders(apiOf(upstream), credential, isStream),
      body: bodyWith(body, [
        ...nameEdits(body, spans, model),
        ...boundEdits(request, boundPlaces(spans)),
        ...listEdits(body, spans),
      ]),
    };
  },
};
