/** What the form of a model calls a field of its values. */
import type { operatorModelsWords } from "../../../words/pages/operator-models.ts";
import type { KeyOf, Say } from "../../../words/words.ts";
import type { ModelValues } from "./model-values.ts";

type Key = KeyOf<typeof operatorModelsWords>;

const words: Record<keyof ModelValues, Key> = {
  id: "id",
  name: "name",
  description: "description",
  family: "family",
  context: "context",
  maxOutput: "maxOutput",
  inputs: "inputs",
  outputs: "outputs",
  knowsCapabilities: "knowsCapabilities",
  capabilities: "capabilities",
  deprecated: "deprecated",
  price: "priceTitle",
  scheduled: "scheduledTitle",
  deployments: "deploymentsTitle",
  requestsPerMinute: "requestsPerMinute",
  tokensPerMinute: "tokensPerMinute",
  concurrency: "concurrency",
  fallbacks: "fallbacks",
  hedge: "hedge",
  hedgeAfter: "hedgeAfter",
};

/** `field` is a key of `ModelValues`. */
export function fieldWord(say: Say<Key>, field: string): string {
  return Object.hasOwn(words, field) ? say(words[field as keyof ModelValues]) : field;
}
