/**
 * The provider `google`: generateContent at the Gemini API or Vertex AI. Translates requests and answers, and
 * exchanges service accounts' keys for access tokens. Must not import the gateway.
 */
import { geminiDecoder } from "../../protocols/gemini/decode-answer.ts";
import { faultOfGoogle } from "../../protocols/gemini/fault.ts";
import { geminiPayloads } from "../../protocols/payloads/marks.ts";
import type { HttpProvider } from "../provider.ts";
import { geminiCounter } from "./count-tokens.ts";
import { encodeCall, encodeProbe } from "./endpoint.ts";
import { passingGemini } from "./passing-gemini.ts";
import { tokens } from "./tokens.ts";

export const google = {
  id: "google",
  transport: "http",
  formats: [
    {
      format: "gemini",
      decoder: geminiDecoder,
      inlinesMedia: true,
      encode: encodeCall,
      passing: passingGemini,
      counter: geminiCounter,
      mayPass: (body) => !geminiPayloads.isIn(body),
    },
  ],
  tokens,
  probe: encodeProbe,
  fault: faultOfGoogle,
} as const satisfies HttpProvider;
