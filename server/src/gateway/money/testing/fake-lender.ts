/** For tests: a store whose answers and a clock whose time the test controls. */
import { nanoUsd } from "@plaza/contract/money.ts";
import type { LeaseRequest } from "../../../domain/money/ledger.ts";
import type { LeaseGrant, LeaseSubject } from "../../../store/ledger/lease-shapes.ts";
import type { LeaseStore } from "../leases.ts";

type Outcome<T> = { readonly resolve: (value: T) => void; readonly reject: (error: Error) => void };

/** A call that the store has not answered yet. */
export type Call =
  | ({
      readonly name: "take";
      readonly holderId: string;
      readonly requested: LeaseRequest;
    } & Outcome<LeaseGrant>)
  | ({
      readonly name: "return";
      readonly holderId: string;
      readonly amount: bigint | "all";
    } & Outcome<bigint>)
  | ({ readonly name: "recall"; readonly subjectId: string } & Outcome<void>)
  | ({ readonly name: "open"; readonly holderId: string } & Outcome<void>)
  | ({ readonly name: "close"; readonly holderId: string } & Outcome<void>)
  | ({ readonly name: "heartbeat"; readonly holderId: string } & Outcome<boolean>)
  | ({ readonly name: "sleep"; readonly ms: number } & Outcome<void>);

export const account: LeaseSubject = { kind: "account", id: "acc_1", ownerId: "acc_1" };

export const grant = (
  status: LeaseGrant["status"],
  amount: bigint,
  rest: Partial<Record<"available" | "lentToOthers", bigint>> = {},
): LeaseGrant => ({
  status,
  amount: nanoUsd(amount),
  available: nanoUsd(rest.available ?? 1_000_000n),
  lentToOthers: nanoUsd(rest.lentToOthers ?? 0n),
});

export const short = (rest: { available?: bigint; lentToOthers?: bigint } = {}): LeaseGrant =>
  grant("short", 0n, { available: 0n, ...rest });

export interface FakeLender {
  readonly store: LeaseStore;
  readonly sleep: (ms: number) => Promise<void>;
  readonly clock: { ms: number; wallMs(): number; elapsedMs(): number };
  /** Unanswered calls, oldest first. */
  readonly open: Call[];
  /** Returns the oldest call, which must have this name, and counts it as answered. */
  next<Name extends Call["name"]>(name: Name): Extract<Call, { readonly name: Name }>;
}

/** Lets pending promises run. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export function createFakeLender(): FakeLender {
  const open: Call[] = [];
  const clock = { ms: 0, wallMs: () => clock.ms, elapsedMs: () => clock.ms };
  const call = <T>(make: (outcome: Outcome<T>) => Call): Promise<T> =>
    new Promise((resolve, reject) => void open.push(make({ resolve, reject })));
  return {
    clock,
    open,
    sleep: (ms) => call<void>((outcome) => ({ name: "sleep", ms, ...outcome })),
    store: {
      takeLease: (holderId, _subject, requested) =>
        call<LeaseGrant>((outcome) => ({ name: "take", holderId, requested, ...outcome })),
      returnLease: async (holderId, _subject, amount) =>
        nanoUsd(await call<bigint>((outcome) => ({ name: "return", holderId, amount, ...outcome }))),
      recallLeases: (subjectId) => call<void>((outcome) => ({ name: "recall", subjectId, ...outcome })),
      openHolder: (holderId) => call<void>((outcome) => ({ name: "open", holderId, ...outcome })),
      closeHolder: (holderId) => call<void>((outcome) => ({ name: "close", holderId, ...outcome })),
      heartbeat: (holderId) => call<boolean>((outcome) => ({ name: "heartbeat", holderId, ...outcome })),
    },
    next(name) {
      const first = open.shift();
      if (first?.name !== name) throw new Error(`expected ${name}, there is ${first?.name ?? "nothing"}`);
      return first as never;
    },
  };
}
