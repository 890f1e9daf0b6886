/**
 * What became of the configuration since `plaza apply` last changed it: the changes made in the console and
 * through its API, from the audit log. What differs now, only `plaza apply --dry-run` with the file knows.
 */
import type { RouteName } from "@plaza/contract/api/index.ts";
import type { lastApply } from "@plaza/contract/api/installation.ts";
import type { z } from "zod";
import type { AuditEntry, OperationStore } from "../../../store/operation/operation.ts";

/** The routes that change what a configuration file can say. */
const configurationRoutes: readonly RouteName[] = [
  "createUpstream",
  "changeUpstream",
  "removeUpstream",
  "createModel",
  "changeModel",
  "changeModelState",
  "removeModel",
  "connect",
  "changeLimits",
  "changeSettings",
  "createAccount",
  "changeAccount",
  "setLowBalance",
  "createAccountKey",
  "changeAccountKey",
  "revokeAccountKey",
  "createKey",
  "changeKey",
  "revokeKey",
  "changeUser",
  "changeMember",
  "removeMember",
];

/** Entries read at once: refused ones are among them. */
const entriesMax = 200;
/** Most changes listed. */
const changesMax = 20;

const isOfCommand = ({ actor, outcome }: AuditEntry): boolean => actor.kind === "cli" && outcome === "done";

/** Reads two bounded parts of the audit log. */
export async function readLastApply(store: OperationStore): Promise<z.output<typeof lastApply>> {
  const applies = await store.listAudit({ actions: ["apply"], limit: entriesMax });
  const applied = applies.find(isOfCommand);
  if (applied === undefined) return { applied: null, changes: [], hasMore: false };
  const entries = await store.listAudit({
    actions: configurationRoutes,
    from: applied.at,
    limit: entriesMax + 1,
  });
  const changes = new Map<string, z.output<typeof lastApply>["changes"][number]>();
  for (const { id, at, action, subject, outcome } of entries.slice(0, entriesMax)) {
    if (id < applied.id || outcome === "refused") continue;
    const of = JSON.stringify([action, subject]);
    const known = changes.get(of);
    // The newest of the same comes first.
    if (known !== undefined) known.times += 1;
    else changes.set(of, { action, subject, at: new Date(at).toISOString(), times: 1 });
  }
  return {
    applied: { file: applied.subject, by: applied.actor.name, at: new Date(applied.at).toISOString() },
    changes: [...changes.values()].slice(0, changesMax),
    hasMore: changes.size > changesMax || entries.length > entriesMax,
  };
}
