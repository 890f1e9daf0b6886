/**
 * Finds the values the gateway needs in a whole chat completion by scanning its bytes, without parsing all of
 * it.
 */
import { createJsonScannerFactory, findField } from "../../../lib/json/scan.ts";
import { recordOf } from "../../../lib/record.ts";
import { type ContentSize, noContent } from "../../content-size.ts";
import type { Span } from "../../protocol.ts";
import type { WholeAnswer } from "../../wire-protocol.ts";
import { sizeOfWritten } from "./written-text.ts";

const createScanner = createJsonScannerFactory(["choices", "usage", "error"], {
  depthMax: 1_000,
  valuesMax: 50_000_000,
});

const parse = (body: Buffer, { start, end }: Span): unknown => JSON.parse(body.toString("utf8", start, end));

/** Undefined when the body is not a JSON object with choices, or is an error. */
export function readWhole(body: Buffer): WholeAnswer | undefined {
  const scanner = createScanner();
  scanner.push(body);
  const scan = scanner.end();
  if (scan.reason !== undefined) return undefined;
  const choices = findField(scan, "choices");
  const error = findField(scan, "error");
  if (choices?.kind !== "array" || (error !== undefined && error.kind !== "null")) return undefined;
  const usage = findField(scan, "usage");
  return { usage: usage?.kind === "object" ? parse(body, usage) : undefined, content: choices };
}

/** The size of all that the choices' messages have, including tool calls. */
export function contentSize(body: Buffer, content: Span): ContentSize {
  const choices = parse(body, content);
  if (!Array.isArray(choices)) return noContent;
  return sizeOfWritten(choices.map((choice) => recordOf(choice)["message"]));
}
