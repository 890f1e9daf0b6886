/**
 * Schemas that several areas of the control plane share. Amounts are decimal strings
 * of US dollars, times ISO 8601 in UTC.
 */

import { z } from "zod";
import { usdFault } from "../money.ts";
import { fault } from "./fault.ts";

/** Most characters of a name people give to something. */
const nameMax = 200;

/** What people call a thing: no control characters, nothing but blanks is refused. */
export const nameText = z
  .string()
  .trim()
  .min(1, fault("form.nameMissing"))
  .max(nameMax, fault("form.nameTooLong", { max: nameMax }))
  .refine((text) => !/\p{Cc}/u.test(text), fault("form.nameWithControl"));

/** A remark, possibly empty. */
export const noteText = z.string().trim().max(1_000, fault("form.noteTooLong"));

/** Dollars as written by a person: "5", "0.25"; at most nine decimals, no sign, no exponent. */
export const amountText = z
  .string()
  .trim()
  .refine((text) => usdFault(text) === undefined, fault("form.amount"));

/** Dollars as we write them, signed. */
export const money = z.string().meta({ description: "US dollars, a decimal string", example: "12.50" });

/** An instant as we write it. */
export const instant = z.string().meta({ description: "ISO 8601, UTC", example: "2026-11-21T08:00:00.000Z" });

/** An instant as it is passed to us. */
export const givenInstant = z.iso.datetime({ offset: true, error: fault("form.time") });

/** A limit: a whole number from 0, or null for none. */
export const limitNumber = z
  .number()
  .int(fault("form.limitNotWhole"))
  .min(0, fault("form.limitNegative"))
  .max(Number.MAX_SAFE_INTEGER)
  .nullable();

/** What may be used of each kind; null = no limit of its own. */
export const limits = z.object({
  requestsPerMinute: limitNumber,
  tokensPerMinute: limitNumber,
  concurrency: limitNumber,
});

/**
 * How the console says a text of the server in its own language: an id of
 * `contract/messages/` and its params.
 */
export const messageRef = z.object({
  id: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
});

/** Where the next page begins; null on the last one. */
export const nextCursor = z.string().nullable();

/** Asking for a page: how many, and where it begins. */
export const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(50),
  cursor: z.string().max(500).optional(),
});

/** One name, or several as a repeated parameter. */
export const manyTexts = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => (Array.isArray(given) ? given : [given]))
  .optional();

/**
 * Which version of a thing was read. It is sent back with a change, which is refused with `changed_meanwhile`
 * when another user changed it since.
 */
export const revision = z.number().int();
