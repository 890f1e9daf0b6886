/** Settings of the installation, its health, the ledger's self-check, and the audit log. */
import { z } from "zod";
import { routes } from "./route.ts";
import {
  amountText,
  givenInstant,
  instant,
  manyTexts,
  money,
  nameText,
  nextCursor,
  pageQuery,
  revision,
} from "./shapes.ts";

/** What the operator decides for the whole installation. */
export const installationSettings = z.object({
  /** What it is called in titles and mails. */
  name: z.string(),
  /** Do people see the model plaza without signing in? */
  plazaIsPublic: z.boolean(),
  /** Below this balance an account's people are warned, where it has no threshold of its own; null = never. */
  lowBalance: money.nullable(),
  revision,
});

const lastFault = z.object({ kind: z.string(), status: z.number().int().nullable(), at: instant });

/** What a serving process says of itself. Readings are of the moment `at`; null = it has not said yet. */
const processHealth = z.object({
  /** Which process, for one life of it. */
  process: z.string(),
  /** When it last said something, by the database's clock. */
  at: instant,
  pid: z.number().int().nullable(),
  version: z.string().nullable(),
  startedAt: instant.nullable(),
  /** How late its event loop was over the last seconds, milliseconds: 99th percentile. */
  loopLagMs: z.number().nullable(),
  heapBytes: z.number().int().nullable(),
  rssBytes: z.number().int().nullable(),
  inFlight: z.number().int().nullable(),
  /** The database does not answer it, or has not got all its settlements yet. */
  isBehind: z.boolean().nullable(),
  /** It cannot keep up, and takes fewer requests at once than the operator allows. */
  isLimiting: z.boolean().nullable(),
});

const credentialHealth = z.object({
  process: z.string(),
  upstream: z.string(),
  /** Place in the upstream's list, from 1. */
  number: z.number().int(),
  state: z.enum(["active", "resting", "out"]),
  untilAt: instant.nullable(),
  lastFault: lastFault.nullable(),
});

const deploymentHealth = z.object({
  process: z.string(),
  upstream: z.string(),
  provider: z.string(),
  model: z.string(),
  upstreamModel: z.string(),
  priority: z.number().int(),
  weight: z.number(),
  /** What it counts for at this moment. */
  weightNow: z.number(),
  state: z.enum(["healthy", "resting", "ejected", "probing", "returning"]),
  untilAt: instant.nullable(),
  lastFault: lastFault.nullable(),
  inFlight: z.number().int(),
  firstTokenMs: z.number().nullable(),
  p95FirstTokenMs: z.number().nullable(),
});

/** A serving process as the ledger sees it: what is lent to it. */
const holderHealth = z.object({
  process: z.string(),
  startedAt: instant,
  /** When its leases go back if it says nothing more. */
  expiresAt: instant,
  isAlive: z.boolean(),
  leases: z.number().int(),
  /** Money of accounts lent to it. */
  leased: money,
});

/** A self-check of the ledger: everything added up again. */
export const ledgerCheck = z.object({
  id: z.string(),
  startedAt: instant,
  startedBy: z.string().nullable(),
  /** null: still running, or cut off by a restart. */
  endedAt: instant.nullable(),
  status: z.enum(["running", "ok", "wrong", "failed"]),
  report: z
    .object({
      findings: z.array(z.object({ what: z.string(), subject: z.string(), text: z.string() })),
      moreFindings: z.number().int(),
      accounts: z.number().int(),
      entries: z.number().int(),
      requests: z.number().int(),
      leases: z.number().int(),
      totals: z.object({ balance: money, leased: money, credited: money, charged: money, lost: money }),
    })
    .nullable(),
});

export const auditEntry = z.object({
  id: z.number().int(),
  at: instant,
  actor: z.object({ kind: z.enum(["user", "token", "cli"]), id: z.string().nullable(), name: z.string() }),
  /** The account it was about, where it was about one. */
  account: z.object({ id: z.string(), name: z.string() }).nullable(),
  /** Name of the route, or of the command. */
  action: z.string(),
  subject: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()).nullable(),
  ip: z.string().nullable(),
  requestId: z.string().nullable(),
  /** `begun`: it never came to an end, or has not yet. */
  outcome: z.enum(["begun", "done", "refused"]),
});

const auditFilter = {
  /** An id of a user or token, or a part of a name. */
  actor: z.string().trim().max(200).optional(),
  action: manyTexts,
  from: givenInstant.optional(),
  to: givenInstant.optional(),
};

const auditAnswer = z.object({ entries: z.array(auditEntry), next: nextCursor });

export const installationRoutes = routes({
  getSettings: {
    method: "get",
    path: "/operator/settings",
    access: "operator",
    scope: "installation:write",
    summary: "Settings of the installation.",
    answer: installationSettings,
  },
  changeSettings: {
    method: "put",
    path: "/operator/settings",
    access: "operator",
    scope: "installation:write",
    summary: "Change settings of the installation.",
    body: z.object({
      name: nameText,
      plazaIsPublic: z.boolean(),
      lowBalance: amountText.nullable(),
      revision,
    }),
    answer: installationSettings,
  },
  getHealth: {
    method: "get",
    path: "/operator/health",
    access: "operator",
    scope: "health:read",
    summary: "How the processes, the upstreams and the ledger are doing.",
    answer: z.object({
      /** When this was put together. */
      at: instant,
      version: z.string(),
      /** The process that answers: since when it serves. */
      startedAt: instant,
      database: z.enum(["sqlite", "postgres"]),
      processes: z.array(processHealth),
      /** One row for each process and deployment, and each process and credential. */
      deployments: z.array(deploymentHealth),
      credentials: z.array(credentialHealth),
      holders: z.array(holderHealth),
      ledgerCheck: ledgerCheck.nullable(),
    }),
  },
  startLedgerCheck: {
    method: "post",
    path: "/operator/ledger-checks",
    access: "operator",
    scope: "health:read",
    summary: "Add the whole ledger up again; answers at once, the result is in the list. One runs at a time.",
    answer: ledgerCheck,
    status: 202,
  },
  listLedgerChecks: {
    method: "get",
    path: "/operator/ledger-checks",
    access: "operator",
    scope: "health:read",
    summary: "Self-checks of the ledger with what they found, newest first.",
    query: pageQuery,
    answer: z.object({ checks: z.array(ledgerCheck), next: nextCursor }),
  },
  listAudit: {
    method: "get",
    path: "/operator/audit",
    access: "operator",
    scope: "installation:write",
    summary: "What people and programs did, newest first.",
    query: pageQuery.extend({ ...auditFilter, account: z.string().max(100).optional() }),
    answer: auditAnswer,
  },
  listAccountAudit: {
    method: "get",
    path: "/audit",
    access: "owner",
    summary: "What was done in or to the account, newest first.",
    query: pageQuery.extend(auditFilter),
    answer: auditAnswer,
  },
});
