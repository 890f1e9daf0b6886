/** Handlers of `contract/api/billing.ts`: balance and ledger. `billing/codes.ts` has the codes. */

import type { billingRoutes } from "@plaza/contract/api/billing.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { parseUsd } from "@plaza/contract/money.ts";
import { isSame } from "../../lib/record.ts";
import type { HandlersOf } from "../context.ts";
import { showBalance } from "./billing/balance.ts";
import { codeHandlers } from "./billing/codes.ts";
import { entriesAsCsv, pageOfEntries } from "./billing/entries.ts";

const accountMissing = () => new GatewayError("not_found", { message: message("account.gone") });

/** Why an account was not changed. */
const refusals = {
  missing: accountMissing,
  closed: () => new GatewayError("account_suspended", { message: message("account.closed") }),
  changed_meanwhile: () => new GatewayError("changed_meanwhile"),
} as const;

export const billingHandlers: HandlersOf<typeof billingRoutes> = {
  async getBalance({ store }, { viewer }) {
    const account = await store.findConsoleAccount(viewer.account.id);
    if (account === undefined) throw accountMissing();
    return showBalance(account, await store.getSettings());
  },
  async setLowBalance({ store }, { viewer, body, note, unchanged }) {
    const { name, lowBalance, revision } = body;
    const change = {
      name,
      lowBalance: lowBalance === undefined || lowBalance === null ? lowBalance : parseUsd(lowBalance),
    };
    const before = await store.findConsoleAccount(viewer.account.id);
    if (before !== undefined && isSame(before, change)) {
      unchanged();
      return showBalance(before, await store.getSettings());
    }
    const outcome = await store.changeAccount(viewer.account.id, revision, change);
    if (outcome.kind !== "done") throw refusals[outcome.kind]();
    note(viewer.account.id, { name, lowBalance });
    return showBalance(outcome.account, await store.getSettings());
  },
  listEntries: ({ store }, { viewer, query }) => pageOfEntries(store, viewer.account.id, query),
  exportLedger: ({ store }, { viewer, query }) => entriesAsCsv(store, viewer.account.id, query),
  ...codeHandlers,
};
