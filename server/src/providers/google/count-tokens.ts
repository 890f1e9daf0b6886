/**
 * How Google counts the tokens of a request, instructions and tools included (docs/wire/gemini.md section 1):
 * the Gemini API takes the whole call, Vertex AI the parts of it that are prompt.
 */
import { isRecord, parseJson } from "../../lib/record.ts";
import { encodeRequest } from "../../protocols/gemini/encode-request.ts";
import type { TokenCounter } from "../provider.ts";
import { apiOf, googleHeaders, methodPath, resourceOf } from "./endpoint.ts";

export const geminiCounter: TokenCounter = {
  encode(conversation, request, upstream, credential, model) {
    const api = apiOf(upstream);
    const { body, dropped } = encodeRequest(conversation, request, api, model);
    const { contents, systemInstruction, tools } = body;
    const asked =
      api === "gemini"
        ? { generateContentRequest: { model: resourceOf(model), ...body } }
        : { contents, systemInstruction, tools };
    return {
      path: methodPath(upstream.baseUrl, model, "countTokens"),
      headers: googleHeaders(api, credential, false),
      body: Buffer.from(JSON.stringify(asked)),
      dropped,
    };
  },
  read(body) {
    const answer = parseJson(body.toString("utf8"));
    const tokens = isRecord(answer) ? answer["totalTokens"] : undefined;
    return typeof tokens === "number" && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : undefined;
  },
};
