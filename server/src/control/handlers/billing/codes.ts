/** Redemption codes: the operator creates and lists them, users of an account redeem them. */

import type { billingRoutes, codeBatch } from "@plaza/contract/api/billing.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { formatUsd, parseUsd } from "@plaza/contract/money.ts";
import { z } from "zod";
import {
  createRedemptionCode,
  digestRedemptionCode,
  readRedemptionCode,
} from "../../../domain/keys/redemption-code.ts";
import type { Code, CodeBatch, RedeemOutcome } from "../../../store/accounts/codes.ts";
import { StoreError } from "../../../store/error.ts";
import { attemptSubject, beginAttempt, networkOf } from "../../auth/throttle.ts";
import type { Call, ControlContext, HandlersOf } from "../../context.ts";
import { readCursor, writeCursor } from "../../cursor.ts";
import { fieldsRefused, refuseFaults } from "../../field-faults.ts";
import { showEntry } from "./entries.ts";

type Routes = typeof billingRoutes;
type CodeHandlers = HandlersOf<
  Pick<Routes, "redeem" | "createCodes" | "listCodeBatches" | "getCodeBatch" | "voidCodeBatch">
>;

/** Wrong codes without a delay: per user, and per network. */
const freeOfUser = 5;
const freeOfNetwork = 20;

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

function batchStatus(batch: CodeBatch, nowMs: number): z.output<typeof codeBatch>["status"] {
  if (batch.redeemed >= batch.codes) return "used_up";
  if (batch.voidedAt !== null) return "voided";
  return batch.expiresAt !== null && batch.expiresAt <= nowMs ? "expired" : "open";
}

function showBatch(batch: CodeBatch, nowMs: number): z.output<typeof codeBatch> {
  const { id, note, codes, redeemed, createdBy } = batch;
  return {
    id,
    note,
    amount: formatUsd(batch.amount),
    codes,
    redeemed,
    expiresAt: isoOrNull(batch.expiresAt),
    status: batchStatus(batch, nowMs),
    createdAt: new Date(batch.createdAt).toISOString(),
    createdBy,
    voidedAt: isoOrNull(batch.voidedAt),
  };
}

function showCode(code: Code, batch: CodeBatch, nowMs: number) {
  const { number, visibleEnd, account, user, entryId } = code;
  const rest = batchStatus({ ...batch, redeemed: 0 }, nowMs);
  return {
    number,
    visibleEnd,
    status: code.redeemedAt !== null ? ("redeemed" as const) : rest === "used_up" ? ("open" as const) : rest,
    redeemedAt: isoOrNull(code.redeemedAt),
    account,
    user,
    entryId,
  };
}

const batchMissing = () => new GatewayError("not_found", { message: message("code.batchUnknown") });

const codeRefused = (fault: Message) => fieldsRefused([{ path: "code", message: fault }]);

/** Why a code was not redeemed. */
function refusalOf(outcome: Exclude<RedeemOutcome, { kind: "done" }>): GatewayError {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  switch (outcome.kind) {
    case "unknown":
      return codeRefused(message("code.unknown"));
    case "voided":
      return codeRefused(message("code.withdrawn"));
    case "expired":
      return codeRefused(message("code.expired", { at: day(outcome.at) }));
    case "account_closed":
      return new GatewayError("account_suspended", { message: message("account.closed") });
    case "redeemed": {
      const used = outcome.isOwn
        ? message("code.usedByAccount", { at: day(outcome.at) })
        : message("code.used");
      return new GatewayError("already_used", {
        message: used,
        param: "code",
        fields: [{ path: "code", message: used }],
      });
    }
  }
}

/** Counts guesses. An existing code is not a guess, whatever its state. */
async function redeem(context: ControlContext, { body, viewer, from, note }: Call<Routes["redeem"]>) {
  const own = attemptSubject("redeem", viewer.userId, freeOfUser);
  const network = attemptSubject("redeem-network", networkOf(from.ip), freeOfNetwork);
  const read = readRedemptionCode(body.code);
  if (read === undefined) throw codeRefused(message("code.misspelt"));
  const attempt = await beginAttempt(context, [own, network]);
  const digest = digestRedemptionCode(read);
  const redemption = { digest, accountId: viewer.account.id, userId: viewer.userId };
  const outcome = await context.store.redeemCode(redemption).catch(async (error: unknown) => {
    await attempt.undo();
    const isTooMuch = error instanceof StoreError && error.code === "invalid";
    throw isTooMuch ? codeRefused(message("code.notAdded", { reason: error.messageRef ?? "" })) : error;
  });
  if (outcome.kind === "done") await attempt.succeed([own]);
  else if (outcome.kind !== "unknown") await attempt.undo();
  if (outcome.kind !== "done") throw refusalOf(outcome);
  const { entry, balance } = outcome;
  note(entry.reference ?? undefined, { amount: formatUsd(entry.amount), entry: entry.id });
  return { entry: showEntry({ ...entry, balanceAfter: balance }), balance: formatUsd(balance) };
}

async function createCodes(context: ControlContext, { body, viewer, note }: Call<Routes["createCodes"]>) {
  const { store, clock, newId, randomBytes } = context;
  const amount = parseUsd(body.amount);
  const expiresAt =
    body.expiresAt === undefined || body.expiresAt === null ? null : Date.parse(body.expiresAt);
  refuseFaults([
    ...(amount === 0n ? [{ path: "amount", message: message("code.zero") }] : []),
    ...(expiresAt !== null && expiresAt <= clock.wallMs()
      ? [{ path: "expiresAt", message: message("account.timePast") }]
      : []),
  ]);
  const codes = Array.from({ length: body.count }, () => createRedemptionCode(randomBytes));
  const batch = await store.createCodes({
    id: newId("cod"),
    note: body.note,
    amount,
    expiresAt,
    createdBy: viewer.kind === "token" ? viewer.tokenId : viewer.userId,
    codes: codes.map(({ text, visibleEnd }) => ({
      digest: digestRedemptionCode(readRedemptionCode(text) ?? ""),
      visibleEnd,
    })),
  });
  note(batch.id, { count: body.count, amount: formatUsd(amount) });
  return { batch: showBatch(batch, clock.wallMs()), codes: codes.map(({ text }) => text) };
}

const place = z.tuple([z.number(), z.string()]);

export const codeHandlers: CodeHandlers = {
  redeem,
  createCodes,
  async listCodeBatches({ store, clock }, { query }) {
    const [createdAt, id] = readCursor(query.cursor, place) ?? [];
    const after = createdAt === undefined || id === undefined ? undefined : { createdAt, id };
    const found = await store.pageCodeBatches({ limit: query.limit + 1, after });
    const batches = found.slice(0, query.limit);
    const last = batches.at(-1);
    const hasMore = found.length > query.limit && last !== undefined;
    return {
      batches: batches.map((batch) => showBatch(batch, clock.wallMs())),
      next: hasMore ? writeCursor([last.createdAt, last.id]) : null,
    };
  },
  async getCodeBatch({ store, clock }, { params }) {
    const found = await store.findCodeBatch(params.id);
    if (found === undefined) throw batchMissing();
    const nowMs = clock.wallMs();
    return {
      batch: showBatch(found.batch, nowMs),
      codes: found.codes.map((code) => showCode(code, found.batch, nowMs)),
    };
  },
  async voidCodeBatch({ store, clock }, { params, note, unchanged }) {
    const nowMs = clock.wallMs();
    const batch = await store.voidCodeBatch(params.id, nowMs);
    if (batch === undefined) throw batchMissing();
    if (batch.voidedAt !== nowMs) unchanged();
    note(batch.id, { open: batch.codes - batch.redeemed });
    return showBatch(batch, nowMs);
  },
};
