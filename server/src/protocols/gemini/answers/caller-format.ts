/** Gemini's generateContent as a format that callers speak. */
import type { CallerFormat } from "../../format.ts";
import { decodeRequest } from "../decode-request.ts";
import { geminiTranslation } from "./translation.ts";

export const geminiFormat: CallerFormat = {
  id: "gemini",
  decode: ({ body, seal }) => decodeRequest(body, seal),
  translation: geminiTranslation,
};
