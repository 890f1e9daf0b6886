/** Finds the values the gateway needs in a whole response by scanning its bytes, without parsing it. */
import { createJsonScannerFactory, findField } from "../../../lib/json/scan.ts";
import type { ContentSize } from "../../content-size.ts";
import type { Span } from "../../protocol.ts";
import type { WholeAnswer } from "../../wire-protocol.ts";
import { saidIn } from "./said.ts";

const createScanner = createJsonScannerFactory(["output", "usage", "error", "status"], {
  depthMax: 1_000,
  valuesMax: 50_000_000,
});

const parse = (body: Buffer, { start, end }: Span): unknown => JSON.parse(body.toString("utf8", start, end));

/** The states of a response that ended with an answer. */
const over: ReadonlySet<unknown> = new Set(["completed", "incomplete"]);

/** Undefined when the body is not a JSON object with output, or the response failed or has not ended. */
export function readWhole(body: Buffer): WholeAnswer | undefined {
  const scanner = createScanner();
  scanner.push(body);
  const scan = scanner.end();
  if (scan.reason !== undefined) return undefined;
  const output = findField(scan, "output");
  const error = findField(scan, "error");
  const status = findField(scan, "status");
  if (output?.kind !== "array" || (error !== undefined && error.kind !== "null")) return undefined;
  if (status !== undefined && !over.has(parse(body, status))) return undefined;
  const usage = findField(scan, "usage");
  return { usage: usage?.kind === "object" ? parse(body, usage) : undefined, content: output };
}

/** The size of the model's output: text, thoughts, calls, images. */
export const contentSize = (body: Buffer, content: Span): ContentSize => saidIn(parse(body, content));
