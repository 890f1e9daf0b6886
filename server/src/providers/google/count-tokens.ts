/**
 * How Google counts the tokens of a request, instructions and tools included (docs/wire/gemini.md section 1):
 * the Gemini API takes the whole call, Vertex AI the parts of it that are prompt.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { parseExact } from "../../lib/json/exact-json.ts";
import { recordOf } from "../../lib/record.ts";
import { readCount } from "../../protocols/gemini/answers/others.ts";
import { encodeRequest } from "../../protocols/gemini/encode-request.ts";
import { membersOf } from "../../protocols/gemini/request/spelling.ts";
import type { UpstreamCall } from "../../protocols/protocol.ts";
import { bodyWith, modelEdit } from "../named-edits.ts";
import type { TokenCounter } from "../provider.ts";
import { apiOf, googleHeaders, methodPath, resourceOf } from "./endpoint.ts";

/** What Vertex AI's count takes of a call. */
const promptOf = ({ contents, systemInstruction, tools }: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ contents, systemInstruction, tools });

/** The whole call as the Gemini API's count takes it. `body`: an object, with its model. */
const wholeOf = (body: Buffer): Buffer =>
  Buffer.concat([Buffer.from('{"generateContentRequest":'), body, Buffer.from("}")]);

const callOf = (upstream: Upstream, credential: string, model: string, body: Buffer): UpstreamCall => ({
  path: methodPath(upstream.baseUrl, model, "countTokens"),
  headers: googleHeaders(apiOf(upstream), credential, false),
  body,
});

export const geminiCounter: TokenCounter = {
  encode(conversation, request, upstream, credential, model) {
    const api = apiOf(upstream);
    const { body, dropped } = encodeRequest(conversation, request, api, model);
    const asked =
      api === "gemini"
        ? wholeOf(Buffer.from(JSON.stringify({ model: resourceOf(model), ...body })))
        : Buffer.from(promptOf({ ...body }));
    return { ...callOf(upstream, credential, model, asked), dropped };
  },
  passing({ body, spans }, upstream, credential, model) {
    if (apiOf(upstream) === "vertex") {
      const asked = promptOf(membersOf(recordOf(parseExact(body.toString("utf8")))));
      return callOf(upstream, credential, model, Buffer.from(asked));
    }
    const named = modelEdit(body, spans.model, resourceOf(model));
    const asked = wholeOf(bodyWith(body, named === undefined ? [] : [named]));
    return callOf(upstream, credential, model, asked);
  },
  read: readCount,
};
