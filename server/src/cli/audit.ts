/**
 * The command line's hand in the audit log: an act is written down as begun
 * before it is done, and then how it ended.
 */

import { userInfo } from "node:os";
import { StoreError } from "../store/error.ts";
import type { PeopleStore } from "../store/people/people.ts";
import type { CommandIo } from "./command-io.ts";
import { CommandFailure } from "./failure.ts";

/** What is known of an act. No secrets. */
interface Act {
  /** The command's words, as in `key create`. */
  readonly action: string;
  readonly accountId?: string | undefined;
  readonly subject?: string | undefined;
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
}

/** Who is at the machine; a container may have no name for its user. */
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
 * Does `work` between the two lines. `told` says what is only known afterwards: the account, the new thing's
 * id, what changed; or that nothing did, and then there is no line.
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
