/**
 * Audit log, settings of the installation, self-checks of the ledger: what the store offers of them. Loaded
 * by the serving thread, so no SQL code here.
 */
import type { NanoUsd } from "@plaza/contract/money.ts";
import type { ProcessStates } from "@plaza/contract/upstream-states.ts";
import type {
  SeenCredential,
  SeenDeployment,
  SeenFilter,
  SeenPage,
  UpstreamStanding,
  UpstreamSummary,
} from "../../domain/routing/upstream-health.ts";
import type { LedgerReport } from "../ledger/shapes.ts";

/** What the operator decides for the whole installation. */
export interface InstallationSettings {
  readonly name: string;
  /** True when visitors can see the model plaza without signing in. */
  readonly plazaIsPublic: boolean;
  /** Below it an account's people are warned, where the account has no threshold of its own; null = never. */
  readonly lowBalance: NanoUsd | null;
  /** 0 until they are first changed. */
  readonly revision: number;
}

/** A line of the audit log; `people.ts` writes them. */
export interface AuditEntry {
  readonly id: number;
  /** Unix milliseconds. */
  readonly at: number;
  readonly actor: {
    readonly kind: "user" | "token" | "cli";
    readonly id: string | null;
    readonly name: string;
  };
  readonly accountId: string | null;
  readonly accountName: string | null;
  /** Name of the route, or of the command. */
  readonly action: string;
  readonly subject: string | null;
  readonly detail: Readonly<Record<string, unknown>> | null;
  readonly ip: string | null;
  readonly requestId: string | null;
  readonly outcome: "begun" | "done" | "refused";
}

export interface AuditFilter {
  /** An id, or a part of a name. */
  readonly actor?: string | undefined;
  readonly actions?: readonly string[] | undefined;
  readonly accountId?: string | undefined;
  /** Unix milliseconds: from this on, and before that. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Only entries with a smaller id. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** A self-check of the ledger. `cut`: its process died. `failed`: it could not read everything. */
export interface LedgerCheck {
  readonly id: string;
  readonly startedAt: number;
  /** Who asked for it, in words. */
  readonly startedBy: string | null;
  readonly endedAt: number | null;
  readonly status: "running" | "ok" | "wrong" | "failed" | "cut";
  readonly report: LedgerReport | null;
}

/** A serving process as the ledger knows it. */
export interface Holder {
  readonly id: string;
  readonly startedAt: number;
  readonly expiresAt: number;
  readonly isAlive: boolean;
  readonly leases: number;
  /** Of accounts' balances, lent to it. */
  readonly leased: NanoUsd;
}

/** Processes without what each of them says of every upstream: with thousands of models that is long. */
export interface HealthSummary extends UpstreamSummary {
  readonly processes: readonly Omit<ProcessStates, "upstreams" | "models">[];
}

export interface OperationStore {
  getSettings(): Promise<InstallationSettings>;
  /** undefined: another user changed them since `revision`. */
  changeSettings(settings: InstallationSettings): Promise<InstallationSettings | undefined>;

  /** Newest first. */
  listAudit(filter: AuditFilter): Promise<AuditEntry[]>;
  /**
   * Forgets lines from before a time (Unix milliseconds), the oldest first, at most
   * `linesMax`; resolves with how many.
   */
  pruneAudit(before: number, linesMax: number): Promise<number>;

  /** undefined: one is running. */
  beginLedgerCheck(check: { id: string; startedBy: string | null }): Promise<LedgerCheck | undefined>;
  /** Says that a check still runs; to be repeated every few seconds. */
  beatLedgerCheck(id: string): Promise<void>;
  /** null: it could not be done. */
  endLedgerCheck(id: string, report: LedgerReport | null): Promise<void>;
  /** Newest first; `before`: only those that started earlier, or with a smaller id at that moment. */
  listLedgerChecks(page: {
    limit: number;
    before?: { readonly startedAt: number; readonly id: string } | undefined;
  }): Promise<LedgerCheck[]>;

  /** Every serving process something may be lent to, the oldest first. */
  listHolders(): Promise<Holder[]>;

  /** The state of the live processes, the oldest first, and upstream issues that need attention. */
  readHealth(troublesMax: number): Promise<HealthSummary>;
  listUpstreamStandings(): Promise<UpstreamStanding[]>;
  pageDeploymentHealth(filter: SeenFilter): Promise<SeenPage<SeenDeployment>>;
  pageCredentialHealth(filter: SeenFilter): Promise<SeenPage<SeenCredential>>;
}

/**
 * Every method of `OperationStore`; they are handed to the storage thread as they are (`create-store.ts`).
 */
export const operationMethods = {
  getSettings: true,
  changeSettings: true,
  listAudit: true,
  pruneAudit: true,
  beginLedgerCheck: true,
  beatLedgerCheck: true,
  endLedgerCheck: true,
  listLedgerChecks: true,
  listHolders: true,
  readHealth: true,
  listUpstreamStandings: true,
  pageDeploymentHealth: true,
  pageCredentialHealth: true,
} as const satisfies Record<keyof OperationStore, true>;
