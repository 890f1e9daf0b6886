/** Lines the operator adds to an account's ledger: money that came in, a correction, a refund. */
import type { accountsRoutes } from "@plaza/contract/api/accounts.ts";
import { type FieldFault, GatewayError } from "@plaza/contract/errors.ts";
import { formatUsd, type NanoUsd, nanoUsd, parseUsd } from "@plaza/contract/money.ts";
import type { NewLedgerEntry } from "../../../store/ledger/ledger-shapes.ts";
import { StoreError } from "../../../store/store-error.ts";
import type { Call, ControlContext } from "../../context.ts";
import { fieldsRefused, refuseFaults } from "../../field-faults.ts";
import { showWritten } from "../billing/entries.ts";

type AddEntry = (typeof accountsRoutes)["addEntry"];
type Body = Call<AddEntry>["body"];

const readSigned = (text: string): NanoUsd =>
  text.startsWith("-") ? nanoUsd(-parseUsd(text.slice(1))) : parseUsd(text);

/** What goes together with which kind of line. */
function faultsOf(
  { kind, reason, requestId, expiresAt }: Body,
  amount: NanoUsd,
  nowMs: number,
): FieldFault[] {
  const faults: [boolean, string, string][] = [
    [amount === 0n, "amount", "A line of 0 changes nothing."],
    [amount < 0n && kind !== "adjustment", "amount", "Only an adjustment takes money away."],
    [kind === "adjustment" && (reason ?? "") === "", "reason", "Say why the balance is corrected."],
    [kind === "refund" && requestId === undefined, "requestId", "Name the request that is refunded."],
    [kind !== "refund" && requestId !== undefined, "requestId", "Only a refund is for a request."],
    [kind !== "topup" && expiresAt !== undefined, "expiresAt", "Only a top-up expires."],
    [expiresAt !== undefined && Date.parse(expiresAt) <= nowMs, "expiresAt", "This lies in the past."],
  ];
  return faults.flatMap(([isFault, path, message]) => (isFault ? [{ path, message }] : []));
}

/** What the store refused, beside the field it is about. */
function refusalOf(error: unknown, { kind }: Body): unknown {
  if (!(error instanceof StoreError)) return error;
  const message = `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`;
  if (error.code === "invalid") return fieldsRefused([{ path: "amount", message }]);
  if (error.code !== "duplicate") return error;
  const path = kind === "refund" ? "requestId" : "reference";
  return new GatewayError("already_exists", { message, param: path, fields: [{ path, message }] });
}

export async function addEntry({ store, clock }: ControlContext, { params, body, note }: Call<AddEntry>) {
  const { kind, reason, reference, requestId, expiresAt } = body;
  const amount = readSigned(body.amount);
  refuseFaults(faultsOf(body, amount, clock.wallMs()));
  if ((await store.findAccount(params.id)) === undefined)
    throw new GatewayError("not_found", { message: "There is no such account." });
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
