/** Which body a model of Bedrock wants for embeddings, told by its id: each maker has its own. */
import type { EmbeddingsFormat } from "../embeddings/request.ts";
import { cohereEmbeddings } from "./cohere.ts";
import { titanEmbeddings } from "./titan.ts";

/** Ids may have a region in front, or stand at the end of an ARN. */
const formats: readonly (readonly [id: RegExp, format: EmbeddingsFormat])[] = [
  [/(?:^|[./])amazon\.titan-embed-text-v2/, titanEmbeddings(2)],
  [/(?:^|[./])amazon\.titan-embed-(?:text-v1|g1-text-02)/, titanEmbeddings(1)],
  [/(?:^|[./])cohere\.embed-(?:english|multilingual)-(?:light-)?v3/, cohereEmbeddings(3)],
  [/(?:^|[./])cohere\.embed-v4/, cohereEmbeddings(4)],
];

/** undefined: no body is known for it. `model`: its id at the upstream. */
export function bedrockEmbeddings(model: string): EmbeddingsFormat | undefined {
  return formats.find(([id]) => id.test(model))?.[1];
}
