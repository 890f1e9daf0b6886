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
  /** The one account it belongs to; null for an operator without one. */
  account_id: string | null;
  role: "owner" | "member" | null;
  status: "active" | "disabled";
  /** Secret of the authenticator app, sealed (`lib/secret.ts`), bound to the user's id. */
  totp_sealed: string | null;
  /** null while it is being set up: it counts from then on. */
  totp_confirmed_at: number | null;
  /** The last half minute whose code was used: no code works twice. */
  totp_last_step: number | null;
  /** null = as the browser says; the same for the next two. */
  language: "en" | "zh" | null;
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

/** A user as an identity provider knows it. */
export interface IdentitiesTable {
  issuer: string;
  subject: string;
  user_id: string;
  created_at: number;
}

export interface SessionsTable {
  /** What lists show; not the secret. */
  id: string;
  /** SHA-256 of the cookie's secret, hex; the one before it is taken for a moment after a rotation. */
  digest: string;
  previous_digest: string | null;
  user_id: string;
  /** What a page must send with every change. */
  csrf: string;
  ip: string | null;
  user_agent: string | null;
  created_at: number;
  rotated_at: number;
  seen_at: number;
  expires_at: number;
}

/** A link that works once: the first set-up, an invitation, a new password. */
export interface LinksTable {
  id: string;
  digest: string;
  kind: "setup" | "invitation" | "reset";
  email: string | null;
  /** Of a reset. */
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

/** Failures to sign in or redeem, by email, address or user (`kind:digest`). */
export interface FailedAttemptsTable {
  subject: string;
  failures: number;
  last_at: number;
  blocked_until: number;
}

export interface ConsoleKeyColumns {
  /** JSON list of networks the key may be used from; null = anywhere. */
  ips: Generated<string | null>;
  /** User id; null = the command line or the operator. */
  created_by: Generated<string | null>;
  revision: Generated<number>;
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
  /** Below this its people are warned; null = the installation's setting. */
  low_balance_nanos: Generated<bigint | null>;
  revision: Generated<number>;
}

export interface CodeBatchesTable {
  id: string;
  note: string;
  /** What each code is worth. */
  amount_nanos: bigint;
  codes: number;
  /** Until when they can be redeemed. */
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
  /** Its line of the ledger. */
  entry_id: number | null;
}

/** An act of a person or a program. Written as `begun` before it is done, so that nothing is done unseen. */
export interface AuditEntriesTable {
  id: Generated<number>;
  at: number;
  actor_kind: "user" | "token" | "cli";
  actor_id: string | null;
  actor_name: string;
  /** The account it was about, where it was about one. */
  account_id: string | null;
  /** Name of the route, or of the command. */
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
  /** null while it runs, or when it was cut off. */
  ended_at: number | null;
  is_ok: number | null;
  /**
   * JSON of `LedgerReport`, amounts as decimal strings; while it runs, of when it
   * last said so (`operation/checks.ts`).
   */
  report: string | null;
}

export interface ConsoleCatalogColumns {
  /** Where it is managed: `file` things are changed in plaza.yaml only, `demo` goes with the first file. */
  source: Generated<"file" | "console" | "demo">;
  revision: Generated<number>;
}

export interface ConsoleModelColumns {
  /** Who made it, as people say it: "OpenAI", "Qwen". */
  family: Generated<string | null>;
  /** JSON list of what it can do; null = unknown. */
  capabilities: Generated<string | null>;
  /** JSON list of what it is for; null = chat alone. */
  operations: Generated<string | null>;
  /** From when on it is not to be relied on. */
  deprecated_at: Generated<number | null>;
  /** When this catalog first listed it. */
  created_at: Generated<number | null>;
}
