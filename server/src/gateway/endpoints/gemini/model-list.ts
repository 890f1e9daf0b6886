/**
 * `GET /v1beta/models` and `GET /v1beta/models/{id}`: the models this key may use, as Gemini's clients read
 * them. Below `/v1/models` the same for callers that present their key as Google's clients do.
 */
import type { Operation } from "@plaza/contract/operations.ts";
import type { ModelObject } from "../../../domain/catalog/model-facts.ts";
import { gemini } from "../../../protocols/gemini/answers/answers.ts";
import { modelBody, modelsBody } from "../../../protocols/gemini/answers/others.ts";
import type { WireProtocol } from "../../../protocols/wire-protocol.ts";
import type { Snapshot } from "../../snapshot.ts";
import { isCounted } from "../counting.ts";

/** True for the format in which models are listed here. */
export const isGeminis = (format: WireProtocol | undefined): boolean => format === gemini;

const methods: { readonly [Name in Operation]?: readonly string[] } = {
  chat: ["generateContent", "streamGenerateContent"],
  embeddings: ["embedContent", "batchEmbedContents"],
};

/** Only where an upstream counts: elsewhere the method is a 404. */
const counting = ["countTokens"];

function listed(
  { id, name, description, operations, context_length, max_output_tokens }: ModelObject,
  models: Snapshot["models"],
) {
  const live = operations.includes("chat") ? models.get(id) : undefined;
  return {
    name: id,
    displayName: name,
    description: description ?? undefined,
    inputTokenLimit: context_length ?? undefined,
    outputTokenLimit: max_output_tokens ?? undefined,
    methods: [
      ...operations.flatMap((operation) => methods[operation] ?? []),
      ...(live !== undefined && isCounted(live) ? counting : []),
    ],
  };
}

/** Always all of them on one page. */
export const geminiModels = (shown: readonly ModelObject[], { models }: Pick<Snapshot, "models">): Buffer =>
  modelsBody(shown.map((model) => listed(model, models)));

export const geminiModel = (shown: ModelObject, { models }: Pick<Snapshot, "models">): Buffer =>
  modelBody(listed(shown, models));
