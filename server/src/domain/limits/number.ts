/** Parses the number of a limit as people write it, in a catalog file or on the command line. Pure. */

/** Largest limit. Whole numbers up to here are exact wherever a limit is stored or sent. */
import { type Message, message } from "@plaza/contract/messages/message.ts";
export const limitMax = Number.MAX_SAFE_INTEGER;

/** Why a text is not a limit. */
export type LimitFault =
  | "negative"
  | "signed"
  | "exponent"
  | "fraction"
  | "separators"
  | "too_large"
  | "not_a_number";

/** What is wrong with a text; the first match counts. */
const faults: readonly [RegExp, LimitFault][] = [
  [/^-\s*\d/, "negative"],
  [/^\+/, "signed"],
  [/^[\d.]+e[+-]?\d+$/i, "exponent"],
  [/^(?:\d+\.\d*|\.\d+)$/, "fraction"],
  [/^\d+(?:[,_ ]\d+)+$/, "separators"],
  [/^\d+$/, "too_large"],
];

/** The number, or what is wrong with the text. Nothing is rounded. */
export function parseLimit(text: string): number | { readonly fault: LimitFault } {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value <= limitMax) return value;
  const [, fault] = faults.find(([form]) => form.test(text)) ?? [];
  return { fault: fault ?? "not_a_number" };
}

/** The allowed form, to complete "must be". */
export const limitForm: Message = message("price.limitForm", { max: limitMax });

/** What is wrong with a text, and the allowed form. */
export const limitRefusal = (given: string, fault: LimitFault): Message =>
  message("price.limitGive", { given, fault, form: limitForm });
