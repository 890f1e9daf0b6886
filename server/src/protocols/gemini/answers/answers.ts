/** Tells the gateway how to read Gemini's answers when they pass through (docs/wire/gemini.md section 13). */

import { addressesOf } from "../../../conversation/media.ts";
import { createJsonScannerFactory, findField } from "../../../lib/json/scan.ts";
import { recordOf } from "../../../lib/record.ts";
import { type ContentSize, noContent } from "../../content-size.ts";
import type { CallerFormat } from "../../format.ts";
import type { Span } from "../../protocol.ts";
import type { WholeAnswer, WireProtocol } from "../../wire-protocol.ts";
import { decodeRequest } from "../decode-request.ts";
import { readUsage } from "../usage.ts";
import { errorBody } from "./errors.ts";
import { JsonArrayStream } from "./json-array.ts";
import { GeminiStreamReader, streamMarks } from "./stream-reader.ts";
import { geminiTranslation } from "./translation.ts";
import { writtenIn } from "./written.ts";

const createScanner = createJsonScannerFactory(["candidates", "promptFeedback", "usageMetadata", "error"], {
  depthMax: 1_000,
  valuesMax: 50_000_000,
});

const parse = (body: Buffer, { start, end }: Span): unknown => JSON.parse(body.toString("utf8", start, end));

/** Undefined when the body is not a response object or is an error. A blocked prompt is an answer. */
function readWhole(body: Buffer): WholeAnswer | undefined {
  const scanner = createScanner();
  scanner.push(body);
  const scan = scanner.end();
  if (scan.reason !== undefined) return undefined;
  const error = findField(scan, "error");
  const candidates = findField(scan, "candidates");
  const content = candidates?.kind === "array" ? candidates : findField(scan, "promptFeedback");
  if (content === undefined || content.kind === "null") return undefined;
  if (error !== undefined && error.kind !== "null") return undefined;
  const usage = findField(scan, "usageMetadata");
  return { usage: usage?.kind === "object" ? parse(body, usage) : undefined, content };
}

function contentSize(body: Buffer, content: Span): ContentSize {
  const candidates = parse(body, content);
  if (!Array.isArray(candidates)) return noContent;
  return writtenIn(
    candidates.flatMap((candidate) => {
      const { parts } = recordOf(recordOf(candidate)["content"]);
      return Array.isArray(parts) ? parts : [];
    }),
  );
}

/** Gemini's generateContent as a format that callers speak. */
const geminiFormat: CallerFormat = {
  id: "gemini",
  decode: ({ body, seal }) => decodeRequest(body, seal),
  translation: geminiTranslation,
};

export const gemini: WireProtocol = {
  format: geminiFormat,
  streamMarks,
  idPrefix: "",
  errors: { body: errorBody },
  // Google's older SDKs find no event behind a comment; blank lines mean nothing to any reader.
  keepAlive: Buffer.from("\n\n"),
  readStream: () => new GeminiStreamReader(),
  readWhole,
  contentSize,
  readUsage,
  // Usage is shown to every caller.
  withoutUsage: (events) => events,
  addressesOf: (request) => addressesOf(geminiFormat.decode(request)),
};

/** The same for callers that do not ask for events: their streams are one JSON array. */
export const geminiArray: WireProtocol = {
  ...gemini,
  streamFrame: { contentType: "application/json; charset=UTF-8", create: () => new JsonArrayStream() },
};
