/**
 * Legacy completions at Azure: under the deployment's path, and answers freed of the filter's remarks
 * (docs/wire/azure-openai.md section 2). It must not know the gateway.
 */
import { createAnswerTranslation } from "../openai/adapt-answer.ts";
import type { HttpCodec } from "../provider.ts";
import { encodeTo, filterRemarks } from "./azure.ts";

export const azureCompletions: HttpCodec = {
  translation: createAnswerTranslation({ strips: filterRemarks }),
  encode: encodeTo("completions", "max_tokens"),
};
