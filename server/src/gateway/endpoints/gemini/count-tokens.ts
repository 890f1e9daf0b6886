/**
 * Gemini's `:countTokens`: how many tokens a generateContent request has, counted by an upstream or not at
 * all. The request stands in the body itself or, with all of its settings, in `generateContentRequest`.
 */
import { message } from "@plaza/contract/messages/message.ts";
import type { JsonScan } from "../../../lib/json/scan-shapes.ts";
import { geminiCount } from "../../../protocols/gemini/answers/count-protocol.ts";
import { createBodyScanners } from "../../request/body/body-scan.ts";
import { nothingUsed } from "../counting.ts";
import type { CallTarget, Endpoint } from "../endpoint.ts";
import { invalid } from "../shared-fields.ts";
import { type GeminiFields, readGemini, scanned } from "./gemini-fields.ts";
import { modelPaths } from "./generate.ts";
import { fieldOf, spellingsOf } from "./spelling.ts";

const wrapper = "generateContentRequest";

/** Of what stands in the wrapper: the body around it is within its limits. */
const scanners = createBodyScanners(scanned, { jsonDepthMax: 1_000, jsonValuesMax: 1_000_000_000 });

/** The request that is counted: the body, or what its wrapper holds. Throws for both. */
function countedIn(scan: JsonScan, body: Buffer): { readonly scan: JsonScan; readonly body: Buffer } {
  const field = fieldOf(scan, wrapper);
  if (field === undefined) return { scan, body };
  if (field.kind !== "object") throw invalid(message("wire.notObject", { param: wrapper }), wrapper);
  if (fieldOf(scan, "contents") !== undefined)
    throw invalid(message("wire.geminiSchemas", { param: "contents", other: wrapper }), wrapper);
  const inner = body.subarray(field.start, field.end);
  const scanner = scanners.create();
  const refused = scanner.push(inner);
  if (refused !== undefined) throw refused;
  return { scan: scanner.end(inner), body: inner };
}

function readCount(scan: JsonScan, body: Buffer, target: CallTarget): GeminiFields {
  const counted = countedIn(scan, body);
  return {
    ...readGemini(counted.scan, counted.body, target, false),
    body: counted.body,
    // What would be charged in an answer is not charged in a count.
    apart: [],
    offers: undefined,
  };
}

const count = (path: string): Endpoint<GeminiFields> => ({
  path: `${path}:countTokens`,
  operation: "chat",
  protocol: geminiCount,
  scanned: { ...scanned, names: [...scanned.names, ...spellingsOf([wrapper])] },
  promptField: "contents",
  sessionFields: [],
  droppable: new Set(),
  read: readCount,
  worstCase: () => nothingUsed,
  promptTokens: () => 0,
});

export const geminiCountTokens: readonly Endpoint<GeminiFields>[] = modelPaths.map(count);
