/** Descriptor of the provider `google` (Gemini API and Vertex AI), readable without loading its code. */
import { message } from "@plaza/contract/messages/message.ts";
import { allowOption, allowRule } from "../charged-apart.ts";
import { type ProviderDescriptor, tokenUri } from "../descriptor.ts";
import { googleMedia } from "../media-rules.ts";
import { googleListing } from "./listing.ts";

export const googleDescriptor: ProviderDescriptor = {
  id: "google",
  transport: "http",
  baseUrl: "https://generativelanguage.googleapis.com/v1beta",
  mediaRule: googleMedia,
  needs: {
    baseUrl: true,
    credentials: true,
    identity: true,
    options: {
      [allowOption]: allowRule,
      api: {
        help: message("provider.geminiOrVertex"),
        pattern: /^(?:gemini|vertex)$/,
      },
      tokenUri,
    },
    headers: { credential: ["x-goog-api-key", "authorization"] },
  },
  aliases: ["gemini"],
  pricedAt: [
    { host: /^generativelanguage\.googleapis\.com$/, catalog: "google" },
    {
      host: /(?:^|[.-])aiplatform(?:\.[a-z]+\.rep)?\.googleapis\.com$/,
      except: /\/publishers\/anthropic\/?$/i,
      catalog: "vertex",
    },
  ],
  secrets: [
    { name: "a Google API key", sample: "AIzaSyCANARYa1B2c3D4e5F6g7H8i9J0kLmNoPq", start: "AIza" },
    { name: "a Google OAuth token", sample: "ya29.CANARYa0AfH6SMBx-yZ_1234567890abcdef", start: "ya29\\." },
    { name: "a Google project", sample: "projects/884422006611" },
    { name: "a short Google API key", sample: "AQ.Ab8RN6CANARYa1B2c3D4e5F6g7H8", start: "AQ\\." },
  ],
  service: {
    name: "Google Gemini",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    clientKeys: { beginnings: ["AIza"], owner: "Google" },
    origin: { source: "@google/genai@3.1.0", date: "2026-11-10" },
  },
  listing: googleListing,
  lacks: ["files by address"],
  formats: ["gemini"],
  docs: { speaks: "generateContent, of the Gemini API and of Vertex AI", page: "google.md" },
  load: async () => (await import("./google.ts")).google,
};
