/**
 * Signing in and out, first setup by the printed link, and what the console needs before and after sign-in.
 */

import { z } from "zod";
import { fault } from "./fault.ts";
import { routes } from "./route.ts";
import {
  emailText,
  instant,
  newPassword,
  nullableRole,
  personName,
  profileLanguage,
  role,
} from "./shapes-people.ts";

/** A password to compare with: limited in length, without the rules for new ones. */
const givenPassword = z.string().min(1, fault("form.passwordMissing")).max(200);

/** The signed-in user, and what pages need before sign-in. */
export const sessionAnswer = z.object({
  user: z
    .object({
      id: z.string(),
      email: z.string(),
      name: z.string(),
      isOperator: z.boolean(),
      /** Null: as the browser says; also for the next two. */
      language: profileLanguage.nullable(),
      theme: z.enum(["light", "dark"]).nullable(),
      /** IANA name. */
      timeZone: z.string().nullable(),
      hasPassword: z.boolean(),
      hasTwoFactor: z.boolean(),
    })
    .nullable(),
  /** Null: not signed in, or an operator without an account. */
  account: z
    .object({ id: z.string(), name: z.string(), role, status: z.enum(["active", "suspended", "closed"]) })
    .nullable(),
  /** Sent with every change in the header `x-plaza-csrf`. */
  csrfToken: z.string().nullable(),
  installation: z.object({
    name: z.string(),
    /** The base_url for OpenAI clients; ends in /v1. */
    baseUrl: z.string(),
    version: z.string(),
    plazaIsPublic: z.boolean(),
    /** True when there is no operator yet; the printed link creates one. */
    needsSetup: z.boolean(),
    /** Sign-in through an identity provider; `name` is the button's text. */
    oidc: z.object({ name: z.string() }).nullable(),
    /** True when the only upstreams are those of the built-in demo. */
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
      /** Null: the user enters it (first setup). */
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
      /** For a new user; ignored for a reset. */
      name: personName.optional(),
      /** Only for first setup: the operator's address. */
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
      /** Path of the console to return to. */
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
