/**
 * The period of a page from the URL, in the requested time zone, or in UTC if that zone is not supported.
 * Knows no page.
 */
import { useMemo, useState } from "react";
import { isApiError } from "../../api/error.ts";
import { dayAt, isTimeZone } from "../../format/zone.ts";
import { useTimeZone } from "../../ui/figures.tsx";
import { daysOf, type PeriodValues, type Range, rangeOf, zoneFault } from "./period.ts";

/** A period as pages use it. */
export interface Period {
  /** Undefined: all time. */
  readonly range: Range | undefined;
  /** The zone its days are of. */
  readonly timeZone: string;
  /** The zone that was asked for. */
  readonly askedZone: string;
  /** Why the zone asked for is not used. */
  readonly fault: "unknown" | "offset" | undefined;
  /** Reports an API error: the API may reject a zone that this browser accepts. */
  readonly onError: (error: unknown) => void;
}

/**
 * Reads a period. `grain: "any"` where instants need not lie on half hours (lists): every zone serves then.
 */
export function usePeriod(values: PeriodValues, grain: "halfHour" | "any" = "halfHour"): Period {
  const ownZone = useTimeZone();
  const askedZone = values.zone === "" ? ownZone : values.zone;
  const [refused, setRefused] = useState<string>();
  const zoneToday = isTimeZone(askedZone) ? dayAt(Date.now(), askedZone) : dayAt(Date.now(), "UTC");
  return useMemo(() => {
    const ofZone =
      grain === "any" && isTimeZone(askedZone)
        ? undefined
        : zoneFault(askedZone, daysOf(values, zoneToday), zoneToday);
    const fault = ofZone ?? (refused === askedZone ? ("offset" as const) : undefined);
    const timeZone = fault === undefined ? askedZone : "UTC";
    return {
      range: rangeOf(values, timeZone, Date.now()),
      timeZone,
      askedZone,
      fault,
      onError: (error) => {
        if (isApiError(error) && error.param === "timeZone" && timeZone !== "UTC") setRefused(askedZone);
      },
    };
  }, [values, askedZone, zoneToday, refused, grain]);
}
