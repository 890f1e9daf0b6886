/**
 * `GET /v1beta/models` and `GET /v1beta/models/{id}`: the models this key may use, as Gemini's clients read
 * them. Below `/v1/models` the same for callers that present their key as Google's clients do.
 */
import type { Operation } from "@plaza/contract/operations.ts";
import type { ModelObject } from "../../../domain/catalog/model-facts.ts";
import type { RequestHeaders } from "../../../lib/net/exchange.ts";
import { modelBody, modelsBody } from "../../../protocols/gemini/answers/others.ts";

const methods: { readonly [Name in Operation]?: readonly string[] } = {
  chat: ["generateContent", "streamGenerateContent", "countTokens"],
  embeddings: ["embedContent", "batchEmbedContents"],
};

/** True for a client of Google's, by where it presents its key. */
export const isGoogleClient = (headers: RequestHeaders): boolean => headers["x-goog-api-key"] !== undefined;

function listed({ id, name, description, operations, context_length, max_output_tokens }: ModelObject) {
  return {
    name: id,
    displayName: name,
    description: description ?? undefined,
    inputTokenLimit: context_length ?? undefined,
    outputTokenLimit: max_output_tokens ?? undefined,
    methods: operations.flatMap((operation) => methods[operation] ?? []),
  };
}

/** Always all of them on one page. */
export const geminiModels = (models: readonly ModelObject[]): Buffer => modelsBody(models.map(listed));

export const geminiModel = (model: ModelObject): Buffer => modelBody(listed(model));
