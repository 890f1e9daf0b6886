/** Finds the values the gateway needs in a whole message by scanning its bytes, without parsing it. */
import { createJsonScannerFactory, findField } from "../../../lib/json/scan.ts";
import type { ContentSize } from "../../content-size.ts";
import type { Span } from "../../protocol.ts";
import type { WholeAnswer } from "../../wire-protocol.ts";
import { isReport } from "../usage.ts";
import { writtenIn } from "./written.ts";

const createScanner = createJsonScannerFactory(["content", "usage", "error"], {
  depthMax: 1_000,
  valuesMax: 50_000_000,
});

const parse = (body: Buffer, { start, end }: Span): unknown => JSON.parse(body.toString("utf8", start, end));

/** Returns undefined when the body is not a JSON object with content, or is an error. */
export function readWhole(body: Buffer): WholeAnswer | undefined {
  const scanner = createScanner();
  scanner.push(body);
  const scan = scanner.end();
  if (scan.reason !== undefined) return undefined;
  const content = findField(scan, "content");
  const error = findField(scan, "error");
  if (content?.kind !== "array" || (error !== undefined && error.kind !== "null")) return undefined;
  const field = findField(scan, "usage");
  const usage = field?.kind === "object" ? parse(body, field) : undefined;
  return { usage: isReport(usage) ? usage : undefined, content };
}

/** The size of the model's output: text, thoughts, calls. */
export const contentSize = (body: Buffer, content: Span): ContentSize => writtenIn(parse(body, content));
