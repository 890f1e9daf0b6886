/** Accounts as the operator sees and changes them. */

import { z } from "zod";
import { labelLengthMax, labelsListedMax } from "../labels.ts";
import { responsesKeptMaxMs } from "../responses-kept.ts";
import { entriesAnswer, entriesQuery, ledgerEntry } from "./billing.ts";
import { fault } from "./fault.ts";
import { apiKey, keyChange, keysPage, keysQuery, madeKey, newKey } from "./keys.ts";
import { documentBytes, routes } from "./route.ts";
import {
  amountText,
  givenInstant,
  instant,
  limitNumber,
  limits,
  manyTexts,
  money,
  nameText,
  nextCursor,
  noteText,
  pageQuery,
  revision,
} from "./shapes.ts";

/** A closed account can never be reopened. */
const accountStatus = z.enum(["active", "suspended", "closed"]);

const accountFields = {
  id: z.string(),
  name: z.string(),
  status: accountStatus,
  balance: money,
  /** Part of the balance currently held by running servers. */
  held: money,
  available: money,
  /** True below the threshold that applies, its own or the installation's. */
  isLow: z.boolean(),
  users: z.number().int(),
  /** Number of keys, without revoked ones. */
  keys: z.number().int(),
  /** Its own limits; null: the default. */
  limits,
  /** UTC days, including today. */
  last30Days: z.object({ requests: z.number().int(), charge: money }),
  createdAt: instant,
};

/** Milliseconds. */
const keptTime = z.number().int().min(0).max(responsesKeptMaxMs).nullable();

export const accountRow = z.object(accountFields);

export const account = z.object({
  ...accountFields,
  /** Its own threshold; null: the installation's. */
  lowBalance: money.nullable(),
  /** How long its answers of /v1/responses are kept; 0: not at all; null: the installation's setting. */
  responsesKeptMs: keptTime,
  people: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      email: z.string(),
      role: z.enum(["owner", "member"]),
      status: z.enum(["active", "disabled"]),
      seenAt: instant.nullable(),
    }),
  ),
  revision,
});

const givenLimits = z
  .object({ requestsPerMinute: limitNumber, tokensPerMinute: limitNumber, concurrency: limitNumber })
  .partial();

/** `12.50`, or `-12.50` to deduct. */
const signedAmountText = z
  .string()
  .trim()
  .refine((text) => amountText.safeParse(text.replace(/^-(?=\d)/, "")).success, fault("form.signedAmount"));

/** A key with its limits and its account. */
const limitedKey = apiKey
  .pick({ id: true, name: true, visiblePrefix: true, status: true, limits: true, budget: true })
  .extend({ account: z.object({ id: z.string(), name: z.string() }) });

export const accountsRoutes = routes({
  listAccounts: {
    method: "get",
    path: "/operator/accounts",
    access: "operator",
    scope: "accounts:read",
    summary: "Accounts, newest first.",
    query: pageQuery.extend({
      /** Part of the name or of a user's email address, or the id. */
      search: z.string().trim().max(200).optional(),
      status: manyTexts.pipe(z.array(accountStatus).optional()),
      /** Only accounts with their own limits. */
      hasOwnLimits: z.stringbool().optional(),
    }),
    answer: z.object({ accounts: z.array(accountRow), next: nextCursor }),
  },
  createAccount: {
    method: "post",
    path: "/operator/accounts",
    access: "operator",
    scope: "accounts:write",
    summary: "Make an account, with a balance to begin with.",
    subject: "{name}",
    body: z.object({ name: nameText, balance: amountText.optional(), limits: givenLimits.optional() }),
    answer: account,
    status: 201,
  },
  getAccount: {
    method: "get",
    path: "/operator/accounts/{id}",
    access: "operator",
    scope: "accounts:read",
    summary: "One account with its people.",
    answer: account,
  },
  changeAccount: {
    method: "patch",
    path: "/operator/accounts/{id}",
    access: "operator",
    scope: "accounts:write",
    summary: "Change what is given of an account; suspending and closing act within a second.",
    body: z.object({
      name: nameText.optional(),
      limits: givenLimits.optional(),
      lowBalance: amountText.nullable().optional(),
      /** 0 also deletes what is stored. */
      responsesKeptMs: keptTime.optional(),
      status: accountStatus.optional(),
      revision,
    }),
    answer: account,
  },
  addEntry: {
    method: "post",
    path: "/operator/accounts/{id}/entries",
    access: "operator",
    scope: "accounts:write",
    summary:
      "Add a line to an account's ledger: a top-up, a correction with its reason, a refund of a request.",
    body: z.object({
      kind: z.enum(["topup", "adjustment", "refund"]),
      /** Only an adjustment may be negative. */
      amount: signedAmountText,
      /** Required for an adjustment; stored as the entry's note. */
      reason: noteText.optional(),
      /** A second entry of the account with the same reference returns the first one. */
      reference: z.string().trim().min(1).max(200).optional(),
      /** The refunded request. */
      requestId: z.string().trim().min(1).max(100).optional(),
      /** For a top-up: when its unused rest expires. */
      expiresAt: givenInstant.optional(),
    }),
    answer: z.object({ entry: ledgerEntry, isNew: z.boolean(), balance: money }),
  },
  listAccountEntries: {
    method: "get",
    path: "/operator/accounts/{id}/entries",
    access: "operator",
    scope: "accounts:read",
    summary: "An account's ledger with its running balance, newest first.",
    query: entriesQuery,
    answer: entriesAnswer,
  },
  listAccountKeys: {
    method: "get",
    path: "/operator/accounts/{id}/keys",
    access: "operator",
    scope: "accounts:read",
    summary: "An account's keys, newest first.",
    query: keysQuery,
    answer: keysPage,
  },
  listLabels: {
    method: "get",
    path: "/operator/labels",
    access: "operator",
    scope: "accounts:read",
    summary: `Projects and tags of keys of all accounts, or of those given: the first ${labelsListedMax} of each in order, which a search narrows down.`,
    query: z.object({
      account: manyTexts.meta({ description: "Account ids." }),
      /** Part of a label. */
      search: z.string().trim().max(labelLengthMax).optional(),
    }),
    answer: z.object({
      projects: z.array(z.string()),
      tags: z.array(z.string()),
      /** False: there are more. */
      isWhole: z.boolean(),
    }),
  },
  listLimitedKeys: {
    method: "get",
    path: "/operator/limits/keys",
    access: "operator",
    scope: "accounts:read",
    summary:
      "Keys of all accounts that have a limit or a budget of their own, newest first; without revoked ones.",
    query: pageQuery.extend({
      /** Part of the key's or its account's name, the start of the key, or one of the ids. */
      search: z.string().trim().max(200).optional(),
    }),
    answer: z.object({ keys: z.array(limitedKey), next: nextCursor }),
  },
  createAccountKey: {
    method: "post",
    path: "/operator/accounts/{id}/keys",
    access: "operator",
    scope: "accounts:write",
    summary: "Make a key of an account. Its secret is in this answer and nowhere else.",
    subject: "{name}",
    bodyBytesMax: documentBytes,
    body: newKey,
    answer: madeKey,
    status: 201,
  },
  changeAccountKey: {
    method: "patch",
    path: "/operator/accounts/{id}/keys/{keyId}",
    access: "operator",
    scope: "accounts:write",
    summary: "Change what is given of a key of an account; acts within a second.",
    subject: "{keyId}",
    bodyBytesMax: documentBytes,
    body: keyChange,
    answer: apiKey,
  },
  revokeAccountKey: {
    method: "post",
    path: "/operator/accounts/{id}/keys/{keyId}/revoke",
    access: "operator",
    scope: "accounts:write",
    summary: "Revoke a key of an account for ever; acts within a second.",
    answer: apiKey,
  },
});
