/** Schemas about people, shared by the areas session, profile and people. */

import { z } from "zod";
import { fault } from "./fault.ts";
import { nameText } from "./shapes.ts";

export { instant } from "./shapes.ts";

/** A user's role in their account. */
export const role = z.enum(["owner", "member"]);
export const nullableRole = role.nullable();

/** A language of the console that a profile can keep. */
export const profileLanguage = z.enum(["en", "zh", "ja"]);

/** A person's name. */
export const personName = nameText;

/** An email address as typed; only its form is checked. Stored in lower case. */
export const emailText = z
  .string()
  .trim()
  .max(254, fault("form.emailTooLong"))
  .regex(/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u, fault("form.email"))
  .transform((text) => text.normalize("NFC").toLowerCase());

export const passwordCharactersMin = 10;
export const passwordCharactersMax = 200;

/** A new password. The server also rejects the most common ones and the email address itself. */
export const newPassword = z
  .string()
  .min(passwordCharactersMin, fault("form.passwordTooShort", { min: passwordCharactersMin }))
  .max(passwordCharactersMax, fault("form.passwordTooLong", { max: passwordCharactersMax }));
