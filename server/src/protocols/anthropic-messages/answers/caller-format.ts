/** Messages as a format that callers speak. */
import type { CallerFormat } from "../../format.ts";
import { createRequestReader } from "../decode-request.ts";
import { messagesTranslation } from "../translation.ts";

/** The encoder and the answer's writer ask for the same body: it is parsed once. */
const read = createRequestReader();

export const messagesFormat: CallerFormat = {
  id: "anthropic-messages",
  decode: ({ body, seal }) => read(body, seal).conversation,
  translation: (decoder) => messagesTranslation(decoder, { read }),
};
