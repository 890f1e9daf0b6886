/** Signing in and out, the first set-up by the printed link, and what the console knows before and after. */

import { z } from "zod";
import { fault } from "./fault.ts";
import { routes } from "./route.ts";
import { emailText, instant, newPassword, nullableRole, personName, role } from "./shapes-people.ts";

/** The form of a password that is compared: bounded, without the rules for new ones. */
const givenPassword = z.string().min(1, fault("form.passwordMissing")).max(200);

/** Who is signed in, and what the pages need before sign-in. */
export const sessionAnswer = z.object({
  user: z
    .object({
      id: z.string(),
      email: z.string(),
      name: z.string(),
      isOperator: z.boolean(),
      /** null = as the browser says; the same for the next two. */
      language: z.enum(["en", "zh"]).nullable(),
      theme: z.enum(["light", "dark"]).nullable(),
      /** IANA name. */
      timeZone: z.string().nullable(),
      hasPassword: z.boolean(),
      hasTwoFactor: z.boolean(),
    })
    .nullable(),
  /** null: not signed in, or an operator without an account. */
  account: z
    .object({ id: z.string(), name: z.string(), role, status: z.enum(["active", "suspended", "closed"]) })
    .nullable(),
  /** Goes with every change as the header `x-plaza-csrf`. */
  csrfToken: z.string().nullable(),
  installation: z.object({
    name: z.string(),
    /** The base_url of an OpenAI client; ends in /v1. */
    baseUrl: z.string(),
    version: z.string(),
    plazaIsPublic: z.boolean(),
    /** There is no operator yet: the printed link makes one. */
    needsSetup: z.boolean(),
    /** Signing in through an identity provider; `name` is for the button. */
    oidc: z.object({ name: z.string() }).nullable(),
    /** Nothing but the built-in demo answers. */
    demoOnly: z.boolean(),
  }),
});

/** A console link is `/link/TOKEN`, for every purpose. */
export const sessionRoutes = routes({
  getSession: {
    method: "get",
    path: "/session",
    access: "anyone",
    summary: "Who is signed in, and what pages need to know of the installation.",
    answer: sessionAnswer,
  },
  signIn: {
    method: "post",
    path: "/session",
    access: "anyone",
    summary: "Signs in by email and password, and a code where the user has a second factor.",
    body: z.object({
      email: z.string().trim().min(1, fault("form.emailMissing")).max(254),
      password: givenPassword,
      /** Six digits of the authenticator app, or a recovery code. */
      code: z.string().trim().max(40).optional(),
    }),
    answer: sessionAnswer,
  },
  signOut: {
    method: "delete",
    path: "/session",
    access: "user",
    summary: "Ends this session.",
  },
  checkLink: {
    method: "get",
    path: "/links/{token}",
    access: "anyone",
    summary: "What a one-time link is for; refused with already_used or not_found.",
    answer: z.object({
      kind: z.enum(["setup", "invitation", "reset"]),
      /** null: the person says it (set-up). */
      email: z.string().nullable(),
      accountName: z.string().nullable(),
      role: nullableRole,
      expiresAt: instant,
    }),
  },
  useLink: {
    method: "post",
    path: "/links/{token}",
    access: "anyone",
    summary: "Uses a one-time link: makes the user or sets the new password, and signs in.",
    body: z.object({
      /** Of a new user; of no use for a reset. */
      name: personName.optional(),
      /** For the set-up only: the operator says who they are. */
      email: emailText.optional(),
      password: newPassword,
    }),
    answer: sessionAnswer,
  },
  beginOidc: {
    method: "get",
    path: "/oidc/begin",
    access: "anyone",
    summary: "Sends the browser to the identity provider.",
    query: z.object({
      /** A path of the console to come back to. */
      returnTo: z.string().max(500).optional(),
    }),
    answerType: "redirect",
  },
  finishOidc: {
    method: "get",
    path: "/oidc/callback",
    access: "anyone",
    summary:
      "Where the identity provider sends the browser back to. On failure the browser goes to /sign-in?oidc=CODE.",
    query: z.looseObject({}),
    answerType: "redirect",
  },
});
