/** Embeddings of Azure's two surfaces: OpenAI's bytes on their paths. */
import type { HttpCodec } from "../provider.ts";
import { encodeTo } from "./azure.ts";

export const azureEmbeddings: HttpCodec = { encode: encodeTo("embeddings") };
