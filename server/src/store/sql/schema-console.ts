/**
 * The tables and columns of the console as Kysely sees them; conventions as in `schema.ts`,
 * SQL in `0001-0015/0010-console.ts`.
 */
import type { Generated } from "kysely";

export interface UsersTable {
  id: string;
  /** In lower case. */
  email: string;
  name: string;
  /** argon2id in its usual text form; null = signs in through an identity provider only. */
  password: string | null;
  is_operator: number;
  /** The user's account; null for an operator without one. */
  account_id: string | null;
  role: "owner" | "member" | null;
  status: "active" | "disabled";
  /** Secret of the authenticator app, sealed (`lib/secret.ts`) and bound to the user's id. */
  totp_sealed: string | null;
  /** When it became active; null while it is being set up. */
  totp_confirmed_at: number | null;
  /** The last 30-second step whose code was used; no code works twice. */
  totp_last_step: number | null;
  /** Null: see `locale`; of it and the next two: as the browser says. */
  language: "en" | "zh" | null;
  /** A language that servers before schema 36 do not know; counts while `language` is null. */
  locale: string | null;
  theme: "light" | "dark" | null;
  time_zone: string | null;
  created_at: number;
  seen_at: number | null;
  revision: Generated<number>;
}

export interface RecoveryCodesTable {
  user_id: string;
  /** SHA-256, hex. */
  digest: string;
  used_at: number | null;
}

/** An identity at an identity provider. */
export interface IdentitiesTable {
  issuer: string;
  subject: string;
  user_id: string;
  created_at: number;
}

export interface SessionsTable {
  /** Shown in lists; not the secret. */
  id: string;
  /** SHA-256 of the cookie's secret, hex. After a rotation the previous one is accepted for a moment. */
  digest: string;
  previous_digest: string | null;
  user_id: string;
  /** The token a page must send with every change. */
  csrf: string;
  ip: string | null;
  user_agent: string | null;
  created_at: number;
  rotated_at: number;
  seen_at: number;
  expires_at: number;
}

/** A one-time link: first setup, invitation, or new password. */
export interface LinksTable {
  id: string;
  digest: string;
  kind: "setup" | "invitation" | "reset";
  email: string | null;
  /** The user of a password reset. */
  user_id: string | null;
  account_id: string | null;
  role: "owner" | "member" | null;
  is_operator: number;
  created_by: string | null;
  created_at: number;
  expires_at: number;
  used_at: number | null;
}

export interface OperatorTokensTable {
  id: string;
  name: string;
  visible_prefix: string;
  digest: string;
  /** JSON list of `TokenScope`. */
  scopes: string;
  created_by: string | null;
  created_at: number;
  expires_at: number | null;
  used_at: number | null;
  revoked_at: number | null;
}

/** Failed sign-ins and code redemptions, by email, address or user (`kind:digest`). */
export interface FailedAttemptsTable {
  subject: string;
  failures: number;
  last_at: number;
  blocked_until: number;
}

export interface ConsoleKeyColumns {
  /** JSON list of networks the key may be used from; null: any. */
  ips: Generated<string | null>;
  /** User id; null: the command line or the operator. */
  created_by: Generated<string | null>;
  revision: Generated<number>;
  /** Null: none. */
  project: Generated<string | null>;
  /** JSON list of one to eight labels, without spaces between; null: none. */
  tags: Generated<string | null>;
}

/** A second secret of a key, for the console's own calls in one session. */
export interface EphemeralKeysTable {
  digest: string;
  key_id: string;
  session_id: string;
  created_at: number;
  expires_at: number;
}

export interface ConsoleAccountColumns {
  /** Its users are warned below this; null: the installation's setting applies. */
  low_balance_nanos: Generated<bigint | null>;
  revision: Generated<number>;
}

export interface CodeBatchesTable {
  id: string;
  note: string;
  /** Amount of each code. */
  amount_nanos: bigint;
  codes: number;
  /** When the codes expire. */
  expires_at: number | null;
  created_by: string | null;
  created_at: number;
  voided_at: number | null;
}

export interface CodesTable {
  digest: string;
  batch_id: string;
  /** From 1. */
  number: number;
  visible_end: string;
  redeemed_at: number | null;
  account_id: string | null;
  user_id: string | null;
  /** Its ledger entry. */
  entry_id: number | null;
}

/**
 * An action of a user or a program. It is written as `begun` before the action, so that every action is
 * recorded.
 */
export interface AuditEntriesTable {
  id: Generated<number>;
  at: number;
  actor_kind: "user" | "token" | "cli";
  actor_id: string | null;
  actor_name: string;
  /** The account it concerned, if any. */
  account_id: string | null;
  /** Name of the route or command. */
  action: string;
  subject: string | null;
  /** JSON object; no secrets. */
  detail: string | null;
  ip: string | null;
  request_id: string | null;
  outcome: "begun" | "done" | "refused";
}

export interface InstallationSettingsTable {
  name: string;
  /** JSON. */
  value: string;
  revision: number;
}

export interface LedgerChecksTable {
  id: string;
  started_at: number;
  started_by: string | null;
  /** Null while it runs, or when its process died. */
  ended_at: number | null;
  is_ok: number | null;
  /**
   * JSON of `LedgerReport`, with amounts as decimal strings; while it runs, the time of its last sign of life
   * (`operation/checks.ts`).
   */
  report: string | null;
}

export interface ConsoleCatalogColumns {
  /** Who manages it: `file` items change only in plaza.yaml; `demo` items are replaced by the first file. */
  source: Generated<"file" | "console" | "demo">;
  revision: Generated<number>;
}

export interface ConsoleModelColumns {
  /** The vendor as people write it: "OpenAI", "Qwen". */
  family: Generated<string | null>;
  /** JSON list of capabilities; null: unknown. */
  capabilities: Generated<string | null>;
  /** JSON list of operations; null: chat only. */
  operations: Generated<string | null>;
  /** When it becomes deprecated. */
  deprecated_at: Generated<number | null>;
  /** When this catalog first listed it. */
  created_at: Generated<number | null>;
  /** 1: an operator has taken it out of service. */
  is_disabled: Generated<number>;
}

/** Headers that are added to the calls of upstreams. */
export interface UpstreamHeadersTable {
  upstream_id: string;
  /** In lower case. */
  name: string;
  /** Its value, sealed by `lib/secret.ts`, bound to the upstream's id and the name. */
  sealed: string;
}

/** The last report of a process for the live view; JSON. */
interface LiveSamplesTable {
  process: string;
  sample: string;
  history: string;
  /** Unix milliseconds by the database's clock. */
  at: number;
}

/** Tables that are younger than the rest of the console. */
export interface YoungerTables {
  upstream_headers: UpstreamHeadersTable;
  live_samples: LiveSamplesTable;
}
