/** Settings of the installation, its health, the ledger check, and the audit log. */
import { z } from "zod";
import { routes } from "./route.ts";
import {
  amountText,
  givenInstant,
  instant,
  manyTexts,
  messageRef,
  money,
  nameText,
  nextCursor,
  pageQuery,
  revision,
} from "./shapes.ts";

/** Settings an operator makes for the whole installation. */
export const installationSettings = z.object({
  /** Its name in titles and mails. */
  name: z.string(),
  /** True when visitors can see the model plaza without signing in. */
  plazaIsPublic: z.boolean(),
  /**
   * Balance below which an account's users are warned, unless the account has its own threshold; null: never.
   */
  lowBalance: money.nullable(),
  /** How long audit log entries are kept, in milliseconds; a startup setting. */
  auditKeptMs: z.number().int(),
  revision,
});

const lastFault = z.object({ kind: z.string(), status: z.number().int().nullable(), at: instant });

/** A serving process's report on itself at the time `at`; null: not reported yet. */
/** `isRefusing`: the journal accepts no settlements either, so calls are refused. */
const storageFault = z.object({
  code: z.enum(["disk_full", "read_only", "io", "damaged", "cannot_open"]),
  text: z.string(),
  since: instant,
  isRefusing: z.boolean(),
});

const processHealth = z.object({
  /** Id of the process, from start to end. */
  process: z.string(),
  /** Time of its last report, by the database's clock. */
  at: instant,
  pid: z.number().int().nullable(),
  version: z.string().nullable(),
  startedAt: instant.nullable(),
  /** Event loop delay in the last seconds: 99th percentile in milliseconds. */
  loopLagMs: z.number().nullable(),
  heapBytes: z.number().int().nullable(),
  rssBytes: z.number().int().nullable(),
  inFlight: z.number().int().nullable(),
  /** True when the database does not answer, or lacks some of its settlements. */
  isBehind: z.boolean().nullable(),
  /** True when the process is overloaded and accepts fewer concurrent requests than the operator allows. */
  isLimiting: z.boolean().nullable(),
  /** The reason, and how many requests it accepts. */
  selfLimit: z
    .object({
      /** `lag`: event loop delay. `heap`: memory is nearly full. */
      reason: z.enum(["lag", "heap"]),
      /**
       * The measured value: milliseconds at the 99th percentile, or percent of the heap in use after a
       * collection.
       */
      seen: z.number(),
      allowed: z.number(),
      /** Most requests in flight, and the limit set by the operator. */
      inFlightLimit: z.number().int(),
      inFlightMax: z.number().int(),
    })
    .nullable(),
  /** Requests refused since its start because of one of its limits. */
  refused: z.number().int().nullable(),
});

const credentialHealth = z.object({
  process: z.string(),
  upstream: z.string(),
  /** Position in the upstream's list, from 1. */
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
  /** Its current weight. */
  weightNow: z.number(),
  state: z.enum(["healthy", "resting", "ejected", "probing", "returning"]),
  untilAt: instant.nullable(),
  lastFault: lastFault.nullable(),
  inFlight: z.number().int(),
  firstTokenMs: z.number().nullable(),
  p95FirstTokenMs: z.number().nullable(),
});

const tally = z.object({
  all: z.number().int(),
  /** How many of them have a problem. */
  troubled: z.number().int(),
});

/** From all processes that see it: the latest fault, and the earliest retry. */
const seen = { fault: lastFault.nullable(), untilAt: instant.nullable() };

const upstreamTrouble = z.discriminatedUnion("kind", [
  /** None of its credentials works. */
  z.object({ kind: z.literal("upstreamOut"), upstream: z.string(), ...seen }),
  /** All its deployments are ejected. */
  z.object({ kind: z.literal("modelDown"), model: z.string(), ...seen }),
  z.object({ kind: z.literal("credentialOut"), upstream: z.string(), number: z.number().int(), ...seen }),
  z.object({
    kind: z.literal("ejected"),
    upstream: z.string(),
    upstreamModel: z.string(),
    /** Public models that use it: the first few of `modelsCount`. */
    models: z.array(z.string()),
    modelsCount: z.number().int(),
    ...seen,
  }),
  z.object({
    kind: z.literal("usageDoubted"),
    upstream: z.string(),
    upstreamModel: z.string(),
    /** `impossible`: ignored and charged by estimate. `beyond_asked`: charged. */
    doubt: z.enum(["impossible", "beyond_asked"]),
    /** When it last happened. */
    at: instant,
    ...seen,
  }),
]);

const seenQuery = pageQuery.extend({
  /** Part of a name. */
  search: z.string().trim().max(200).optional(),
  /** Full id of an upstream: only its items. */
  upstream: z.string().max(1_024).optional(),
  /** Only the unhealthy ones. */
  troubled: z.stringbool().optional(),
});

/** A serving process's leases. */
const holderHealth = z.object({
  process: z.string(),
  startedAt: instant,
  /** When its leases are returned if it reports nothing more. */
  expiresAt: instant,
  isAlive: z.boolean(),
  leases: z.number().int(),
  /** Amount of accounts' balances lent to it. */
  leased: money,
});

/** A ledger check, which recomputes all sums. */
export const ledgerCheck = z.object({
  id: z.string(),
  startedAt: instant,
  startedBy: z.string().nullable(),
  /** Null: still running, or cut off by a restart. */
  endedAt: instant.nullable(),
  status: z.enum(["running", "ok", "wrong", "failed"]),
  report: z
    .object({
      findings: z.array(
        z
          .object({ what: z.string(), subject: z.string(), text: z.string() })
          .extend(messageRef.partial().shape),
      ),
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
  /** The account it concerned, if any. */
  account: z.object({ id: z.string(), name: z.string() }).nullable(),
  /** Name of the route or command. */
  action: z.string(),
  subject: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()).nullable(),
  ip: z.string().nullable(),
  requestId: z.string().nullable(),
  /** `begun`: not finished, or its process died. */
  outcome: z.enum(["begun", "done", "refused"]),
});

/** The last `plaza apply` that changed something, and the console's changes since. */
export const lastApply = z.object({
  /** Null: none in the audit log. */
  applied: z
    .object({
      /** Name of the file, without its folder. */
      file: z.string().nullable(),
      /** The user of the machine that ran the command. */
      by: z.string(),
      at: instant,
    })
    .nullable(),
  /** Each kind of change of each subject once, newest first; the first few. */
  changes: z.array(
    z.object({
      /** Name of the route. */
      action: z.string(),
      subject: z.string().nullable(),
      /** When it was changed last. */
      at: instant,
      times: z.number().int(),
    }),
  ),
  /** True when there are further changes; the audit log has them. */
  hasMore: z.boolean(),
});

const auditFilter = {
  /** Id of a user or token, or part of a name. */
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
  getLastApply: {
    method: "get",
    path: "/operator/last-apply",
    access: "operator",
    scope: "installation:write",
    summary: "The last applied configuration file, and what was changed in the console since.",
    answer: lastApply,
  },
  listBootSettings: {
    method: "get",
    path: "/operator/boot-settings",
    access: "operator",
    scope: "installation:write",
    summary: "What the server was started with. Secrets are not shown.",
    answer: z.object({
      settings: z.array(
        z.object({
          name: z.string(),
          /** Environment variable. */
          variable: z.string(),
          flag: z.string().nullable(),
          /** The value as written; null: unset, or a secret. */
          value: z.string().nullable(),
          /** The variable or flag that set it; null: not set. */
          from: z.string().nullable(),
          isSecret: z.boolean(),
          meaning: z.string(),
          meaningMessage: messageRef,
          /** What applies while it is unset. */
          unset: z.string().nullable(),
          unsetMessage: messageRef.nullable(),
        }),
      ),
    }),
  },
  getHealth: {
    method: "get",
    path: "/operator/health",
    access: "operator",
    scope: "health:read",
    summary: "How the processes, the upstreams and the ledger are doing.",
    answer: z.object({
      /** The fault of the disk or the database file; null: none known. */
      storageFault: storageFault.nullable(),
      /** Time of this report. */
      at: instant,
      version: z.string(),
      /** Start of the answering process. */
      startedAt: instant,
      database: z.enum(["sqlite", "postgres"]),
      processes: z.array(processHealth),
      /**
       * Each counted once for all processes; `listDeploymentHealth` and `listCredentialHealth` have the rows.
       */
      deployments: tally,
      credentials: tally,
      /** Upstream issues that need attention, each once, worst first. */
      troubles: z.array(upstreamTrouble),
      /** Number of issues that are not listed. */
      moreTroubles: z.number().int(),
      holders: z.array(holderHealth),
      ledgerCheck: ledgerCheck.nullable(),
    }),
  },
  listDeploymentHealth: {
    method: "get",
    path: "/operator/health/deployments",
    access: "operator",
    scope: "health:read",
    summary: "Deployments as every process sees them, those in trouble first.",
    query: seenQuery,
    answer: z.object({ deployments: z.array(deploymentHealth), tally, next: nextCursor }),
  },
  listCredentialHealth: {
    method: "get",
    path: "/operator/health/credentials",
    access: "operator",
    scope: "health:read",
    summary: "Credentials, by their numbers, as every process sees them, those in trouble first.",
    query: seenQuery,
    answer: z.object({ credentials: z.array(credentialHealth), tally, next: nextCursor }),
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
