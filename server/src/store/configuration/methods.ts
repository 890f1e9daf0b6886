/** SQL for `shapes.ts`: makes settings, accounts, keys and users match a file, all or nothing. */
import type { Limits } from "@plaza/contract/catalog.ts";
import { message } from "@plaza/contract/messages/message.ts";
import type { Transaction } from "kysely";
import { compareConfigurations, type ItemChange } from "../../domain/configuration/difference.ts";
import type {
  AccountConfiguration,
  Configuration,
  KeyConfiguration,
  StoredConfiguration,
} from "../../domain/configuration/shapes.ts";
import { insertAccount } from "../accounts/accounts.ts";
import { insertKey } from "../accounts/api-keys.ts";
import type { LimitsChange } from "../accounts/keys.ts";
import { changeAccount } from "../accounts/keys-accounts.ts";
import { changeKey } from "../accounts/keys-methods.ts";
import { StoreError } from "../error.ts";
import { writeSettings } from "../operation/methods.ts";
import { changeUser } from "../people/changes.ts";
import type { MethodsOptions } from "../sql/dialect.ts";
import type { Database } from "../sql/schema.ts";
import { readStored } from "./read.ts";
import type { ConfigurationStore } from "./shapes.ts";

interface Writing {
  readonly trx: Transaction<Database>;
  readonly stored: StoredConfiguration;
  readonly wanted: Configuration;
  readonly options: MethodsOptions;
  readonly nowMs: number;
}

/** Rolls everything back when an item could not be changed. */
function requireDone(kind: string | undefined, what: string): void {
  if (kind === "done") return;
  throw new StoreError(
    "invalid",
    kind === "last_operator" ? message("file.lastOperator") : message("file.changedMeanwhile", { what }),
  );
}

/** Every limit; null for those that are not set. */
const limitsChange = (limits: Limits | undefined): LimitsChange => ({
  requestsPerMinute: limits?.requestsPerMinute ?? null,
  tokensPerMinute: limits?.tokensPerMinute ?? null,
  concurrency: limits?.concurrency ?? null,
});

async function putAccount(writing: Writing, account: AccountConfiguration, isNew: boolean): Promise<void> {
  const { trx, stored, nowMs } = writing;
  const { id, name, status, limits, lowBalance = null, responsesKeptMs = null } = account;
  if (isNew) await insertAccount(trx, { id, name }, nowMs, writing.options.dialect);
  const revision = isNew ? 0 : (stored.accounts.find((one) => one.id === id)?.revision ?? 0);
  const change = { name, status, limits: limitsChange(limits), lowBalance, responsesKeptMs };
  const outcome = await changeAccount(trx, { id, revision, change }, nowMs);
  requireDone(outcome.kind, `account ${id}`);
}

async function putKey(
  writing: Writing,
  accountId: string,
  key: KeyConfiguration,
  isNew: boolean,
): Promise<void> {
  const { trx, stored, nowMs } = writing;
  const { id, name, digest, visiblePrefix, status } = key;
  const { models = null, ips = null, budget = null, expiresAt = null, project = null, tags = [] } = key;
  if (isNew) {
    const limits = limitsChange(key.limits);
    const { requestsPerMinute = null, tokensPerMinute = null, concurrency = null } = limits;
    const rules = {
      models,
      ips,
      budget,
      expiresAt,
      project,
      tags,
      requestsPerMinute,
      tokensPerMinute,
      concurrency,
    };
    await insertKey(trx, { id, accountId, name, digest, visiblePrefix, ...rules }, nowMs);
    if (status === "active") return;
  }
  const revision = isNew ? 0 : (stored.keys.find((one) => one.id === id)?.revision ?? 0);
  const rules = { models, ips, budget, expiresAt, project, tags, limits: limitsChange(key.limits) };
  const change = { name, status, ...rules };
  const outcome = await changeKey(trx, { id, scope: { accountId }, revision, change }, nowMs);
  requireDone(outcome.kind, `key ${id}`);
}

async function putUser({ trx, stored, wanted, options }: Writing, email: string): Promise<void> {
  const now = stored.users.find((one) => one.email === email);
  const user = wanted.users?.find((one) => one.email === email);
  if (now === undefined || user === undefined) return requireDone(undefined, `user ${email}`);
  const change = {
    id: now.id,
    revision: now.revision,
    accountId: user.account,
    role: user.account === null ? undefined : user.role,
    isOperator: user.isOperator,
    status: user.status,
  };
  requireDone((await changeUser(trx, change, options)).kind, `user ${email}`);
}

async function putSettings({ trx, stored, wanted }: Writing): Promise<void> {
  const { settings } = stored;
  const { name = settings.name, plazaIsPublic = settings.plazaIsPublic } = wanted.settings ?? {};
  const { lowBalance = settings.lowBalance } = wanted.settings ?? {};
  const written = await writeSettings(trx, {
    name,
    plazaIsPublic,
    lowBalance,
    revision: settings.revision,
  });
  requireDone(written === undefined ? undefined : "done", "the settings");
}

/** Suspends an account or disables a key that the file does not list. */
async function stop({ trx, stored, nowMs }: Writing, { kind, id }: ItemChange): Promise<void> {
  if (kind === "account") {
    const revision = stored.accounts.find((one) => one.id === id)?.revision ?? 0;
    const change = { status: "suspended" } as const;
    requireDone((await changeAccount(trx, { id, revision, change }, nowMs)).kind, `account ${id}`);
    return;
  }
  const key = stored.keys.find((one) => one.id === id);
  const scope = { accountId: key?.accountId ?? "" };
  const change = { status: "disabled" } as const;
  const revision = key?.revision ?? 0;
  requireDone((await changeKey(trx, { id, scope, revision, change }, nowMs)).kind, `key ${id}`);
}

async function write(writing: Writing, changes: readonly ItemChange[]): Promise<void> {
  const { accounts = [] } = writing.wanted;
  const accountsById = new Map(accounts.map((account) => [account.id, account]));
  const keysById = new Map(
    accounts.flatMap(({ id, keys = [] }) => keys.map((key) => [key.id, { accountId: id, key }] as const)),
  );
  for (const change of changes) {
    const { sign, kind, id } = change;
    const account = accountsById.get(id);
    const key = keysById.get(id);
    if (sign === "-") await stop(writing, change);
    else if (kind === "settings") await putSettings(writing);
    else if (kind === "user") await putUser(writing, id);
    else if (kind === "account" && account !== undefined) await putAccount(writing, account, sign === "+");
    else if (kind === "key" && key !== undefined) await putKey(writing, key.accountId, key.key, sign === "+");
  }
}

/** Users last, since they may join accounts that the file creates. */
export function createConfigurationMethods(options: MethodsOptions): ConfigurationStore {
  const { db, clock } = options;
  const readAtOnce = () =>
    db
      .transaction()
      .setIsolationLevel("repeatable read")
      .setAccessMode("read only")
      .execute((trx) => readStored(trx));
  return {
    readConfiguration: readAtOnce,
    compareConfiguration: async (wanted, { prunes }) =>
      compareConfigurations(await readAtOnce(), wanted, { prunes }),
    applyConfiguration: (wanted, { prunes }) =>
      db.transaction().execute(async (trx) => {
        const stored = await readStored(trx);
        const difference = compareConfigurations(stored, wanted, { prunes });
        const [fault] = difference.faults;
        if (fault !== undefined) throw new StoreError("invalid", fault.message);
        await write({ trx, stored, wanted, options, nowMs: clock.wallMs() }, difference.changes);
        return difference;
      }),
  };
}
