/** Audit log entries of the command line: one before an action, completed with its outcome afterwards. */

import { userInfo } from "node:os";
import { StoreError } from "../store/error.ts";
import type { PeopleStore } from "../store/people/people.ts";
import type { CommandIo } from "./command-io.ts";
import { CommandFailure } from "./failure.ts";

/** An action to log. Contains no secrets. */
interface Act {
  /** The command, such as `key create`. */
  readonly action: string;
  readonly accountId?: string | undefined;
  readonly subject?: string | undefined;
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
}

/** The operating system's user; a container may have no name for it. */
function machineUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}

const detailText = (detail: Act["detail"]): string | null =>
  detail === undefined
    ? null
    : JSON.stringify(detail, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));

/**
 * Runs `work` between two writes to the audit log. `describe` adds what is known only afterwards: the
 * account, a new id, the changes. If it returns "unchanged", the entry is removed.
 */
export async function audited<T>(
  io: CommandIo,
  store: PeopleStore,
  act: Act,
  work: () => Promise<T>,
  describe: (value: T) => Omit<Act, "action"> | "unchanged" = () => ({}),
): Promise<T> {
  const entry = await store.beginAudit({
    at: io.clock.wallMs(),
    actorKind: "cli",
    actorId: null,
    actorName: machineUser(),
    accountId: act.accountId ?? null,
    action: act.action,
    subject: act.subject ?? null,
    detail: detailText(act.detail),
    ip: null,
    requestId: null,
    outcome: "begun",
  });
  try {
    const value = await work();
    const what = describe(value);
    if (what === "unchanged") {
      await store.dropAudit(entry);
      return value;
    }
    const { detail, ...about } = what;
    await store.endAudit(entry, { outcome: "done", ...about, detail: detailText(detail) ?? undefined });
    return value;
  } catch (error) {
    const isRefusal = error instanceof CommandFailure || error instanceof StoreError;
    if (isRefusal) await store.endAudit(entry, { outcome: "refused" });
    throw error;
  }
}
