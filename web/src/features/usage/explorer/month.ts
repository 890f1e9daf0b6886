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

/** Joins what was with what is expected. `values`: by day, the last of them today's so far. */
export function monthOf(first: string, values: readonly number[]): MonthForecast | undefined {
  const today = addDays(first, values.length - 1);
  const month = today.slice(0, 7);
  const forecast = forecastOf({ first, values: values.slice(0, -1) }, lastOfMonth(today));
  if (forecast === undefined) return undefined;
  const ofMonth = values.filter((_, at) => addDays(first, at).slice(0, 7) === month);
  const soFar = sum(ofMonth);
  const over = sum(ofMonth.slice(0, -1));
  const atLeast = (whole: number): number => Math.max(soFar, whole);
  const { error } = forecast;
  return {
    ...{ forecast, soFar, month, total: atLeast(over + forecast.total) },
    low: error && atLeast(over + error.low),
    high: error && atLeast(over + error.high),
  };
}
