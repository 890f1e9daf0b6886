/**
 * Legacy completions at Azure: under the deployment's path, without the content filter's annotations in
 * answers (docs/wire/azure-openai.md section 2). Must not import the gateway.
 */
import { createAnswerTranslation } from "../openai/adapt-answer.ts";
import type { HttpCodec } from "../provider.ts";
import { encodeTo, filterRemarks } from "./azure.ts";

export const azureCompletions: HttpCodec = {
  translation: createAnswerTranslation({ strips: filterRemarks }),
  encode: encodeTo("completions", "max_tokens"),
};
