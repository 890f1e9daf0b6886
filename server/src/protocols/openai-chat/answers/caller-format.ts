/** Chat completions as a format that callers speak. */
import type { CallerFormat } from "../../format.ts";
import { decodeRequest } from "../decode-request.ts";
import { chatTranslation } from "../translation.ts";

export const chatFormat: CallerFormat = {
  id: "openai-chat",
  decode: ({ body }) => decodeRequest(body),
  translation: chatTranslation,
};
