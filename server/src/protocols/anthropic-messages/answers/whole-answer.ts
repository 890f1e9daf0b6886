/** Finds in a whole message what the gateway looks at, by a scan of its bytes: it is not parsed. */
import { createJsonScannerFactory, findField } from "../../../lib/json/scan.ts";
import type { Span } from "../../protocol.ts";
import type { WholeAnswer } from "../../wire-protocol.ts";
import { isReport } from "../usage.ts";
import { writtenBytesIn } from "./written.ts";

const createScanner = createJsonScannerFactory(["content", "usage", "error"], {
  depthMax: 1_000,
  valuesMax: 50_000_000,
});

const parse = (body: Buffer, { start, end }: Span): unknown => JSON.parse(body.toString("utf8", start, end));

/** undefined: it is no JSON object with content, or tells an error. */
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

/** UTF-8 bytes of what the model wrote: words, thoughts, calls. */
export const contentBytes = (body: Buffer, content: Span): number => writtenBytesIn(parse(body, content));
