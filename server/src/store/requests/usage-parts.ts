/**
 * The column `usage_parts`: as JSON, the parts of the token classes that are not 0, and when the first
 * attempt began. That time has no column of its own: this one is written anyway, servers of every schema
 * ignore what they do not know of it, and the ordinary row grows by about 13 bytes. Knows no SQL.
 */
import type { RequestRow } from "./shapes.ts";

/** What the column says of a request. */
type Packed = Pick<RequestRow, "usageParts" | "queueMs">;

/** The column's text; null when there is nothing to say. Called for every request. */
export function writeUsageParts({ usageParts, queueMs }: Packed): string | null {
  if (usageParts !== null) return JSON.stringify(queueMs === null ? usageParts : { ...usageParts, queueMs });
  return queueMs === null ? null : `{"queueMs":${queueMs}}`;
}

/** Reads the column. Rows of servers that did not keep the time have none. */
export function readUsageParts(text: string | null): Packed {
  if (text === null) return { usageParts: null, queueMs: null };
  const { queueMs = null, ...parts } = JSON.parse(text) as NonNullable<RequestRow["usageParts"]> &
    Partial<Pick<Packed, "queueMs">>;
  return { usageParts: Object.keys(parts).length === 0 ? null : parts, queueMs };
}
