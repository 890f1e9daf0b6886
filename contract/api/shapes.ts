/**
 * Schemas shared by several areas of the control plane. Amounts are decimal strings of US dollars, times ISO
 * 8601 in UTC.
 */

import { z } from "zod";
import { usdFault } from "../money.ts";
import { fault } from "./fault.ts";

/** Most characters of a display name. */
const nameMax = 200;

/** A display name: no control characters, not blank. */
export const nameText = z
  .string()
  .trim()
  .min(1, fault("form.nameMissing"))
  .max(nameMax, fault("form.nameTooLong", { max: nameMax }))
  .refine((text) => !/\p{Cc}/u.test(text), fault("form.nameWithControl"));

/** A remark, possibly empty. */
export const noteText = z.string().trim().max(1_000, fault("form.noteTooLong"));

/** Dollars as people enter them: "5", "0.25"; at most nine decimals, no sign, no exponent. */
export const amountText = z
  .string()
  .trim()
  .refine((text) => usdFault(text) === undefined, fault("form.amount"));

/** Dollars in answers, signed. */
export const money = z.string().meta({ description: "US dollars, a decimal string", example: "12.50" });

/** A time in answers. */
export const instant = z.string().meta({ description: "ISO 8601, UTC", example: "2026-11-21T08:00:00.000Z" });

/** A time in requests. */
export const givenInstant = z.iso.datetime({ offset: true, error: fault("form.time") });

/** A limit: a whole number from 0, or null for none. */
export const limitNumber = z
  .number()
  .int(fault("form.limitNotWhole"))
  .min(0, fault("form.limitNegative"))
  .max(Number.MAX_SAFE_INTEGER)
  .nullable();

/** A limit of each kind; null: none of its own. */
export const limits = z.object({
  requestsPerMinute: limitNumber,
  tokensPerMinute: limitNumber,
  concurrency: limitNumber,
});

/** The message id and params of a server text, so that the console can show it in its own language. */
export const messageRef = z.object({
  id: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
});

/** Start of the next page; null on the last one. */
export const nextCursor = z.string().nullable();

/** A page to read: its size and its start. */
export const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(50),
  cursor: z.string().max(500).optional(),
});

/** One name, or several by repeating the parameter. */
export const manyTexts = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => (Array.isArray(given) ? given : [given]))
  .optional();

/**
 * The version that was read. A change sends it back and is refused with `changed_meanwhile` if another user
 * has changed the item since.
 */
export const revision = z.number().int();
