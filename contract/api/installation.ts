/** Settings of the installation, its health, the ledger's self-check, and the audit log. */
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

/** What the operator decides for the whole installation. */
export const installationSettings = z.object({
  /** What it is called in titles and mails. */
  name: z.string(),
  /** True when visitors can see the model plaza without signing in. */
  plazaIsPublic: z.boolean(),
  /**
   * Below this balance an account's people are warned, where it has no threshold of its own; null = never.
   */
  lowBalance: money.nullable(),
  /** How long a line of the audit log is kept, milliseconds; set where the server is started. */
  auditKeptMs: z.number().int(),
  revision,
});

const lastFault = z.object({ kind: z.string(), status: z.number().int().nullable(), at: instant });

/** What a serving process says of itself. Readings are of the moment `at`; null = it has not said yet. */
/** `isRefusing`: the journal does not take settlements either, so that calls are refused. */
const storageFault = z.object({
  code: z.enum(["disk_full", "read_only", "io", "damaged", "cannot_open"]),
  text: z.string(),
  since: instant,
  isRefusing: z.boolean(),
});

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
  /** The process cannot keep up and accepts fewer concurrent requests than the operator allows. */
  isLimiting: z.boolean().nullable(),
  /** Why, and how many it takes. */
  selfLimit: z
    .object({
      /** `lag`: its event loop is late. `heap`: its memory is nearly full. */
      reason: z.enum(["lag", "heap"]),
      /** Of that: milliseconds at the 99th percentile, or percent of the heap in use after a collection. */
      seen: z.number(),
      allowed: z.number(),
      /** Requests in flight beyond which it refuses others, and the same as the operator set it. */
      inFlightLimit: z.number().int(),
      inFlightMax: z.number().int(),
    })
    .nullable(),
  /** Requests it refused since it started because it was at one of its bounds. */
  refused: z.number().int().nullable(),
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

const tally = z.object({
  all: z.number().int(),
  /** Not as they should be. */
  troubled: z.number().int(),
});

/** Of all processes that see it: their latest fault, and when the first of them tries again. */
const seen = { fault: lastFault.nullable(), untilAt: instant.nullable() };

const upstreamTrouble = z.discriminatedUnion("kind", [
  /** No credential of it works. */
  z.object({ kind: z.literal("upstreamOut"), upstream: z.string(), ...seen }),
  /** All its deployments are ejected. */
  z.object({ kind: z.literal("modelDown"), model: z.string(), ...seen }),
  z.object({ kind: z.literal("credentialOut"), upstream: z.string(), number: z.number().int(), ...seen }),
  z.object({
    kind: z.literal("ejected"),
    upstream: z.string(),
    upstreamModel: z.string(),
    /** Public models behind it, the first few of `modelsCount`. */
    models: z.array(z.string()),
    modelsCount: z.number().int(),
    ...seen,
  }),
  z.object({
    kind: z.literal("usageDoubted"),
    upstream: z.string(),
    upstreamModel: z.string(),
    /** `impossible`: not believed, charged by estimate. `beyond_asked`: charged. */
    doubt: z.enum(["impossible", "beyond_asked"]),
    /** The last time. */
    at: instant,
    ...seen,
  }),
]);

const seenQuery = pageQuery.extend({
  /** A part of a name. */
  search: z.string().trim().max(200).optional(),
  /** The whole id of an upstream: only what is of it. */
  upstream: z.string().max(1_024).optional(),
  /** Only the unhealthy ones. */
  troubled: z.stringbool().optional(),
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
          /** As it is written; null = unset, or a secret. */
          value: z.string().nullable(),
          /** The variable or flag that set it; null = not set. */
          from: z.string().nullable(),
          isSecret: z.boolean(),
          meaning: z.string(),
          meaningMessage: messageRef,
          /** What holds while it is unset. */
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
      /** What is wrong with the disk or the database file; null: nothing known. */
      storageFault: storageFault.nullable(),
      /** When this was put together. */
      at: instant,
      version: z.string(),
      /** The process that answers: since when it serves. */
      startedAt: instant,
      database: z.enum(["sqlite", "postgres"]),
      processes: z.array(processHealth),
      /** Counted once for each process; `listDeploymentHealth` and `listCredentialHealth` have the rows. */
      deployments: tally,
      credentials: tally,
      /** Upstream issues that need attention, each listed once, the worst first. */
      troubles: z.array(upstreamTrouble),
      /** That are not listed. */
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
