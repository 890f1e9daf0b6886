/** Embeddings at OpenAI-compatible upstreams: the caller's bytes with the model's name replaced. */
import type { HttpCodec } from "../provider.ts";
import { encodeTo, pathsTo } from "./encode.ts";

export const openaiEmbeddings: HttpCodec = { encode: encodeTo(pathsTo("/embeddings")) };
