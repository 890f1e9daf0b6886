/** Responses as a format that callers speak. */
import type { CallerFormat } from "../../format.ts";
import { createRequestReader } from "../decode-request.ts";
import { responsesTranslation } from "../translation.ts";

/** The encoder and the answer's writer ask for the same body: it is parsed once. */
const read = createRequestReader();

export const responsesFormat: CallerFormat = {
  id: "openai-responses",
  decode: ({ body, seal }) => read(body, seal).conversation,
  translation: (decoder) => responsesTranslation(decoder, { read }),
};
