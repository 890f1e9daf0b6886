/**
 * How Claude on Vertex AI counts the tokens of a request: a model of its own, and the model it is for in the
 * body (docs/wire/anthropic-messages.md section 14). It takes no betas.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { encodeRequest } from "../../protocols/anthropic-messages/encode-request.ts";
import { readCount } from "../../protocols/anthropic-messages/endpoint/count-tokens.ts";
import { countedOf } from "../anthropic/count-tokens.ts";
import { noteEdits } from "../anthropic/passing-messages.ts";
import { googleHeaders, methodPath } from "../google/endpoint.ts";
import { bodyWith, listEdits, memberEdit, modelEdit } from "../named-edits.ts";
import type { TokenCounter } from "../provider.ts";
import { version } from "./call.ts";

const headOf = ({ baseUrl }: Upstream, credential: string) => ({
  path: methodPath(baseUrl, "count-tokens", "rawPredict"),
  headers: googleHeaders("vertex", credential, false),
});

export const vertexCounter: TokenCounter = {
  encode(conversation, request, upstream, credential, model) {
    const { body, dropped } = encodeRequest(conversation, request, model);
    const counted = { anthropic_version: version, model, ...countedOf(body) };
    return { ...headOf(upstream, credential), body: Buffer.from(JSON.stringify(counted)), dropped };
  },
  passing({ body, spans }, upstream, credential, model) {
    const edit = modelEdit(body, spans.model, model);
    const edits = [
      memberEdit(body, 0, `"anthropic_version":"${version}"`),
      ...listEdits(body, spans),
      ...noteEdits(body),
      ...(edit === undefined ? [] : [edit]),
    ];
    return { ...headOf(upstream, credential), body: bodyWith(body, edits) };
  },
  read: readCount,
};
