/**
 * Writes every call to the audit log: a change is recorded as begun before it is done, with its subject as
 * far as the call names it, and then with its outcome.
 */
import type { RouteSpec } from "@plaza/contract/api/index.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { StoreError } from "../../store/error.ts";
import type { NewAuditEntry } from "../../store/people/people.ts";
import type { Call, ControlContext, Origin, Viewer } from "../context.ts";
import { type AuditInput, subjectCharactersMax, subjectOf } from "./subject.ts";

interface Audit {
  readonly note: Call["note"];
  readonly unchanged: Call["unchanged"];
  /** Runs the work between the two records. */
  around<T>(work: () => Promise<T>): Promise<T>;
}

/** Longest detail stored. */
const detailCharactersMax = 4_000;

function detailText(detail: Readonly<Record<string, unknown>> | undefined): string | undefined {
  if (detail === undefined) return undefined;
  const text = JSON.stringify(detail, (_, value) => (typeof value === "bigint" ? String(value) : value));
  return text.length > detailCharactersMax ? JSON.stringify({ tooLong: true }) : text;
}

type Actor = Pick<NewAuditEntry, "actorKind" | "actorId" | "actorName" | "accountId">;

function actorOf(viewer: Exclude<Viewer, { kind: "nobody" }>, spec: RouteSpec): Actor {
  if (viewer.kind === "token")
    return { actorKind: "token", actorId: viewer.tokenId, actorName: viewer.name, accountId: null };
  // An operator's actions concern other accounts than the operator's own.
  const accountId = spec.access === "operator" ? null : (viewer.account?.id ?? null);
  return { actorKind: "user", actorId: viewer.userId, actorName: viewer.email, accountId };
}

/** True when the error means that nothing was done; after other errors the outcome is unknown. */
const isRefusal = (thrown: unknown): boolean =>
  thrown instanceof GatewayError || thrown instanceof StoreError;

/**
 * Reading changes nothing and is not recorded; neither are callers who are not signed in. `note`: its detail
 * may contain `accountId`, the account concerned; its subject replaces the one the call names.
 */
export function beginAudit(
  { store, clock, log, repeats }: ControlContext,
  about: { name: string; spec: RouteSpec; viewer: Viewer; from: Origin; input: AuditInput },
): Audit {
  const { name, spec, viewer, from, input } = about;
  if (spec.method === "get" || spec.isAudited === false || viewer.kind === "nobody")
    return { note: () => {}, unchanged: () => {}, around: (work) => work() };
  let isUnchanged = false;
  let noted:
    | { subject: string | undefined; detail: Readonly<Record<string, unknown>> | undefined }
    | undefined;
  const end = async (id: number, outcome: "done" | "refused"): Promise<void> => {
    const { accountId } = noted?.detail ?? {};
    try {
      await store.endAudit(id, {
        outcome,
        accountId: typeof accountId === "string" ? accountId : undefined,
        subject: noted?.subject?.slice(0, subjectCharactersMax),
        detail: detailText(noted?.detail),
      });
    } catch (error) {
      // The change is done and stays in the log as begun.
      log.warn("audit_not_ended", { entry: id, error: (error as Error).message });
    }
  };
  /** Deletes the entry, as if it had never begun. */
  const drop = async (id: number): Promise<void> => {
    try {
      await store.dropAudit(id);
    } catch (error) {
      log.warn("audit_not_ended", { entry: id, error: (error as Error).message });
    }
  };
  const refuse = async (id: number, actor: Actor): Promise<void> => {
    const act = `${name} ${actor.actorKind} ${actor.actorId}`;
    const line = repeats.count(act);
    if (line === "none") return await drop(id);
    if (line === "shared") repeats.share(act, Promise.resolve(id));
    await end(id, "refused");
  };
  return {
    note(subject, detail) {
      noted = { subject, detail };
    },
    unchanged() {
      isUnchanged = true;
    },
    async around(work) {
      const actor = actorOf(viewer, spec);
      const id = await store.beginAudit({
        at: clock.wallMs(),
        ...actor,
        action: name,
        subject: subjectOf(spec, input) ?? null,
        detail: null,
        ip: from.ip,
        requestId: from.requestId,
        outcome: "begun",
      });
      try {
        const value = await work();
        await (isUnchanged ? drop(id) : end(id, "done"));
        return value;
      } catch (thrown) {
        if (isRefusal(thrown)) await refuse(id, actor);
        throw thrown;
      }
    },
  };
}

/** Records an action of a person who had no session when it began: signing in, using a link. */
export async function recordAct(
  { store, clock, repeats }: Pick<ControlContext, "store" | "clock" | "repeats">,
  act: {
    action: string;
    /** Undefined: unknown. */
    actor: { id: string; email: string; account: { id: string } | null } | undefined;
    from: Origin;
    outcome: "done" | "refused";
    subject?: string | undefined;
    detail?: Readonly<Record<string, unknown>> | undefined;
  },
): Promise<void> {
  const { actor, from } = act;
  const name = `${act.action} user ${actor?.id}`;
  const line = act.outcome === "refused" ? repeats.count(name) : "own";
  if (line === "none") return;
  const written = store.beginAudit({
    at: clock.wallMs(),
    actorKind: "user",
    actorId: actor?.id ?? null,
    actorName: actor?.email ?? "unknown",
    accountId: actor?.account?.id ?? null,
    action: act.action,
    subject: act.subject ?? null,
    detail: detailText(act.detail) ?? null,
    ip: from.ip,
    requestId: from.requestId,
    outcome: act.outcome,
  });
  if (line === "shared") repeats.share(name, written);
  await written;
}
