/** What the store reports of its migrations. Types only; `../migrations/` does the work. */

export interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  /** Unix milliseconds. */
  readonly appliedAt: number;
  /** Null: unknown, it ran before migration 22. */
  readonly kind: "expand" | "contract" | null;
  /** The oldest schema whose servers may serve after it; null: it takes nothing away. */
  readonly needs: number | null;
  /** SHA-256 of its statements; null before migration 22. */
  readonly digest: string | null;
  readonly durationMs: number | null;
  /** The version of Plaza that ran it. */
  readonly plazaVersion: string | null;
}

export interface MissingMigration {
  readonly version: number;
  readonly name: string;
  readonly kind: "expand" | "contract";
  readonly needs: number | null;
  /** True for one that servers before it do not survive: it waits until none runs. */
  readonly waitsForAll: boolean;
  /** True when it handles many rows in small steps. */
  readonly hasBackfill: boolean;
}

/** A migration whose back-fill is not finished. */
export interface BackfillProgress {
  readonly version: number;
  readonly name: string;
  readonly needs: number | null;
  readonly digest: string;
  /** Where the next chunk begins; the back-fill's own text. */
  readonly place: string;
  readonly rows: number;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly updatedAt: number;
}

/** Serving processes that are alive and know the same newest migration. */
export interface ServersOfSchema {
  /** Null: older than migration 22. */
  readonly schema: number | null;
  readonly count: number;
}

export interface MigrationStatus {
  /** The number of the last migration applied; 0: an empty database. */
  readonly schema: number;
  /** The newest migration this Plaza knows. */
  readonly newest: number;
  /** The oldest schema whose servers may still serve; 0: any. */
  readonly oldestServing: number;
  readonly applied: readonly AppliedMigration[];
  readonly missing: readonly MissingMigration[];
  readonly progress: BackfillProgress | null;
  /** True while a process holds the lock of migrations. */
  readonly isRunning: boolean;
  readonly servers: readonly ServersOfSchema[];
  /** Why a server of this Plaza may not serve now; null: it may. */
  readonly refusal: { readonly code: string; readonly message: string } | null;
  /** Why a migration would be refused now: older servers run; null: it would not. */
  readonly blocked: string | null;
}

export interface MigrationRan {
  readonly version: number;
  readonly name: string;
  readonly kind: "expand" | "contract";
  /** From the beginning of its statements, or of the last resumption, in milliseconds. */
  readonly durationMs: number;
  /** Rows of its back-fill, earlier runs included; null: it has none. */
  readonly rows: number | null;
}

export interface MigrationReport {
  readonly from: number;
  readonly to: number;
  readonly ran: readonly MigrationRan[];
  /** Contracts that wait because older servers are alive, or what must be done before is not done. */
  readonly waiting: readonly MissingMigration[];
}
