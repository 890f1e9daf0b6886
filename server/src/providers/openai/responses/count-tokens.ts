/**
 * How upstreams that speak Responses count the tokens of a request (docs/wire/openai-responses.md
 * section 10).
 */
import { countedFields, readCount } from "../../../protocols/openai-responses/answers/count-protocol.ts";
import { encodeRequest } from "../../../protocols/openai-responses/encode-request.ts";
import type { ModelFacts } from "../../../protocols/openai-responses/models.ts";
import { bodyWith, listEdits, modelEdit } from "../../named-edits.ts";
import type { TokenCounter } from "../../provider.ts";
import type { ResponsesCall } from "../passing-responses.ts";

/** `path`: of the count. */
export const responsesCounter = (
  { path, headers }: ResponsesCall,
  facts: (model: string) => ModelFacts,
): TokenCounter => ({
  encode(conversation, request, upstream, credential, model) {
    const { body, dropped } = encodeRequest(conversation, request, model, facts(model));
    const counted = Object.entries(body).filter(([name]) => countedFields.includes(name));
    return {
      path: path(upstream, model),
      headers: headers(upstream, credential, false),
      body: Buffer.from(JSON.stringify(Object.fromEntries(counted))),
      ...(dropped === undefined ? {} : { dropped }),
    };
  },
  passing(request, upstream, credential, model) {
    const edit = modelEdit(request.body, request.spans.model, model);
    const edits = [...listEdits(request.body, request.spans), ...(edit === undefined ? [] : [edit])];
    return {
      path: path(upstream, model),
      headers: headers(upstream, credential, false),
      body: bodyWith(request.body, edits),
    };
  },
  read: readCount,
});
