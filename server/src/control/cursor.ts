/** The start of the next page as opaque text; a forged cursor is rejected. */

import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import type { z } from "zod";

/** Encodes a position in a list. */
export function writeCursor(place: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(place)).toString("base64url");
}

const refused = () =>
  new GatewayError("invalid_request", {
    message: message("form.atField", { path: "cursor", fault: message("server.cursorUnknown") }),
    param: "cursor",
  });

/**
 * Decodes what `writeCursor` wrote; undefined on the first page. Throws `invalid_request` for anything else.
 */
export function readCursor<Schema extends z.ZodType>(
  cursor: string | undefined,
  place: Schema,
): z.output<Schema> | undefined {
  if (cursor === undefined) return undefined;
  let written: unknown;
  try {
    written = JSON.parse(Buffer.from(cursor, "base64url").toString());
  } catch {
    throw refused();
  }
  const read = place.safeParse(written);
  if (!read.success) throw refused();
  return read.data;
}
