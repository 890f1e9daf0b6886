/** Embeddings at both Azure APIs: OpenAI's format on Azure's paths. */
import { withoutHints } from "../openai/embeddings.ts";
import type { HttpCodec } from "../provider.ts";
import { encodeTo } from "./azure.ts";

export const azureEmbeddings: HttpCodec = withoutHints({ encode: encodeTo("embeddings") });
