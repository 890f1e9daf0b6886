/** Handlers of `contract/api/accounts.ts`: accounts, as the operator sees and changes them. */

import type { accountsRoutes } from "@plaza/contract/api/accounts.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { labelsListedMax } from "@plaza/contract/labels.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { nanoUsd, parseUsd } from "@plaza/contract/money.ts";
import { z } from "zod";
import { isSame } from "../../lib/record.ts";
import type { ConsoleAccount } from "../../store/accounts/keys.ts";
import { StoreError } from "../../store/error.ts";
import type { Call, ControlContext, HandlersOf } from "../context.ts";
import { readCursor, writeCursor } from "../cursor.ts";
import { fieldsRefused } from "../field-faults.ts";
import { addEntry } from "./accounts/add-entry.ts";
import { showAccount, showAccounts } from "./accounts/show.ts";
import { pageOfEntries } from "./billing/entries.ts";
import { pageOfKeys, pageOfLimitedKeys, showOne } from "./keys/show.ts";
import { editKey, makeKey } from "./keys/write.ts";

type Routes = typeof accountsRoutes;

const accountMissing = () => new GatewayError("not_found", { message: message("account.unknown") });

/** Why an account was not changed. */
const refusals = {
  missing: accountMissing,
  closed: () => new GatewayError("invalid_request", { message: message("account.closedForEver") }),
  changed_meanwhile: () => new GatewayError("changed_meanwhile"),
} as const;

async function findAccount({ store }: ControlContext, id: string): Promise<ConsoleAccount> {
  const account = await store.findConsoleAccount(id);
  if (account === undefined) throw accountMissing();
  return account;
}

const place = z.tuple([z.number(), z.string()]);

async function listAccounts(context: ControlContext, { query }: Call<Routes["listAccounts"]>) {
  const { limit, cursor, search, status, hasOwnLimits } = query;
  const [createdAt, id] = readCursor(cursor, place) ?? [];
  const found = await context.store.pageAccounts({
    search,
    statuses: status,
    hasOwnLimits,
    after: createdAt === undefined || id === undefined ? undefined : { createdAt, id },
    limit: limit + 1,
  });
  const accounts = found.slice(0, limit);
  const last = accounts.at(-1);
  return {
    accounts: await showAccounts(context, accounts),
    next: found.length > limit && last !== undefined ? writeCursor([last.createdAt, last.id]) : null,
  };
}

async function createAccount(context: ControlContext, { body, note }: Call<Routes["createAccount"]>) {
  const { store, newId } = context;
  const { name, balance, limits } = body;
  const id = newId("acc");
  const amount = balance === undefined ? nanoUsd(0n) : parseUsd(balance);
  await store.createAccount({ id, name, balance: amount }).catch((error: unknown) => {
    const refusal = error instanceof StoreError && error.code === "invalid" ? error.messageRef : undefined;
    throw refusal === undefined ? error : fieldsRefused([{ path: "balance", message: refusal }]);
  });
  const { revision } = await findAccount(context, id);
  if (limits !== undefined) await store.changeAccount(id, revision, { limits });
  note(id, { accountId: id, name, balance, limits });
  return await showAccount(context, await findAccount(context, id));
}

async function changeAccount(context: ControlContext, call: Call<Routes["changeAccount"]>) {
  const { params, body, note } = call;
  const { revision, lowBalance, ...rest } = body;
  const change = {
    ...rest,
    lowBalance: lowBalance === undefined || lowBalance === null ? lowBalance : parseUsd(lowBalance),
  };
  const before = await findAccount(context, params.id);
  const { limits = {}, ...plain } = change;
  if (isSame(before, plain) && isSame(before.limits, limits)) {
    call.unchanged();
    return await showAccount(context, before);
  }
  const outcome = await context.store.changeAccount(params.id, revision, change);
  if (outcome.kind !== "done") throw refusals[outcome.kind]();
  note(params.id, { accountId: params.id, ...rest, lowBalance });
  return await showAccount(context, outcome.account);
}

const keyMissing = () => new GatewayError("not_found", { message: message("key.unknown") });

async function createAccountKey(context: ControlContext, call: Call<Routes["createAccountKey"]>) {
  const { params, body, note } = call;
  const { id: accountId } = await findAccount(context, params.id);
  // The account need not know which operator it was; the audit log does.
  const { id, secret } = await makeKey(context, { accountId, createdBy: null }, body);
  note(id, { accountId, ...body });
  const key = await context.store.findConsoleKey(id, { accountId });
  if (key === undefined) throw keyMissing();
  return { key: await showOne(context, key), secret };
}

async function changeAccountKey(context: ControlContext, call: Call<Routes["changeAccountKey"]>) {
  const { params, body } = call;
  const scope = { accountId: params.id };
  const before = await context.store.findConsoleKey(params.keyId, scope);
  if (before === undefined) throw keyMissing();
  const key = await editKey(context, { before, scope, missing: keyMissing }, body);
  if (key === undefined) call.unchanged();
  else {
    const { revision: _, ...given } = body;
    call.note(before.id, { accountId: params.id, ...given });
  }
  return await showOne(context, key ?? before);
}

export const accountsHandlers: HandlersOf<Routes> = {
  listAccounts,
  createAccount,
  getAccount: async (context, { params }) => showAccount(context, await findAccount(context, params.id)),
  changeAccount,
  addEntry,
  async listAccountEntries(context, { params, query }) {
    await findAccount(context, params.id);
    return await pageOfEntries(context.store, params.id, query);
  },
  async listAccountKeys(context, { params, query }) {
    await findAccount(context, params.id);
    return await pageOfKeys(context, { accountId: params.id }, query);
  },
  createAccountKey,
  changeAccountKey,
  async listLabels({ store }, { query: { account, search } }) {
    const { projects, tags, isWhole } = await store.findLabels({
      accounts: account,
      search,
      max: labelsListedMax,
    });
    return { projects: [...projects], tags: [...tags], isWhole };
  },
  listLimitedKeys: (context, { query }) => pageOfLimitedKeys(context, query),
  async revokeAccountKey(context, { params, note, unchanged }) {
    const scope = { accountId: params.id };
    if ((await context.store.findConsoleKey(params.keyId, scope))?.status === "revoked") unchanged();
    const key = await context.store.revokeKey(params.keyId, scope);
    if (key === undefined) throw keyMissing();
    note(key.id, { accountId: params.id, name: key.name });
    return await showOne(context, key);
  },
};
