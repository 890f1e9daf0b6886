/**
 * Store methods for the audit log, installation settings and ledger checks. The serving thread loads this
 * file, so it has no SQL.
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

/** Settings an operator makes for the whole installation. */
export interface InstallationSettings {
  readonly name: string;
  /** True when visitors can see the model plaza without signing in. */
  readonly plazaIsPublic: boolean;
  /**
   * Balance below which an account's users are warned, unless the account has its own threshold; null: never.
   */
  readonly lowBalance: NanoUsd | null;
  /** 0 until they are first changed. */
  readonly revision: number;
}

/** An entry of the audit log; `people.ts` writes them. */
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
  /** Name of the route or command. */
  readonly action: string;
  readonly subject: string | null;
  readonly detail: Readonly<Record<string, unknown>> | null;
  readonly ip: string | null;
  readonly requestId: string | null;
  readonly outcome: "begun" | "done" | "refused";
}

export interface AuditFilter {
  /** An id, or part of a name. */
  readonly actor?: string | undefined;
  readonly actions?: readonly string[] | undefined;
  readonly accountId?: string | undefined;
  /** Unix milliseconds; `from` is inclusive, `to` exclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Only entries with a smaller id. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** A check of the ledger. `cut`: its process died. `failed`: it could not read everything. */
export interface LedgerCheck {
  readonly id: string;
  readonly startedAt: number;
  /** Name of the user or program that started it. */
  readonly startedBy: string | null;
  readonly endedAt: number | null;
  readonly status: "running" | "ok" | "wrong" | "failed" | "cut";
  readonly report: LedgerReport | null;
}

/** A serving process as stored in the ledger. */
export interface Holder {
  readonly id: string;
  readonly startedAt: number;
  readonly expiresAt: number;
  readonly isAlive: boolean;
  readonly leases: number;
  /** Amount of accounts' balances lent to it. */
  readonly leased: NanoUsd;
}

/** Processes without their reports on every upstream, which are long with thousands of models. */
export interface HealthSummary extends UpstreamSummary {
  readonly processes: readonly Omit<ProcessStates, "upstreams" | "models">[];
}

export interface OperationStore {
  getSettings(): Promise<InstallationSettings>;
  /** Returns undefined when another user changed them since `revision`. */
  changeSettings(settings: InstallationSettings): Promise<InstallationSettings | undefined>;

  /** Newest first. */
  listAudit(filter: AuditFilter): Promise<AuditEntry[]>;
  /**
   * Deletes entries older than a time (Unix milliseconds), oldest first, at most `linesMax`; resolves with
   * how many.
   */
  pruneAudit(before: number, linesMax: number): Promise<number>;

  /** Returns undefined when a check is already running. */
  beginLedgerCheck(check: { id: string; startedBy: string | null }): Promise<LedgerCheck | undefined>;
  /** Reports that a check still runs; to be called every few seconds. */
  beatLedgerCheck(id: string): Promise<void>;
  /** `report` null: the check could not be done. */
  endLedgerCheck(id: string, report: LedgerReport | null): Promise<void>;
  /** Newest first. `before`: only checks that started earlier, or at that moment with a smaller id. */
  listLedgerChecks(page: {
    limit: number;
    before?: { readonly startedAt: number; readonly id: string } | undefined;
  }): Promise<LedgerCheck[]>;

  /** Every serving process that may hold leases, oldest first. */
  listHolders(): Promise<Holder[]>;

  /** The state of live processes, oldest first, and upstream issues that need attention. */
  readHealth(troublesMax: number): Promise<HealthSummary>;
  listUpstreamStandings(): Promise<UpstreamStanding[]>;
  pageDeploymentHealth(filter: SeenFilter): Promise<SeenPage<SeenDeployment>>;
  pageCredentialHealth(filter: SeenFilter): Promise<SeenPage<SeenCredential>>;
}

/** Every method of `OperationStore`; `create-store.ts` forwards them to the storage thread unchanged. */
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
