/** Ledger entries by the operator: payments, corrections, refunds. */

import type { accountsRoutes } from "@plaza/contract/api/accounts.ts";
import { type FieldFault, GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { formatUsd, type NanoUsd, nanoUsd, parseUsd } from "@plaza/contract/money.ts";
import { StoreError } from "../../../store/error.ts";
import type { NewLedgerEntry } from "../../../store/ledger/shapes.ts";
import type { Call, ControlContext } from "../../context.ts";
import { fieldsRefused, refuseFaults } from "../../field-faults.ts";
import { showWritten } from "../billing/entries.ts";

type AddEntry = (typeof accountsRoutes)["addEntry"];
type Body = Call<AddEntry>["body"];

const readSigned = (text: string): NanoUsd =>
  text.startsWith("-") ? nanoUsd(-parseUsd(text.slice(1))) : parseUsd(text);

/** Which fields each kind of entry needs. */
function faultsOf(
  { kind, reason, requestId, expiresAt }: Body,
  amount: NanoUsd,
  nowMs: number,
): FieldFault[] {
  const faults: [boolean, string, Message][] = [
    [amount === 0n, "amount", message("account.lineZero")],
    [amount < 0n && kind !== "adjustment", "amount", message("account.negativeLine")],
    [kind === "adjustment" && (reason ?? "") === "", "reason", message("account.noteMissing")],
    [kind === "refund" && requestId === undefined, "requestId", message("account.refundWithoutRequest")],
    [kind !== "refund" && requestId !== undefined, "requestId", message("account.requestWithoutRefund")],
    [kind !== "topup" && expiresAt !== undefined, "expiresAt", message("account.expiryWithoutTopUp")],
    [expiresAt !== undefined && Date.parse(expiresAt) <= nowMs, "expiresAt", message("account.timePast")],
  ];
  return faults.flatMap(([isFault, path, fault]) => (isFault ? [{ path, message: fault }] : []));
}

/** The store's refusal, at its field. */
function refusalOf(error: unknown, { kind }: Body): unknown {
  if (!(error instanceof StoreError)) return error;
  const refusal = message("form.sentence", { text: error.messageRef ?? error.message });
  if (error.code === "invalid") return fieldsRefused([{ path: "amount", message: refusal }]);
  if (error.code !== "duplicate") return error;
  const path = kind === "refund" ? "requestId" : "reference";
  return new GatewayError("already_exists", {
    message: refusal,
    param: path,
    fields: [{ path, message: refusal }],
  });
}

export async function addEntry({ store, clock }: ControlContext, { params, body, note }: Call<AddEntry>) {
  const { kind, reason, reference, requestId, expiresAt } = body;
  const amount = readSigned(body.amount);
  refuseFaults(faultsOf(body, amount, clock.wallMs()));
  if ((await store.findAccount(params.id)) === undefined)
    throw new GatewayError("not_found", { message: message("account.unknown") });
  const line: NewLedgerEntry = {
    accountId: params.id,
    kind,
    amount,
    note: reason === "" ? undefined : reason,
    reference,
    requestId,
    expiresAt: expiresAt === undefined ? undefined : Date.parse(expiresAt),
  };
  const added = await store.addEntry(line).catch((error: unknown) => {
    throw refusalOf(error, body);
  });
  const { entry, isNew, balance } = added;
  note(String(entry.id), { accountId: params.id, kind, amount: formatUsd(amount), reason, reference, isNew });
  return { entry: await showWritten(store, entry), isNew, balance: formatUsd(balance) };
}
