/** What users change about themselves: name, password, second factor, sessions, language and theme. */

import { z } from "zod";
import { fault } from "./fault.ts";
import { routes } from "./route.ts";
import { sessionAnswer } from "./session.ts";
import { instant, newPassword, personName, profileLanguage } from "./shapes-people.ts";

const currentPassword = z.string().min(1, fault("form.passwordMissing")).max(200);
const code = z.string().trim().min(1, fault("form.oneTimeCodeMissing")).max(40);
const recoveryCodes = z.object({
  /** Shown once; each replaces one code of the app. */
  recoveryCodes: z.array(z.string()),
});

export const profileRoutes = routes({
  changeProfile: {
    method: "patch",
    path: "/profile",
    access: "user",
    summary: "Changes what is given: name, language, theme, time zone.",
    body: z.object({
      name: personName.optional(),
      language: profileLanguage.nullable().optional(),
      theme: z.enum(["light", "dark"]).nullable().optional(),
      /** IANA name, like Asia/Shanghai. */
      timeZone: z.string().max(100).nullable().optional(),
    }),
    answer: sessionAnswer,
  },
  changePassword: {
    method: "post",
    path: "/profile/password",
    access: "user",
    summary: "Sets a new password and ends the user's other sessions.",
    body: z.object({
      /** Required if the user has a password. */
      current: currentPassword.optional(),
      next: newPassword,
    }),
    answer: sessionAnswer,
  },
  beginTwoFactor: {
    method: "post",
    path: "/profile/two-factor",
    access: "user",
    summary: "Makes the secret of an authenticator app; it counts once a code of it was confirmed.",
    body: z.object({ password: currentPassword }),
    answer: z.object({
      /** Base32, to type in. */
      secret: z.string(),
      /** `otpauth://…`, for a QR code. */
      address: z.string(),
    }),
  },
  confirmTwoFactor: {
    method: "post",
    path: "/profile/two-factor/confirm",
    access: "user",
    summary: "Turns two-factor on with a code of the new app, and ends the user's other sessions.",
    body: z.object({ code }),
    answer: recoveryCodes,
  },
  endTwoFactor: {
    method: "post",
    path: "/profile/two-factor/end",
    access: "user",
    summary: "Turns two-factor off.",
    body: z.object({ password: currentPassword, code }),
  },
  newRecoveryCodes: {
    method: "post",
    path: "/profile/two-factor/recovery-codes",
    access: "user",
    summary: "Makes new recovery codes; the old ones end.",
    body: z.object({ password: currentPassword, code }),
    answer: recoveryCodes,
  },
  listSessions: {
    method: "get",
    path: "/sessions",
    access: "user",
    summary: "The user's sessions, the latest seen first.",
    answer: z.object({
      sessions: z.array(
        z.object({
          id: z.string(),
          isThis: z.boolean(),
          ip: z.string().nullable(),
          userAgent: z.string().nullable(),
          createdAt: instant,
          seenAt: instant,
        }),
      ),
    }),
  },
  endSession: {
    method: "delete",
    path: "/sessions/{id}",
    access: "user",
    summary: "Ends one of the user's sessions.",
  },
  endOtherSessions: {
    method: "delete",
    path: "/sessions",
    access: "user",
    summary: "Ends every session of the user but this one.",
    answer: z.object({ ended: z.number().int() }),
  },
});
