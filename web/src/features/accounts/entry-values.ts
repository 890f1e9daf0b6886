/**
 * A line to be added to a ledger, as its form holds it and as the API takes
 * it. Pure; the time zone is passed in.
 */
import type { SentTo } from "../../api/routes.ts";
import { addDays, dayStartMs, isDay } from "../../format/zone.ts";

export interface EntryValues {
  readonly kind: "topup" | "adjustment" | "refund";
  readonly direction: "add" | "take";
  readonly amount: string;
  readonly reason: string;
  readonly reference: string;
  readonly requestId: string;
  /** A day; empty for never. */
  readonly expiresAt: string;
}

type EntryBody = SentTo<"post /operator/accounts/{id}/entries">["body"];

/** Only an adjustment takes away. */
export function takesAway(values: Pick<EntryValues, "kind" | "direction">): boolean {
  return values.kind === "adjustment" && values.direction === "take";
}

/** Fields of another kind than the one chosen are not sent. */
export function entryBodyOf(values: EntryValues, timeZone: string): EntryBody {
  const { kind } = values;
  const amount = values.amount.trim();
  const [reason, reference, requestId] = [
    values.reason.trim(),
    values.reference.trim(),
    values.requestId.trim(),
  ];
  const endMs = isDay(values.expiresAt) ? dayStartMs(addDays(values.expiresAt, 1), timeZone) : undefined;
  return {
    kind,
    amount: takesAway(values) ? `-${amount}` : amount,
    ...(reason === "" ? {} : { reason }),
    ...(reference === "" ? {} : { reference }),
    ...(kind !== "refund" || requestId === "" ? {} : { requestId }),
    ...(kind !== "topup" || endMs === undefined ? {} : { expiresAt: new Date(endMs).toISOString() }),
  };
}

/** A new, unused reference: the day, for people, and a random part. */
export function newReference(nowMs: number, random: Uint8Array): string {
  const chance = Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `console-${new Date(nowMs).toISOString().slice(0, 10)}-${chance}`;
}
