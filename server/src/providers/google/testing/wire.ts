/** Writes answers as Google's upstream does (docs/wire/gemini.md). */
import { json, sse, type Wire } from "../../testing/wire.ts";

const geminiUsage = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
const candidate = (text: string, more: object = {}): object => ({
  candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0, ...more }],
  modelVersion: "m",
  responseId: "r1",
});
export const googleWire: Wire = {
  id: "google",
  basePath: "/v1beta",
  credential: "AIzaSyA0123456789012345678901234567890a",
  // A stream ends with its connection; there is no end marker.
  endBytes: 0,
  streamType: "text/event-stream",
  whole: (text) => json({ ...candidate(text, { finishReason: "STOP" }), usageMetadata: geminiUsage }),
  stream: (text) => ({
    begin: sse(candidate(text)),
    rest: sse({ ...candidate("", { finishReason: "STOP" }), usageMetadata: geminiUsage }),
  }),
  error: (code, status, text, more = {}) => json({ error: { code, message: text, status, ...more } }),
  streamError: (code, status, text) => sse({ error: { code, message: text, status } }),
};
