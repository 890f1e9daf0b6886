/**
 * Callers of Responses at upstreams that speak it: their bytes as they are, outside the model's name, the
 * output that is paid for, the list of models, and that nothing is stored: who keeps responses is Plaza. It
 * must not parse the body.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import type { Edit } from "../../lib/json/splice.ts";
import type { ProviderRequest } from "../../protocols/protocol.ts";
import { type BoundPlaces, bodyWith, boundEdits, listEdits, memberEdit, modelEdit } from "../named-edits.ts";
import type { HttpCodec } from "../provider.ts";

const boundPlaces = ({ spans }: ProviderRequest): BoundPlaces => ({
  known: [spans.max_output_tokens],
  insert: (body, text) => memberEdit(body, 0, `"max_output_tokens":${text}`),
});

/** Absent is true at OpenAI. */
function storeEdits({ body, spans: { store } }: ProviderRequest): Edit[] {
  if (store === undefined) return [memberEdit(body, 0, '"store":false')];
  const isFalse = body.toString("latin1", store.start, store.end) === "false";
  return isFalse ? [] : [{ start: store.start, end: store.end, text: "false" }];
}

/** The edits of a body on its way to an upstream that calls the model so. */
function responsesEdits(request: ProviderRequest, model: string): Edit[] {
  const { body, spans } = request;
  const named = modelEdit(body, spans.model, model);
  return [
    ...(named === undefined ? [] : [named]),
    ...(request.outputTokensMax === undefined ? [] : boundEdits(request, boundPlaces(request))),
    ...storeEdits(request),
    ...listEdits(body, spans),
  ];
}

/** Where and how an upstream is called. */
export interface ResponsesCall {
  path(upstream: Upstream, model: string): string;
  headers(upstream: Upstream, credential: string, isStream: boolean): string[];
}

export const passResponses = ({ path, headers }: ResponsesCall): HttpCodec => ({
  encode: (request, upstream, credential, model) => ({
    path: path(upstream, model),
    headers: headers(upstream, credential, request.isStream),
    body: bodyWith(request.body, responsesEdits(request, model)),
  }),
});
