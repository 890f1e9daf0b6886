/**
 * Recomputes the whole ledger in one snapshot of the database: entries against balances, leases against lent
 * amounts, requests against their charges, charges against usage and price. Reports differences and changes
 * nothing.
 */
import { type Message, message, textOf } from "@plaza/contract/messages/message.ts";
import { formatUsd, nanoUsd } from "@plaza/contract/money.ts";
import { type Kysely, sql, type Transaction } from "kysely";
import { chargeFor } from "../../domain/money/price.ts";
import { toPriceRow } from "../catalog/price-rows.ts";
import { toRequest } from "../requests/requests.ts";
import { removedBelow, removedPayments, requestsFrom } from "../retention/removed.ts";
import { nanosOfSum, sumOfNanos } from "../sql/expressions.ts";
import type { Database } from "../sql/schema.ts";
import type { Store } from "../store.ts";
import type { LedgerFinding, LedgerReport } from "./shapes.ts";

/** Most findings listed; further ones are only counted. */
const findingsMax = 100;
const requestsPerPage = 5_000;

interface Findings {
  readonly list: LedgerFinding[];
  more: number;
}

function add(findings: Findings, what: LedgerFinding["what"], subject: string, found: Message): void {
  if (findings.list.length < findingsMax)
    findings.list.push({ what, subject, text: textOf(found), ...found });
  else findings.more += 1;
}

const usd = (nanos: bigint | null): string => formatUsd(nanoUsd(nanos ?? 0n));

const sum = (column: string) => sumOfNanos(sql.ref(column));

const nanosPerUsd = 1_000_000_000n;

/** Sums whole dollars and the rest separately, because all balances together may exceed 64 bits. */
const largeSum = <Name extends string>(column: Name) =>
  [
    sql<bigint>`coalesce(cast(sum(${sql.ref(column)} / 1000000000) as bigint), 0)`.as(`usd_${column}`),
    sql<bigint>`coalesce(cast(sum(${sql.ref(column)} % 1000000000) as bigint), 0)`.as(`rest_${column}`),
  ] as const;

/** Checks balance = Σ entries, and its bounds. */
async function checkBalances(trx: Transaction<Database>, findings: Findings): Promise<void> {
  const off = await trx
    .selectFrom("accounts")
    .leftJoin(
      (eb) =>
        eb
          .selectFrom("ledger_entries")
          .select(["account_id", sum("amount_nanos").as("entries_nanos")])
          .groupBy("account_id")
          .as("sums"),
      (join) => join.onRef("sums.account_id", "=", "accounts.id"),
    )
    .select(["accounts.id", "balance_nanos", "leased_nanos", "sums.entries_nanos"])
    .where((eb) =>
      eb.or([
        eb("balance_nanos", "<>", sql<bigint>`coalesce(sums.entries_nanos, 0)`),
        eb("balance_nanos", "<", 0n),
        eb("leased_nanos", "<", 0n),
        eb("leased_nanos", ">", eb.ref("balance_nanos")),
      ]),
    )
    .execute();
  for (const row of off) {
    const entries = nanosOfSum(row.entries_nanos);
    if (row.balance_nanos !== entries) {
      const found = message("ledger.balanceOff", { balance: usd(row.balance_nanos), entries: usd(entries) });
      add(findings, "balance", row.id, found);
    } else {
      const found = message("ledger.balanceOutside", {
        balance: usd(row.balance_nanos),
        lent: usd(row.leased_nanos),
      });
      add(findings, "bounds", row.id, found);
    }
  }
}

/** Checks leased = Σ leases, for accounts and budgets. */
async function checkLeases(
  trx: Transaction<Database>,
  kind: "account" | "budget",
  findings: Findings,
): Promise<void> {
  const rows = trx
    .selectFrom("leases")
    .select(["subject", sum("amount_nanos").as("leases_nanos")])
    .where("kind", "=", kind)
    .groupBy("subject")
    .as("sums");
  const table = kind === "account" ? ("accounts" as const) : ("key_budgets" as const);
  const off = await trx
    .selectFrom(table as "accounts")
    .leftJoin(rows, (join) => join.onRef("sums.subject", "=", "id"))
    .select(["id", "leased_nanos", "sums.leases_nanos"])
    .where((eb) => eb("leased_nanos", "<>", sql<bigint>`coalesce(sums.leases_nanos, 0)`))
    .execute();
  for (const row of off) {
    const found = message("ledger.leasesOff", {
      lent: usd(row.leased_nanos),
      leases: usd(nanosOfSum(row.leases_nanos)),
    });
    add(findings, "lease", row.id, found);
  }
  const lost = await trx
    .selectFrom("leases")
    .select(["holder_id", "subject"])
    .where("kind", "=", kind)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom(table as "accounts")
            .select("id")
            .whereRef("id", "=", "subject"),
        ),
      ),
    )
    .execute();
  for (const row of lost)
    add(findings, "lease", row.subject, message("ledger.leaseOnNothing", { holder: row.holder_id }));
}

/**
 * Checks that no request has two entries of a kind. The database prevents that, so they show manual changes.
 */
async function checkDoubles(trx: Transaction<Database>, findings: Findings): Promise<void> {
  const doubles = await trx
    .selectFrom("ledger_entries")
    .select((eb) => ["request_id", "kind", eb.fn.countAll<number>().as("entries")])
    .where("request_id", "is not", null)
    .groupBy(["request_id", "kind"])
    .having((eb) => eb.fn.countAll(), ">", 1)
    .limit(findingsMax)
    .execute();
  for (const row of doubles) {
    add(
      findings,
      "charge",
      row.request_id ?? "",
      message("ledger.entriesTwice", { entries: row.entries, kind: row.kind }),
    );
  }
}

/**
 * Checks that every charge and loss in the ledger belongs to a request of the account that paid, as far as
 * requests are kept.
 */
async function checkPayers(
  trx: Transaction<Database>,
  kind: "charge" | "operator_loss",
  findings: Findings,
): Promise<void> {
  const belowMs = await removedBelow(trx);
  const strangers = await trx
    .selectFrom("ledger_entries")
    .leftJoin("requests", "requests.id", "ledger_entries.request_id")
    .select(["request_id", "ledger_entries.account_id as paid_by", "requests.account_id as made_by"])
    .where("ledger_entries.kind", "=", kind)
    .where((eb) =>
      eb.or([
        eb.and([eb("requests.id", "is", null), eb("request_id", ">=", requestsFrom(belowMs))]),
        eb("ledger_entries.account_id", "<>", eb.ref("requests.account_id")),
      ]),
    )
    .limit(findingsMax)
    .execute();
  for (const row of strangers) {
    const found =
      row.made_by === null
        ? message("ledger.entryWithoutRequest", { payer: row.paid_by, kind })
        : message("ledger.entryOfOther", { payer: row.paid_by, kind, maker: row.made_by });
    add(findings, "charge", row.request_id ?? "", found);
  }
}

/** Checks that every charge and loss of a request has one entry, and every such entry a request. */
async function checkEntries(trx: Transaction<Database>, findings: Findings): Promise<void> {
  for (const [kind, column, sign] of [
    ["charge", "charge_nanos", -1n],
    ["operator_loss", "loss_nanos", 1n],
  ] as const) {
    await checkPayers(trx, kind, findings);
    const off = await trx
      .selectFrom("requests")
      .leftJoin("ledger_entries", (join) =>
        join.onRef("ledger_entries.request_id", "=", "requests.id").on("ledger_entries.kind", "=", kind),
      )
      .select(["requests.id", `requests.${column} as request_nanos`, "amount_nanos as entry_nanos"])
      .where((eb) =>
        eb(`requests.${column}`, "<>", sql<bigint>`coalesce(amount_nanos, 0) * ${sql.lit(Number(sign))}`),
      )
      .limit(findingsMax)
      .execute();
    for (const row of off) {
      const found = message("ledger.chargeOff", {
        kind,
        charged: usd(row.request_nanos),
        entered: usd((row.entry_nanos ?? 0n) * sign),
      });
      add(findings, "charge", row.id, found);
    }
  }
}

/** Computes every charge again from usage and its price row. */
async function checkCharges(
  trx: Transaction<Database>,
  findings: Findings,
  paidByKey: Map<string, bigint>,
): Promise<number> {
  const prices = new Map(
    (await trx.selectFrom("prices").selectAll().execute()).map((row) => [row.id, toPriceRow(row)]),
  );
  let afterId = "";
  let count = 0;
  for (;;) {
    const page = await trx
      .selectFrom("requests")
      .selectAll()
      .where("id", ">", afterId)
      .orderBy("id")
      .limit(requestsPerPage)
      .execute();
    count += page.length;
    for (const row of page) {
      const request = toRequest(row);
      const price = request.priceId === null ? undefined : prices.get(request.priceId)?.price;
      const paid = paidByKey.get(request.keyId);
      if (paid !== undefined) paidByKey.set(request.keyId, paid + request.charge - request.loss);
      const due = chargeDue(request, price);
      if (due === request.charge) continue;
      const found =
        price === undefined
          ? message("ledger.chargeWithoutPrice", { charge: usd(request.charge) })
          : message("ledger.chargeNotDue", {
              charge: usd(request.charge),
              price: request.priceId ?? "",
              due: usd(due),
            });
      add(findings, "request", request.id, found);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < requestsPerPage) return count;
    afterId = last.id;
  }
}

function chargeDue(
  request: ReturnType<typeof toRequest>,
  price: Parameters<typeof chargeFor>[1] | undefined,
): bigint {
  if (price === undefined || request.usageSource === "none") return 0n;
  const usage = {
    input: request.inputTokens,
    cachedInput: request.cachedInputTokens,
    cacheWrite: request.cacheWriteTokens,
    output: request.outputTokens,
    reasoning: request.reasoningTokens,
    ...request.usageParts,
  };
  return chargeFor(usage, price);
}

/** The total spent by every key with a budget, over all periods. */
async function spentByKey(trx: Transaction<Database>): Promise<Map<string, bigint>> {
  const rows = await trx
    .selectFrom("key_budgets")
    .select(["key_id", sum("spent_nanos").as("spent_nanos")])
    .groupBy("key_id")
    .execute();
  return new Map(rows.map((row) => [row.key_id, nanosOfSum(row.spent_nanos)]));
}

/**
 * Checks that a budget counts no more than its key's requests paid. They may have paid more before it had a
 * budget.
 */
function checkBudgets(
  spent: ReadonlyMap<string, bigint>,
  paid: ReadonlyMap<string, bigint>,
  findings: Findings,
): void {
  for (const [keyId, nanos] of spent) {
    const due = paid.get(keyId) ?? 0n;
    if (nanos <= due) continue;
    const found = message("ledger.budgetOff", { counted: usd(nanos), due: usd(due) });
    add(findings, "budget", keyId, found);
  }
}

/** Checks that no grant has more left than was granted. */
async function checkGrants(trx: Transaction<Database>, findings: Findings): Promise<void> {
  const off = await trx
    .selectFrom("grants")
    .innerJoin("ledger_entries", (join) =>
      join
        .onRef("ledger_entries.account_id", "=", "grants.account_id")
        .onRef("ledger_entries.id", "=", "grants.entry_id"),
    )
    .select(["entry_id", "remaining_nanos", "amount_nanos"])
    .whereRef("remaining_nanos", ">", "amount_nanos")
    .execute();
  for (const row of off) {
    const found = message("ledger.grantOff", {
      left: usd(row.remaining_nanos),
      grant: usd(row.amount_nanos),
    });
    add(findings, "grant", String(row.entry_id), found);
  }
}

async function totalsOf(trx: Transaction<Database>) {
  const accounts = await trx
    .selectFrom("accounts")
    .select((eb) => [
      eb.fn.countAll<number>().as("accounts"),
      ...largeSum("balance_nanos"),
      ...largeSum("leased_nanos"),
    ])
    .executeTakeFirstOrThrow();
  const kinds = await trx
    .selectFrom("ledger_entries")
    .select((eb) => ["kind", eb.fn.countAll<number>().as("entries"), ...largeSum("amount_nanos")])
    .groupBy("kind")
    .execute();
  const { leases } = await trx
    .selectFrom("leases")
    .select((eb) => eb.fn.countAll<number>().as("leases"))
    .executeTakeFirstOrThrow();
  const of = (...wanted: string[]) =>
    kinds
      .filter(({ kind }) => wanted.includes(kind))
      .reduce((total, row) => total + row.usd_amount_nanos * nanosPerUsd + row.rest_amount_nanos, 0n);
  return {
    accounts: accounts.accounts,
    entries: kinds.reduce((total, row) => total + row.entries, 0),
    leases,
    totals: {
      balance: nanoUsd(accounts.usd_balance_nanos * nanosPerUsd + accounts.rest_balance_nanos),
      leased: nanoUsd(accounts.usd_leased_nanos * nanosPerUsd + accounts.rest_leased_nanos),
      credited: nanoUsd(of("topup", "refund", "adjustment", "expiry")),
      charged: nanoUsd(-of("charge")),
      lost: nanoUsd(of("operator_loss")),
    },
  };
}

export function createVerifyMethods(db: Kysely<Database>): Pick<Store, "verifyLedger"> {
  return {
    verifyLedger: () =>
      db
        .transaction()
        .setIsolationLevel("repeatable read")
        .setAccessMode("read only")
        .execute(async (trx): Promise<LedgerReport> => {
          const findings: Findings = { list: [], more: 0 };
          await checkBalances(trx, findings);
          await checkLeases(trx, "account", findings);
          await checkLeases(trx, "budget", findings);
          await checkDoubles(trx, findings);
          await checkEntries(trx, findings);
          await checkGrants(trx, findings);
          const spent = await spentByKey(trx);
          const removed = await removedPayments(trx);
          const paid = new Map([...spent.keys()].map((keyId) => [keyId, removed.get(keyId) ?? 0n]));
          const requests = await checkCharges(trx, findings, paid);
          checkBudgets(spent, paid, findings);
          const counted = await totalsOf(trx);
          return {
            isOk: findings.list.length === 0,
            findings: findings.list,
            moreFindings: findings.more,
            requests,
            ...counted,
          };
        }),
  };
}
