/**
 * Reads JSON once as bytes while they arrive: checks syntax and limits, and finds the wanted top-level
 * fields. Decodes nothing, so it costs less than `JSON.parse` and can refuse before the body is complete.
 * Does not know what the fields mean. The caller must check UTF-8 (`buffer.isUtf8`).
 */

import { Scanner } from "./scan-machine.ts";
import { compileNames } from "./scan-names.ts";
import type { JsonField, JsonLimits, JsonScan, JsonScanner } from "./scan-shapes.ts";

/** The field with this name; undefined when it does not occur. */
export function findField(scan: JsonScan, name: string): JsonField | undefined {
  const fields = scan.fields;
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i] as JsonField;
    if (field.name === name) return field;
  }
  return undefined;
}

/**
 * Prepares the names, each of which must occur once; the returned function creates a scanner for one text.
 * `counted`: keys below the top.
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
