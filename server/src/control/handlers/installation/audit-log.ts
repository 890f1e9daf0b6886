/** Reads the audit log: all of it for the operator, an account's part for its owners. */

import { apiRoutes, type RouteSpec } from "@plaza/contract/api/index.ts";
import type { auditEntry, installationRoutes } from "@plaza/contract/api/installation.ts";
import { z } from "zod";
import type { AuditEntry, OperationStore } from "../../../store/operation/operation.ts";
import type { Call } from "../../context.ts";
import { readCursor, writeCursor } from "../../cursor.ts";

type Shown = z.output<typeof auditEntry>;
type Query = Call<(typeof installationRoutes)["listAccountAudit"]>["query"];

function showEntry({ accountId, accountName, at, detail, ...entry }: AuditEntry): Shown {
  return {
    id: entry.id,
    at: new Date(at).toISOString(),
    actor: entry.actor,
    account: accountId === null ? null : { id: accountId, name: accountName ?? "" },
    action: entry.action,
    subject: entry.subject,
    detail: detail === null ? null : { ...detail },
    ip: entry.ip,
    requestId: entry.requestId,
    outcome: entry.outcome,
  };
}

/** True for an action of an operator. */
function isOperators({ actor, action }: AuditEntry): boolean {
  const spec = (apiRoutes as Readonly<Record<string, RouteSpec>>)[action];
  return actor.kind !== "user" || spec?.access === "operator";
}

/** Owners see what the operator did to their account, but not which operator or from where. */
function showToOwner(entry: AuditEntry): Shown {
  const shown = showEntry(entry);
  if (!isOperators(entry)) return shown;
  return { ...shown, actor: { kind: entry.actor.kind, id: null, name: "Operator" }, ip: null };
}

const place = z.tuple([z.number().int()]);

const msOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text);

async function page(store: OperationStore, query: Query, accountId: string | undefined) {
  const [before] = readCursor(query.cursor, place) ?? [];
  const found = await store.listAudit({
    actor: query.actor === "" ? undefined : query.actor,
    actions: query.action,
    accountId,
    from: msOf(query.from),
    to: msOf(query.to),
    before,
    limit: query.limit + 1,
  });
  const entries = found.slice(0, query.limit);
  const last = entries.at(-1);
  return { entries, next: found.length > query.limit && last !== undefined ? writeCursor([last.id]) : null };
}

/** The actions of all users, newest first. */
export async function pageOfAudit(store: OperationStore, query: Query & { account?: string | undefined }) {
  const { entries, next } = await page(store, query, query.account);
  return { entries: entries.map(showEntry), next };
}

/** Actions in or about one account, newest first. */
export async function pageOfAccountAudit(store: OperationStore, query: Query, accountId: string) {
  const { entries, next } = await page(store, query, accountId);
  // A search by name must not reveal an operator's name.
  const isNamed = query.actor !== undefined && query.actor !== "";
  const shown = isNamed ? entries.filter((entry) => !isOperators(entry)) : entries;
  return { entries: shown.map(showToOwner), next };
}
