/** Balance, ledger and redemption codes, for accounts and for the operator. */

import { z } from "zod";
import { fault } from "./fault.ts";
import { routes } from "./route.ts";
import {
  amountText,
  givenInstant,
  instant,
  manyTexts,
  messageRef,
  money,
  nameText,
  nextCursor,
  noteText,
  pageQuery,
  revision,
} from "./shapes.ts";

export const entryKind = z.enum(["topup", "charge", "adjustment", "refund", "operator_loss", "expiry"]);

/** An entry of a ledger. Entries are only added. */
export const ledgerEntry = z.object({
  id: z.number().int(),
  createdAt: instant,
  kind: entryKind,
  /** Positive amounts add to the balance. */
  amount: money,
  /** The balance after this entry. */
  balanceAfter: money,
  requestId: z.string().nullable(),
  note: z.string().nullable(),
  /** The message of a note that the server wrote. */
  noteMessage: messageRef.nullable(),
  reference: z.string().nullable(),
  /** For a top-up: when its unused rest expires. */
  expiresAt: instant.nullable(),
});

const entryFilter = {
  kind: manyTexts.pipe(z.array(entryKind).optional()),
  /** `from` is inclusive, `to` exclusive. */
  from: givenInstant.optional(),
  to: givenInstant.optional(),
};

export const entriesQuery = pageQuery.extend(entryFilter);

export const entriesAnswer = z.object({ entries: z.array(ledgerEntry), next: nextCursor });

/** An account's balance. */
export const balanceAnswer = z.object({
  account: z.object({
    id: z.string(),
    name: z.string(),
    status: z.enum(["active", "suspended", "closed"]),
    /** Its own threshold; null: the installation's. */
    lowBalance: money.nullable(),
    revision,
  }),
  /** The sum of the ledger. */
  balance: money,
  /** Part of it currently held by running servers for calls. */
  held: money,
  available: money,
  /** The threshold that applies, the account's own or the installation's; null: not set. */
  lowBalance: money.nullable(),
  /** The balance is below the threshold. */
  isLow: z.boolean(),
});

/** Codes created together, each with the same amount. */
export const codeBatch = z.object({
  id: z.string(),
  note: z.string(),
  amount: money,
  codes: z.number().int(),
  redeemed: z.number().int(),
  /** When they expire; null: never. */
  expiresAt: instant.nullable(),
  /** The state of the batch: `open` while any code can be redeemed. */
  status: z.enum(["open", "expired", "voided", "used_up"]),
  createdAt: instant,
  /** A user or an operator token. The name is null for a deleted user. */
  createdBy: z.object({ id: z.string(), name: z.string().nullable() }).nullable(),
  voidedAt: instant.nullable(),
});

export const redemptionCode = z.object({
  /** Number within its batch, from 1. */
  number: z.number().int(),
  /** The last characters of the code. */
  visibleEnd: z.string(),
  status: z.enum(["open", "redeemed", "expired", "voided"]),
  redeemedAt: instant.nullable(),
  account: z.object({ id: z.string(), name: z.string() }).nullable(),
  user: z.object({ id: z.string(), name: z.string().nullable() }).nullable(),
  /** Its entry in that account's ledger. */
  entryId: z.number().int().nullable(),
});

/** Most codes created in one batch. */
const codesMax = 1_000;

export const billingRoutes = routes({
  getBalance: {
    method: "get",
    path: "/balance",
    access: "member",
    summary: "The account's balance, what of it is held, and whether it is low.",
    answer: balanceAnswer,
  },
  setLowBalance: {
    method: "patch",
    path: "/account",
    access: "owner",
    summary: "Change the account's name, or below which balance its people are warned.",
    body: z.object({ name: nameText.optional(), lowBalance: amountText.nullable().optional(), revision }),
    answer: balanceAnswer,
  },
  listEntries: {
    method: "get",
    path: "/ledger",
    access: "member",
    summary: "The account's ledger with its running balance, newest first.",
    query: entriesQuery,
    answer: entriesAnswer,
  },
  exportLedger: {
    method: "get",
    path: "/ledger.csv",
    access: "member",
    summary: "The account's ledger as CSV, newest first.",
    query: z.object(entryFilter),
    answerType: "text/csv",
  },
  redeem: {
    method: "post",
    path: "/redeem",
    access: "member",
    summary: "Redeem a code: its amount is added to the account's balance, once.",
    body: z.object({
      code: z.string().trim().min(1, fault("form.codeMissing")).max(100, fault("form.codeTooLong")),
    }),
    answer: z.object({ entry: ledgerEntry, balance: money }),
  },
  createCodes: {
    method: "post",
    path: "/operator/code-batches",
    access: "operator",
    scope: "accounts:write",
    summary: "Make redemption codes. They are in this answer and nowhere else.",
    body: z.object({
      count: z
        .number()
        .int(fault("form.codesNotWhole"))
        .min(1, fault("form.codesNone"))
        .max(codesMax, fault("form.codesTooMany", { max: codesMax })),
      amount: amountText,
      expiresAt: givenInstant.nullable().optional(),
      note: noteText.default(""),
    }),
    answer: z.object({ batch: codeBatch, codes: z.array(z.string()) }),
    status: 201,
  },
  listCodeBatches: {
    method: "get",
    path: "/operator/code-batches",
    access: "operator",
    scope: "accounts:read",
    summary: "Batches of redemption codes, newest first.",
    query: pageQuery,
    answer: z.object({ batches: z.array(codeBatch), next: nextCursor }),
  },
  getCodeBatch: {
    method: "get",
    path: "/operator/code-batches/{id}",
    access: "operator",
    scope: "accounts:read",
    summary: "A batch with every code of it and who redeemed it; never the codes themselves.",
    answer: z.object({ batch: codeBatch, codes: z.array(redemptionCode) }),
  },
  voidCodeBatch: {
    method: "post",
    path: "/operator/code-batches/{id}/void",
    access: "operator",
    scope: "accounts:write",
    summary: "What is not redeemed of a batch never can be.",
    answer: codeBatch,
  },
});
