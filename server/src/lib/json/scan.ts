/**
 * Reads JSON once, as bytes, while they arrive: is it well formed, is it within the limits, and where
 * do the wanted top-level fields lie? Nothing is decoded, so it costs less than `JSON.parse` and can
 * refuse before the body is complete. It must not know what the fields mean. UTF-8 validity is the
 * caller's to check (`buffer.isUtf8`).
 */

import { Scanner } from "./scan-machine.ts";
import { compileNames } from "./scan-names.ts";
import type { JsonField, JsonLimits, JsonScan, JsonScanner } from "./scan-shapes.ts";

/** The field called `name`; undefined when it does not occur. */
export function findField(scan: JsonScan, name: string): JsonField | undefined {
  const fields = scan.fields;
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i] as JsonField;
    if (field.name === name) return field;
  }
  return undefined;
}

/**
 * Prepares the names once (each once); the function it returns makes a scanner for one
 * text. `counted`: keys below the top.
 */
export function createJsonScannerFactory(
  wanted: readonly string[],
  limits: JsonLimits,
  counted: readonly string[] = [],
): () => JsonScanner {
  const names = compileNames(wanted);
  const inner = counted.length === 0 ? undefined : compileNames(counted);
  return () => new Scanner(names, limits, inner);
}
