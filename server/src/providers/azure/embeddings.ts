/** Embeddings at both Azure APIs: OpenAI's format on Azure's paths. */
import type { HttpCodec } from "../provider.ts";
import { encodeTo } from "./azure.ts";

export const azureEmbeddings: HttpCodec = { encode: encodeTo("embeddings") };
