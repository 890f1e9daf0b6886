/** How Anthropic counts the tokens of a request (docs/wire/anthropic-messages.md section 14). */

import { encodeRequest } from "../../protocols/anthropic-messages/encode-request.ts";
import { countedFields, readCount } from "../../protocols/anthropic-messages/endpoint/count-tokens.ts";
import { pathBelow } from "../call-headers.ts";
import { bodyWith, listEdits, modelEdit } from "../named-edits.ts";
import type { TokenCounter } from "../provider.ts";
import { headsFor } from "./call.ts";
import { allDropped } from "./forwarded.ts";

const pathOf = ({ baseUrl }: { readonly baseUrl: string }): string =>
  pathBelow(baseUrl, "/messages/count_tokens");

/** The fields of a call that are counted. */
export const countedOf = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => countedFields.includes(name)));

export const messagesCounter: TokenCounter = {
  encode(conversation, request, upstream, credential, model) {
    const { body, dropped } = encodeRequest(conversation, request, model);
    const heads = headsFor(request, upstream, credential);
    return {
      path: pathOf(upstream),
      headers: heads.headers,
      body: Buffer.from(JSON.stringify({ model, ...countedOf(body) })),
      dropped: allDropped(dropped, heads.dropped),
    };
  },
  passing(request, upstream, credential, model) {
    const edit = modelEdit(request.body, request.spans.model, model);
    const { headers, dropped } = headsFor(request, upstream, credential);
    const edits = [...listEdits(request.body, request.spans), ...(edit === undefined ? [] : [edit])];
    return {
      path: pathOf(upstream),
      headers,
      body: bodyWith(request.body, edits),
      dropped: allDropped(dropped),
    };
  },
  read: readCount,
};
