/** Users of an account, invitations, and for the operator all users and operator tokens. */

import { z } from "zod";
import { fault } from "./fault.ts";
import { routes, tokenScopes } from "./route.ts";
import { givenInstant, nameText, nextCursor, pageQuery, revision } from "./shapes.ts";
import { emailText, instant, nullableRole, role } from "./shapes-people.ts";

const status = z.enum(["active", "disabled"]);

const member = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role,
  status,
  hasTwoFactor: z.boolean(),
  /** Number of unrevoked keys of the account that this user created. */
  keysMade: z.number().int(),
  createdAt: instant,
  seenAt: instant.nullable(),
});

/** Shown once. Opening it creates the user, or signs in as that user. */
const oneTimeLink = z.object({
  id: z.string(),
  /** Only in this answer. */
  token: z.string(),
  /** The same as a URL of the console. */
  url: z.string(),
  expiresAt: instant,
});

const userRow = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  isOperator: z.boolean(),
  status,
  account: z.object({ id: z.string(), name: z.string(), role }).nullable(),
  hasPassword: z.boolean(),
  hasTwoFactor: z.boolean(),
  createdAt: instant,
  seenAt: instant.nullable(),
  revision,
});

const tokenRow = z.object({
  id: z.string(),
  name: z.string(),
  /** Its first characters, to identify tokens. */
  visiblePrefix: z.string(),
  scopes: z.array(z.enum(tokenScopes)),
  /** Email address of the user who created it, if that user still exists. */
  createdBy: z.string().nullable(),
  createdAt: instant,
  expiresAt: instant.nullable(),
  usedAt: instant.nullable(),
  revokedAt: instant.nullable(),
  /**
   * True when it no longer works because it was created with a PLAZA_OPERATOR_TOKEN that is not set any more,
   * or with a token that was.
   */
  isEnded: z.boolean(),
});

const invitation = z.object({
  id: z.string(),
  email: z.string(),
  role: nullableRole,
  isOperator: z.boolean(),
  account: z.object({ id: z.string(), name: z.string() }).nullable(),
  createdAt: instant,
  expiresAt: instant,
});

/** What owners can do with the members of their account. */
const memberRoutes = routes({
  listMembers: {
    method: "get",
    path: "/members",
    access: "member",
    summary: "Users of the account, the oldest first.",
    query: pageQuery,
    answer: z.object({ members: z.array(member), next: nextCursor }),
  },
  changeMember: {
    method: "patch",
    path: "/members/{id}",
    access: "owner",
    summary:
      "Changes a user's role in the account; the last owner stays one. The user is signed out, and links and invitations it made or got are void.",
    body: z.object({ role }),
    answer: member,
  },
  removeMember: {
    method: "delete",
    path: "/members/{id}",
    access: "owner",
    summary:
      "Removes a user from the account, for good; the last owner stays. The keys it made for the account keep working, unless `keys=revoke` says otherwise.",
    query: z.object({ keys: z.enum(["keep", "revoke"]).default("keep") }),
    answer: z.object({
      /** The user's keys that were kept or revoked, without those revoked before. */
      keys: z.object({ kept: z.number().int(), revoked: z.number().int() }),
    }),
  },
  listInvitations: {
    method: "get",
    path: "/members/invitations",
    access: "owner",
    summary: "Invitations into the account that are open, the newest first; at most 100.",
    answer: z.object({ invitations: z.array(invitation) }),
  },
  inviteMember: {
    method: "post",
    path: "/members/invitations",
    access: "owner",
    summary: "Makes a link that lets somebody join the account.",
    subject: "{email}",
    body: z.object({ email: emailText, role }),
    answer: oneTimeLink,
    status: 201,
  },
  withdrawInvitation: {
    method: "delete",
    path: "/members/invitations/{id}",
    access: "owner",
    summary: "Makes an invitation into the account useless.",
  },
});

/** What the operator can do with all users. */
const userRoutes = routes({
  listUsers: {
    method: "get",
    path: "/operator/users",
    access: "operator",
    scope: "accounts:read",
    summary: "Users of the installation, the newest first.",
    query: pageQuery.extend({
      /** Part of a name or email address. */
      search: z.string().trim().max(200).optional(),
      accountId: z.string().max(100).optional(),
      status: status.optional(),
      isOperator: z.stringbool().optional(),
    }),
    answer: z.object({ users: z.array(userRow), next: nextCursor }),
  },
  inviteUser: {
    method: "post",
    path: "/operator/users/invitations",
    access: "operator",
    scope: "accounts:write",
    summary:
      "Makes a link for a new user, of an account, an operator, or both; for operators a token needs installation:write, too.",
    subject: "{email}",
    body: z
      .object({
        email: emailText,
        accountId: z.string().max(100).optional(),
        /** Absent: owner, if there is an account. */
        role: role.optional(),
        isOperator: z.boolean().default(false),
      })
      .refine((given) => given.accountId !== undefined || given.isOperator, {
        path: ["accountId"],
        message: fault("form.accountOrOperator"),
      }),
    answer: oneTimeLink,
    status: 201,
  },
  listUserInvitations: {
    method: "get",
    path: "/operator/users/invitations",
    access: "operator",
    scope: "accounts:read",
    summary: "Invitations that are open, the newest first.",
    query: pageQuery,
    answer: z.object({ invitations: z.array(invitation), next: nextCursor }),
  },
  withdrawUserInvitation: {
    method: "delete",
    path: "/operator/users/invitations/{id}",
    access: "operator",
    scope: "accounts:write",
    summary: "Makes an invitation useless; for an operator's a token needs installation:write, too.",
  },
  getUser: {
    method: "get",
    path: "/operator/users/{id}",
    access: "operator",
    scope: "accounts:read",
    summary: "One user.",
    answer: userRow,
  },
  changeUser: {
    method: "patch",
    path: "/operator/users/{id}",
    access: "operator",
    scope: "accounts:write",
    summary:
      "Changes what is given; never the last operator, nor one's own status or rights. Concerning operators a token needs installation:write, too. The user is signed out, and links and invitations it made or got are void; so are the tokens of one who is no operator any more.",
    body: z
      .object({
        status: status.optional(),
        /** Null removes the user from its account; a role requires an account. */
        accountId: z.string().max(100).nullable().optional(),
        role: role.optional(),
        isOperator: z.boolean().optional(),
        revision,
      })
      .refine((given) => given.accountId !== null || given.role === undefined, {
        path: ["role"],
        message: fault("form.roleWithoutAccount"),
      }),
    answer: userRow,
  },
  makeResetLink: {
    method: "post",
    path: "/operator/users/{id}/reset-link",
    access: "operator",
    scope: "accounts:write",
    summary:
      "Makes a link that sets a new password and turns two-factor off; for an operator's a token needs installation:write, too.",
    answer: oneTimeLink,
    status: 201,
  },
  endUserSessions: {
    method: "post",
    path: "/operator/users/{id}/end-sessions",
    access: "operator",
    scope: "accounts:write",
    summary: "Signs a user out everywhere.",
    answer: z.object({ ended: z.number().int() }),
  },
});

/** Operator tokens. */
const tokenRoutes = routes({
  listTokens: {
    method: "get",
    path: "/operator/tokens",
    access: "operator",
    scope: "installation:write",
    summary: "Operator tokens, the newest first, revoked and expired ones included.",
    query: pageQuery,
    answer: z.object({ tokens: z.array(tokenRow), next: nextCursor }),
  },
  createToken: {
    method: "post",
    path: "/operator/tokens",
    access: "operator",
    scope: "installation:write",
    summary:
      "Makes an operator token; one made with a token has none of the scopes that one lacks, and ends with it at the latest.",
    subject: "{name}",
    body: z.object({
      name: nameText,
      scopes: z.array(z.enum(tokenScopes)).min(1, fault("form.scopeMissing")).max(tokenScopes.length),
      /** Null or absent: it does not expire, or expires with the token that creates it. */
      expiresAt: givenInstant.nullable().optional(),
    }),
    answer: z.object({
      token: tokenRow,
      /** `plz-op-…`, only in this answer. */
      secret: z.string(),
    }),
    status: 201,
  },
  revokeToken: {
    method: "delete",
    path: "/operator/tokens/{id}",
    access: "operator",
    scope: "installation:write",
    summary: "Ends an operator token at once, and every token made with it.",
  },
});

export const peopleRoutes = { ...memberRoutes, ...userRoutes, ...tokenRoutes } as const;
