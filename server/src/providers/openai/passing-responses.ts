/**
 * Callers of Responses at upstreams that speak it: their bytes as they are, outside the model's name, the
 * output that is paid for, the list of models, and that nothing is stored: who keeps responses is Plaza. So
 * reasoning has to come in the form that can be sent back. It must not parse the body.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { itemsOf } from "../../lib/json/spans.ts";
import type { Edit } from "../../lib/json/splice.ts";
import { opaqueIncluded, surelyGivesOpaque } from "../../protocols/openai-responses/models.ts";
import type { AnswerTranslation, ProviderRequest } from "../../protocols/protocol.ts";
import { type BoundSpans, bodyWith, boundEdits, listEdits, memberEdit, modelEdit } from "../named-edits.ts";
import type { HttpCodec } from "../provider.ts";

const boundSpans = ({ spans }: ProviderRequest): BoundSpans => ({
  known: [spans.max_output_tokens],
  insert: (body, text) => memberEdit(body, 0, `"max_output_tokens":${text}`),
});

/**
 * Absent is true at OpenAI. A caller that means to have its answer stored sends reasoning back by its id
 * alone, which the upstream, told not to store it, would not find.
 */
function storeEdits(request: ProviderRequest, model: string): Edit[] {
  const { body, spans } = request;
  const { store } = spans;
  if (store === undefined) return [memberEdit(body, 0, '"store":false'), ...includeEdits(request, model)];
  if (body.toString("latin1", store.start, store.end) === "false") return [];
  return [{ start: store.start, end: store.end, text: "false" }, ...includeEdits(request, model)];
}

const opaque = JSON.stringify(opaqueIncluded);
const openBracket = 0x5b;

/** Asks for opaque reasoning, of models that surely give it: others refuse the call. */
function includeEdits({ body, spans: { include } }: ProviderRequest, model: string): Edit[] {
  if (!surelyGivesOpaque(model)) return [];
  if (include === undefined) return [memberEdit(body, 0, `"include":[${opaque}]`)];
  const { start, end } = include;
  const sent = body.toString("latin1", start, end);
  if (sent === "null") return [{ start, end, text: `[${opaque}]` }];
  if (body[start] !== openBracket || sent.includes(opaque)) return [];
  const isEmpty = itemsOf(body, start).length === 0;
  return [{ start: start + 1, end: start + 1, text: isEmpty ? opaque : `${opaque},` }];
}

/** The edits of a body on its way to an upstream that calls the model so. */
function responsesEdits(request: ProviderRequest, model: string): Edit[] {
  const { body, spans } = request;
  const named = modelEdit(body, spans.model, model);
  return [
    ...(named === undefined ? [] : [named]),
    ...(request.outputTokensMax === undefined ? [] : boundEdits(request, boundSpans(request))),
    ...storeEdits(request, model),
    ...listEdits(body, spans),
  ];
}

/** Where and how an upstream is called. */
export interface ResponsesCall {
  path(upstream: Upstream, model: string): string;
  headers(upstream: Upstream, credential: string, isStream: boolean): string[];
}

/** `translation`: of answers that may lack something; absent: they pass as they are. */
export const passResponses = (
  { path, headers }: ResponsesCall,
  translation?: AnswerTranslation,
): HttpCodec => ({
  translation,
  encode: (request, upstream, credential, model) => ({
    path: path(upstream, model),
    headers: headers(upstream, credential, request.isStream),
    body: bodyWith(request.body, responsesEdits(request, model)),
  }),
});
