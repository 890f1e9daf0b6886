/** SQL for `usage.ts`: sums and lists of requests. */
import { toPriceRow } from "../catalog/price-rows.ts";
import { fillFew, fillLists } from "../lists/fill.ts";
import { inOneView } from "../lists/read.ts";
import { toRequest } from "../requests/requests.ts";
import type { MethodsOptions } from "../sql/dialect.ts";
import { exploreUsage, listLatencies } from "./explore.ts";
import type { ExploreStore } from "./explore-shapes.ts";
import { modelHalfHours } from "./half-hours.ts";
import { pageRequests, withNames } from "./list.ts";
import { keyNumbers, modelNumbers } from "./measures.ts";
import { claimRollup, noKnownSeries, passRow, rollUp, rollUpFew } from "./rollup.ts";
import { sumUsage } from "./sums.ts";
import type { UsageStore } from "./usage.ts";

/** Most requests one piece may have. */
const pieceMax = 200_000;

/** Most requests that are summed or copied beside settlements; it takes some 10 ms. */
const few = 100;

export function createUsageMethods(options: MethodsOptions): UsageStore & ExploreStore {
  const { db, lazyDb, clock, dialect } = options;
  const order = dialect.insertionOrder;
  const rollup = { db, lazyDb, clock, dialect, known: noKnownSeries() };
  return {
    claimUsageRollup: (processId) => claimRollup(rollup, processId),
    passUsageRow: () => passRow(rollup),
    rollUpUsage: (rowsMax) => rollUp(rollup, Math.min(Math.max(1, Math.trunc(rowsMax)), pieceMax)),
    rollUpFew: () => rollUpFew(rollup, few),
    fillListsWithFew: (everyMs) => fillFew(options, few, everyMs),
    fillAccountLists: (rowsMax, everyMs) =>
      fillLists(options, Math.min(Math.max(1, Math.trunc(rowsMax)), pieceMax), everyMs),
    sumUsage: (question) => sumUsage(db, order, question),
    pageRequests: (filter, page) => pageRequests(db, dialect, filter, page),
    keyNumbers: (accountId, sinceMs) => keyNumbers(db, order, accountId, sinceMs),
    modelNumbers: (sinceMs) => modelNumbers(db, order, sinceMs),
    exploreUsage: (question) => exploreUsage(db, dialect, question),
    listLatencies: (question) => listLatencies(db, dialect, question),
    modelHalfHours: (sinceMs) => modelHalfHours(db, order, sinceMs),
    async findNamedRequest(id) {
      return await inOneView(db, async (trx) => {
        const row = await trx.selectFrom("requests").selectAll().where("id", "=", id).executeTakeFirst();
        if (row === undefined) return undefined;
        const [request] = await withNames(trx, [toRequest(row)]);
        const price =
          row.price_id === null
            ? undefined
            : await trx.selectFrom("prices").selectAll().where("id", "=", row.price_id).executeTakeFirst();
        return request && { ...request, price: price && toPriceRow(price) };
      });
    },
  };
}
