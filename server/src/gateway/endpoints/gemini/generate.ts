/**
 * Gemini's `:generateContent` and `:streamGenerateContent`, below `/v1beta/models` and, as Google's own SDK
 * calls them, below `/v1/models`: what is special about them, and nothing that another endpoint does in the
 * same way.
 */
import { gemini, geminiArray } from "../../../protocols/gemini/answers/answers.ts";
import type { Endpoint } from "../endpoint.ts";
import { worstCaseOf } from "../generation/worst-case.ts";
import { type GeminiFields, outputBound, readGemini, scanned } from "./gemini-fields.ts";
import { promptTokens } from "./prompt-tokens.ts";

/** Where Gemini's clients look for models. */
export const modelPaths = ["/v1beta/models/*", "/v1/models/*"] as const;

const bounds: ReadonlySet<string> = new Set([outputBound]);

const generate = (path: string, isStream: boolean): Endpoint<GeminiFields> => ({
  path,
  operation: "chat",
  protocol: gemini,
  protocolOf: (fields) => (isStream && !fields.isEvents ? geminiArray : undefined),
  scanned,
  promptField: "contents",
  // The format has no word for a session or a user.
  sessionFields: [],
  // All of its parameters stand in an object, of which nothing is left out alone.
  droppable: new Set(),
  read: (scan, body, target) => readGemini(scan, body, target, isStream),
  worstCase: (model, price, fields, body) => worstCaseOf(model, price, fields, body, bounds),
  promptTokens,
});

export const geminiGenerate: readonly Endpoint<GeminiFields>[] = modelPaths.flatMap((path) => [
  generate(`${path}:generateContent`, false),
  generate(`${path}:streamGenerateContent`, true),
]);
