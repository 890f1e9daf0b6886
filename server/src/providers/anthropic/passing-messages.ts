/**
 * Callers of Messages at upstreams that speak it: their bytes as they are, so that prompt caches and
 * signatures hold, outside the model's name, the output that is paid for, and the list of models. It must
 * not parse the body.
 */
import type { Edit } from "../../lib/json/splice.ts";
import type { ProviderRequest } from "../../protocols/protocol.ts";
import { type BoundPlaces, bodyWith, boundEdits, listEdits, memberEdit, modelEdit } from "../named-edits.ts";
import type { HttpCodec } from "../provider.ts";
import { headersFor, messagesPath } from "./call.ts";

/** `max_tokens` is required: it is there, or the request was refused. */
const boundPlaces = ({ spans }: ProviderRequest): BoundPlaces => ({
  known: [spans.max_tokens],
  insert: (body, text) => memberEdit(body, 0, `"max_tokens":${text}`),
});

/** The edits of every upstream that speaks Messages, whatever it says of the model. */
export const messagesEdits = (request: ProviderRequest): Edit[] => [
  ...(request.outputTokensMax === undefined ? [] : boundEdits(request, boundPlaces(request))),
  ...listEdits(request.body, request.spans),
];

export const passingMessages: HttpCodec = {
  encode(request, upstream, credential, model) {
    const named = modelEdit(request.body, request.spans.model, model);
    const edits = messagesEdits(request);
    if (named !== undefined) edits.push(named);
    return {
      path: messagesPath(upstream),
      headers: headersFor(upstream, credential, request.isStream),
      body: bodyWith(request.body, edits),
    };
  },
};
