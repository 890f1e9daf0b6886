/** Charges grouped by day, and within a day by model. Sums in whole billionths. Pure. */
import { addMoney, compareMoney } from "../../format/money.ts";

/** Sums of one model on one day, as the usage has them. */
export interface DayModel {
  /** YYYY-MM-DD. */
  readonly day: string | null;
  /** Empty for requests that named none. */
  readonly model: string | null;
  readonly requests: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly charge: string;
}

/** A line below a day. */
export interface ModelLine {
  readonly model: string;
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly charge: string;
}

/** A day and its models, the dearest first. */
export interface ChargedDay {
  readonly day: string;
  readonly requests: number;
  readonly charge: string;
  readonly models: readonly ModelLine[];
}

const lineOf = (row: DayModel): ModelLine => ({
  model: row.model ?? "",
  requests: row.requests,
  inputTokens: row.inputTokens + row.cachedInputTokens + row.cacheWriteTokens,
  outputTokens: row.outputTokens,
  charge: row.charge,
});

/** Days with requests, the newest first. */
export function chargedDays(rows: readonly DayModel[]): readonly ChargedDay[] {
  const days = Map.groupBy(rows, ({ day }) => day ?? "");
  return [...days]
    .sort(([left], [right]) => (left < right ? 1 : -1))
    .map(([day, ofDay]) => ({
      day,
      requests: ofDay.reduce((sum, { requests }) => sum + requests, 0),
      charge: addMoney(ofDay.map(({ charge }) => charge)),
      models: ofDay
        .map(lineOf)
        .sort(
          (left, right) =>
            compareMoney(right.charge, left.charge) || left.model.localeCompare(right.model, "en"),
        ),
    }))
    .filter(({ requests }) => requests > 0);
}
