/**
 * Finds in a whole chat completion what the gateway looks at, by a scan of
 * its bytes: it is not parsed as a whole.
 */
import { createJsonScannerFactory, findField } from "../../../lib/json/scan.ts";
import { recordOf } from "../../../lib/record.ts";
import type { Span } from "../../protocol.ts";
import type { WholeAnswer } from "../../wire-protocol.ts";
import { writtenBytesIn } from "./written-text.ts";

const createScanner = createJsonScannerFactory(["choices", "usage", "error"], {
  depthMax: 1_000,
  valuesMax: 50_000_000,
});

const parse = (body: Buffer, { start, end }: Span): unknown => JSON.parse(body.toString("utf8", start, end));

/** undefined: it is no JSON object with choices, or tells an error. */
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

/** UTF-8 bytes of every text in the choices' messages: what the model wrote, tool calls included. */
export function contentBytes(body: Buffer, content: Span): number {
  const choices = parse(body, content);
  return Array.isArray(choices) ? writtenBytesIn(choices.map((choice) => recordOf(choice)["message"])) : 0;
}
