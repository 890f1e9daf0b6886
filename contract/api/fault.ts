/**
 * Validation faults as messages. zod carries only strings, so messages are encoded as JSON where a schema is
 * declared and decoded where its faults are read.
 */
import type { z } from "zod";
import { type Message, type MessageId, message } from "../messages/message.ts";

/** Like `message`, as a string for a check: `z.string().min(1, fault("form.nameMissing"))`. */
export const fault = ((...parts: Parameters<typeof message>): string =>
  JSON.stringify(message(...parts))) as <Id extends MessageId>(
  ...parts: Parameters<typeof message<Id>>
) => string;

/** The message for one of zod's own checks. `text`: zod's sentence, which contains the values. */
function zodMessage(issue: z.core.$ZodIssue, text: string): Message {
  switch (issue.code) {
    case "invalid_type": {
      const received = text.split(", received ").at(-1) ?? "";
      return message("form.otherType", { expected: issue.expected, received });
    }
    case "invalid_value":
      return message("form.otherValue", { values: text.split("expected one of ").at(-1) ?? "" });
    case "too_big":
    case "too_small": {
      const isBig = issue.code === "too_big";
      const limit = String(isBig ? issue.maximum : issue.minimum);
      if (issue.origin === "array")
        return message(isBig ? "form.itemsTooMany" : "form.itemsTooFew", { limit });
      if (issue.origin === "string")
        return message(isBig ? "form.textTooLong" : "form.textTooShort", { limit });
      return message(isBig ? "form.numberTooBig" : "form.numberTooSmall", { limit, origin: issue.origin });
    }
    default:
      return text === "Invalid input" ? message("form.invalid") : message("form.other", { text });
  }
}

/** The message for a fault found by a schema. A check without a message of Plaza's keeps zod's sentence. */
export function faultMessage(issue: z.core.$ZodIssue): Message {
  const { message: text } = issue;
  return text.startsWith("{") ? (JSON.parse(text) as Message) : zodMessage(issue, text);
}
