/** A month: what it has added up to, and what it probably will. Pure. */
import { addDays } from "../../../format/zone.ts";
import { type Forecast, forecastOf } from "./forecast.ts";
import { sum } from "./statistics.ts";

export interface MonthForecast {
  readonly forecast: Forecast;
  /** Of this month until now. */
  readonly soFar: number;
  /** Of the whole month, as expected; at least what there is already. */
  readonly total: number;
  readonly low: number | undefined;
  readonly high: number | undefined;
  /** YYYY-MM. */
  readonly month: string;
}

function lastOfMonth(day: string): string {
  return addDays(`${addDays(`${day.slice(0, 7)}-01`, 31).slice(0, 7)}-01`, -1);
}

/**
 * Joins what was with what is expected. `values`: by day, the last of them today's so far. `dayPassed`: the
 * share of today that is over, 0 to 1; what is expected of today is expected of the rest of it.
 */
export function monthOf(
  first: string,
  values: readonly number[],
  dayPassed: number,
): MonthForecast | undefined {
  const today = addDays(first, values.length - 1);
  const month = today.slice(0, 7);
  const forecast = forecastOf({ first, values: values.slice(0, -1) }, lastOfMonth(today));
  if (forecast === undefined) return undefined;
  const ofMonth = values.filter((_, at) => addDays(first, at).slice(0, 7) === month);
  const soFar = sum(ofMonth);
  const { error } = forecast;
  const total = soFar + forecast.total - (forecast.days[0]?.expected ?? 0) * dayPassed;
  return {
    ...{ forecast, soFar, month, total },
    low: error && Math.max(soFar, total - (forecast.total - error.low)),
    high: error && total + (error.high - forecast.total),
  };
}
