/**
 * Google's generateContent, at the Gemini API or Vertex AI: requests and answers are translated, service accounts' keys exchanged for
 * access tokens. It must not know the gateway.
 */
import { translation } from "./google/answer.ts";
import { encodeChat } from "./google/encode.ts";
import { encodeProbe } from "./google/endpoint.ts";
import { faultOfGoogle } from "./google/fault.ts";
import { tokens } from "./google/tokens.ts";
import { readUsage } from "./openai/usage.ts";
import type { HttpProvider } from "./provider.ts";

export const google = {
  id: "google",
  transport: "http",
  inlinesMedia: true,
  translation,
  tokens,
  encode: encodeChat,
  probe: encodeProbe,
  fault: faultOfGoogle,
  usage: readUsage,
} as const satisfies HttpProvider;
