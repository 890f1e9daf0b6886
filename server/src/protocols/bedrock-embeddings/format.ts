/** Selects the embeddings body for a Bedrock model by its id; each vendor has its own. */
import type { EmbeddingsFormat } from "../embeddings/request.ts";
import { cohereEmbeddings } from "./cohere.ts";
import { titanEmbeddings } from "./titan.ts";

/** An id may start with a region, or stand at the end of an ARN. */
const formats: readonly (readonly [id: RegExp, format: EmbeddingsFormat])[] = [
  [/(?:^|[./])amazon\.titan-embed-text-v2/, titanEmbeddings(2)],
  [/(?:^|[./])amazon\.titan-embed-(?:text-v1|g1-text-02)/, titanEmbeddings(1)],
  [/(?:^|[./])cohere\.embed-(?:english|multilingual)-(?:light-)?v3/, cohereEmbeddings(3)],
  [/(?:^|[./])cohere\.embed-v4/, cohereEmbeddings(4)],
];

/** Undefined when no body is known for the model. `model`: its id at the upstream. */
export function bedrockEmbeddings(model: string): EmbeddingsFormat | undefined {
  return formats.find(([id]) => id.test(model))?.[1];
}
