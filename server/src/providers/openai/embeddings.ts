/** Embeddings at OpenAI-compatible upstreams: the caller's bytes with the model's name replaced. */
import { hintsIn } from "../../protocols/embeddings/request.ts";
import type { EmbeddingsFields } from "../../protocols/openai-embeddings/decode-request.ts";
import type { HttpCodec } from "../provider.ts";
import { encodeTo, pathsTo } from "./encode.ts";

/** The codec, where callers are told which of their hints the format has no fields for. */
export const withoutHints = ({ encode }: HttpCodec): HttpCodec => ({
  encode(request, upstream, credential, model) {
    const call = encode(request, upstream, credential, model);
    const { hints } = request.fields as EmbeddingsFields;
    return hints === undefined ? call : { ...call, dropped: hintsIn(hints) };
  },
});

export const openaiEmbeddings: HttpCodec = withoutHints({ encode: encodeTo(pathsTo("/embeddings")) });
