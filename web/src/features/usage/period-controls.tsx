/** Controls of a period and its time zone, for a `FilterBar`. What is chosen lives in the URL. */
import { useContext } from "react";
import { usageMessages } from "../../i18n/en/pages/usage.ts";
import { useMessages } from "../../i18n/messages.ts";
import { TimeZoneContext } from "../../ui/figures.tsx";
import { Select } from "../../ui/inputs/choices.tsx";
import { DateInput } from "../../ui/inputs/inputs.tsx";
import { Notice } from "../../ui/surfaces.tsx";
import { type PeriodName, type PeriodValues, periodNames } from "./period.ts";
import type { Period } from "./use-period.ts";

export interface PeriodControlsProps {
  readonly values: PeriodValues;
  readonly period: Period;
  readonly set: (changes: Partial<PeriodValues>) => void;
  /** Which are offered; without "all" unless given. */
  readonly names?: readonly PeriodName[];
}

const withoutAll = periodNames.filter((name) => name !== "all");

/** The period: a preset, or two days. */
export function PeriodControls({ values, period, set, names = withoutAll }: PeriodControlsProps) {
  const t = useMessages(usageMessages);
  const isCustom = values.period === "custom";
  const choose = (name: PeriodName) => {
    // Chosen days begin as the days that are shown, so that nothing jumps.
    if (name !== "custom") set({ period: name, from: "", to: "" });
    else set({ period: name, from: period.range?.first ?? "", to: period.range?.last ?? "" });
  };
  return (
    <>
      <Select
        label={t("period")}
        className="sm:w-36"
        value={values.period as PeriodName}
        choices={names.map((name) => ({ value: name, label: t(`period.${name}`) }))}
        onChange={choose}
      />
      {isCustom && (
        <>
          <span className="sm:w-40">
            <DateInput label={t("firstDay")} value={values.from} onChange={(from) => set({ from })} />
          </span>
          <span className="sm:w-40">
            <DateInput label={t("lastDay")} value={values.to} onChange={(to) => set({ to })} />
          </span>
        </>
      )}
    </>
  );
}

/** The time zone of days: the profile's, the browser's, UTC, or one from a link. */
export function ZoneSelect({ values, set }: Pick<PeriodControlsProps, "values" | "set">) {
  const t = useMessages(usageMessages);
  const profile = useContext(TimeZoneContext);
  const browser = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const own = profile ?? browser;
  const choices = [
    { value: "", label: t(profile === undefined ? "zone.browser" : "zone.profile", { zone: own }) },
    ...(profile === undefined || profile === browser
      ? []
      : [{ value: browser, label: t("zone.browser", { zone: browser }) }]),
    ...(own === "UTC" || browser === "UTC" ? [] : [{ value: "UTC", label: "UTC" }]),
  ];
  if (!choices.some((choice) => choice.value === values.zone))
    choices.push({ value: values.zone, label: values.zone });
  return (
    <Select
      label={t("timeZone")}
      className="sm:w-60"
      value={values.zone}
      choices={choices}
      onChange={(zone) => set({ zone })}
    />
  );
}

/** Says why another zone than the one asked for is used; nothing otherwise. */
export function ZoneNotice({ period }: { readonly period: Period }) {
  const t = useMessages(usageMessages);
  if (period.fault === undefined) return null;
  return (
    <div className="mb-4">
      <Notice tone="warn">
        {t(period.fault === "offset" ? "zoneOffset" : "zoneUnknown", { zone: period.askedZone })}
      </Notice>
    </div>
  );
}
