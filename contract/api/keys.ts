/**
 * API keys of an account: created, shown once, changed, revoked; and ephemeral keys for the console's own
 * calls.
 */

import { z } from "zod";
import { labelFault, labelLengthMax, tagsMax } from "../labels.ts";
import { fault } from "./fault.ts";
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
  pageQuery,
  revision,
} from "./shapes.ts";

/** `expired`: past its expiry; `disabled`: can be enabled again; `revoked`: final. */
export const keyStatus = z.enum(["active", "disabled", "expired", "revoked"]);

const budgetPeriod = z.enum(["day", "month"]);

/** Most models, and most addresses, in a key's list. */
const modelsMax = 5_000;
const ipsMax = 100;

export const apiKey = z.object({
  id: z.string(),
  name: z.string(),
  /** The first characters of the secret, to identify keys. */
  visiblePrefix: z.string(),
  status: keyStatus,
  /** Public ids of the models it may use; null: all. */
  models: z.array(z.string()).nullable(),
  /** Addresses and networks it may be used from; null: any. */
  ips: z.array(z.string()).nullable(),
  /** Its own limits, in addition to its account's. */
  limits,
  budget: z
    .object({
      amount: money,
      period: budgetPeriod,
      /** In the current period. Periods begin at midnight UTC. */
      spent: money,
      resetsAt: instant,
    })
    .nullable(),
  expiresAt: instant.nullable(),
  /** Usage is grouped by it; null: none. */
  project: z.string().nullable(),
  tags: z.array(z.string()),
  createdAt: instant,
  /** Null: created by an operator. The name is null for a deleted user. */
  createdBy: z.object({ id: z.string(), name: z.string().nullable() }).nullable(),
  lastUsedAt: instant.nullable(),
  /** UTC days, including today. */
  last30Days: z.object({ requests: z.number().int(), charge: money }),
  revision,
});

/** A project or a tag. */
const labelText = z
  .string()
  .trim()
  .min(1, fault("form.labelMissing"))
  .max(labelLengthMax, fault("form.labelTooLong", { max: labelLengthMax }))
  .refine((text) => labelFault(text) !== "control", fault("form.labelWithControl"));

const givenLimits = z
  .object({ requestsPerMinute: limitNumber, tokensPerMinute: limitNumber, concurrency: limitNumber })
  .partial();

const givenKey = {
  models: z
    .array(z.string().min(1).max(300))
    .max(modelsMax, fault("form.modelsTooMany", { max: modelsMax }))
    .nullable()
    .optional(),
  ips: z
    .array(z.string().trim().min(1, fault("form.address")).max(60))
    .max(ipsMax, fault("form.addressesTooMany", { max: ipsMax }))
    .nullable()
    .optional(),
  limits: givenLimits.optional(),
  budget: z.object({ amount: amountText, period: budgetPeriod }).nullable().optional(),
  /** Null: never. */
  expiresAt: givenInstant.nullable().optional(),
  /** Null: none. */
  project: labelText.nullable().optional(),
  tags: z
    .array(labelText)
    .max(tagsMax, fault("form.tagsTooMany", { max: tagsMax }))
    .optional()
    .meta({
      description: "Labels by which usage is grouped, beside the project. One given twice counts once.",
    }),
};

export const newKey = z.object({ name: nameText, ...givenKey });
export const madeKey = z.object({ key: apiKey, secret: z.string() });
export const keyChange = z.object({
  name: nameText.optional(),
  ...givenKey,
  status: z.enum(["active", "disabled"]).optional(),
  revision,
});

export const keysQuery = pageQuery.extend({
  /** Part of the name, or the start of the key. */
  search: z.string().trim().max(200).optional(),
  status: manyTexts.pipe(z.array(keyStatus).optional()),
  project: manyTexts.meta({ description: "Projects; an empty one: keys without a project." }),
  tag: manyTexts.meta({ description: "Tags, of which each is enough; an empty one: keys without tags." }),
});

/** A page of keys. */
export const keysPage = z.object({
  keys: z.array(apiKey),
  next: nextCursor,
  /** The labels of all keys that may be listed, revoked ones too; null except on the first page. */
  labels: z.object({ projects: z.array(z.string()), tags: z.array(z.string()) }).nullable(),
});

export const keysRoutes = routes({
  listKeys: {
    method: "get",
    path: "/keys",
    access: "member",
    summary: "Keys, newest first: an owner sees all of the account, a member those they made.",
    query: keysQuery,
    answer: keysPage,
  },
  createKey: {
    method: "post",
    path: "/keys",
    access: "member",
    summary: "Make a key. Its secret is in this answer and nowhere else.",
    subject: "{name}",
    bodyBytesMax: documentBytes,
    body: newKey,
    answer: madeKey,
    status: 201,
  },
  getKey: { method: "get", path: "/keys/{id}", access: "member", summary: "One key.", answer: apiKey },
  changeKey: {
    method: "patch",
    path: "/keys/{id}",
    access: "member",
    summary: "Change what is given of a key; acts within a second.",
    bodyBytesMax: documentBytes,
    body: keyChange,
    answer: apiKey,
  },
  revokeKey: {
    method: "post",
    path: "/keys/{id}/revoke",
    access: "member",
    summary: "Revoke a key for ever; acts within a second.",
    answer: apiKey,
  },
  createEphemeralKey: {
    method: "post",
    path: "/keys/{id}/ephemeral-key",
    formerPath: "/keys/{id}/pass",
    access: "member",
    summary:
      "A short-lived second secret of a key, for the console's own calls of /v1; it ends with the session.",
    // Every visit of the playground requests one; the calls made with it are in the list of requests.
    isAudited: false,
    answer: z.object({ secret: z.string(), expiresAt: instant }),
    status: 201,
  },
});
